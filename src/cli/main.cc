// The program pi-mcp; everything is in cli/program.h.
#include "cli/program.h"

int main(int argc, char** argv) {
  return pi_mcp::cli::run_program({argv + (argc > 0 ? 1 : 0), argv + argc});
}

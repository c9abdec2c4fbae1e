// The program pi-mcp; everything is in cli/program.h.
#include <cstdio>
#include <exception>

#include "cli/program.h"
#include "cli/show/exit_status.h"

int main(int argc, char** argv) {
  try {
    return pi_mcp::cli::run_program({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& escaped) {
    // Of a library, where the system gives it no more: nothing that we could have asked for less.
    (void)std::fprintf(stderr, "pi-mcp: cannot go on: %s\n", escaped.what());
    return static_cast<int>(pi_mcp::cli::ExitStatus::unavailable);
  }
}

// The program pi-mcp; everything is in cli/program.h.
#include <cstdio>
#include <exception>

#include "cli/program.h"
#include "cli/show/build_facts.h"
#include "cli/show/exit_status.h"

int main(int argc, char** argv) {
  try {
    return pi_mcp::cli::run_program({argv + (argc > 0 ? 1 : 0), argv + argc},
                                    pi_mcp::cli::build_facts());
  } catch (const std::exception& escaped) {
    // A library got no more memory or the like from the system, and we cannot ask for less.
    (void)std::fprintf(stderr, "pi-mcp: cannot go on: %s\n", escaped.what());
    return static_cast<int>(pi_mcp::cli::ExitStatus::unavailable);
  }
}

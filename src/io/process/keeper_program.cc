// What a keeper becomes by exec once its server runs: a program without a library, of a few pages.
// As a copy of ours it would keep half a MiB for as long as the server lives.
#include "io/process/keeper.h"
#include "io/process/keeping.h"
#include "io/process/system_calls.h"

// Arguments: its name, the number of its socket, the id of the server.
void begin_program(long* stack) {
  using namespace pi_mcp::io;
  constexpr long name_process = 15;  // PR_SET_NAME
  bare::call(__NR_prctl, name_process, bare::address(keeper_name));
  char** const arguments = reinterpret_cast<char**>(stack + 1);
  const auto number = [&](int which) {
    return static_cast<int>(bare::decimal(arguments[which], nullptr));
  };
  keep_server(number(1), number(2));
}

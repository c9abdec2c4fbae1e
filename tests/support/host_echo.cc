// Answers every request of its host with the request's params: a stand-in for `pi-mcp serve` in
// tests of the host's transport. With --flood N it first sends a notification of N bytes.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "io/loop/loop.h"
#include "transport/stdio_host.h"

namespace {

using pi_mcp::io::Executor;
using pi_mcp::io::Task;

Task<int> echo(Executor executor, std::size_t flood_bytes) {
  const auto host = pi_mcp::transport::open_stdio_host(executor);
  std::puts("this must not reach the host");
  if (flood_bytes > 0) {
    (void)host->send(pi_mcp::rpc::notification(
        "flood", pi_mcp::SharedText("\"" + std::string(flood_bytes, 'x') + "\"")));
  }
  for (;;) {
    const auto message = co_await host->receive();
    if (!message) {
      std::fprintf(stderr, "%s\n", message.error().message().c_str());
      break;
    }
    pi_mcp::rpc::Outgoing result;
    result.add(message->share(message->params()));
    (void)host->send(pi_mcp::rpc::result(message->id(), result));
  }
  co_await host->close();
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool floods = argc == 3 && std::string(argv[1]) == "--flood";
  const std::size_t bytes = floods ? std::strtoul(argv[2], nullptr, 10) : 0;
  return pi_mcp::io::run([bytes](Executor executor) { return echo(std::move(executor), bytes); });
}

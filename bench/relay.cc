// The floor: starts a server and copies bytes both ways, understanding nothing. No gateway between
// a host and a server can add less than this.
#include <poll.h>

#include <array>
#include <vector>

#include "process.h"

namespace {

// False at the end of the input.
bool copy_some(int from, int to, std::vector<char>& buffer) {
  const ssize_t got = read(from, buffer.data(), buffer.size());
  if (got <= 0) {
    return false;
  }
  bench::write_all(to, {buffer.data(), static_cast<std::size_t>(got)});
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: relay COMMAND [ARGS...]\n", stderr);
    return 2;
  }
  const bench::Child server = bench::spawn(argv + 1);
  std::vector<char> buffer(std::size_t{64} * 1024);
  std::array<pollfd, 2> ends{{{.fd = 0, .events = POLLIN, .revents = 0},
                              {.fd = server.out, .events = POLLIN, .revents = 0}}};
  bool answering = true;
  while (answering) {
    if (poll(ends.data(), ends.size(), -1) < 0) {
      bench::die("poll");
    }
    if (ends[0].revents != 0 && !copy_some(0, server.in, buffer)) {
      close(server.in);
      ends[0].fd = -1;
    }
    if (ends[1].revents != 0) {
      answering = copy_some(server.out, 1, buffer);
    }
  }
  return 0;
}

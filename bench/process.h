// A child process on two pipes, for the benchmark programs. Plain blocking POSIX: what is measured
// must not depend on the product's own code.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace bench {

[[noreturn]] inline void give_up(std::string message) {
  message += '\n';
  std::fputs(message.c_str(), stderr);
  _exit(1);
}

[[noreturn]] inline void die(const char* what) {
  std::perror(what);
  _exit(1);
}

struct Child {
  pid_t pid;
  int in;   // our end of its standard input
  int out;  // our end of its standard output
};

// `command` ends with a null pointer, as execvp wants it.
inline Child spawn(char* const* command) {
  int to[2];
  int from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
    die("pipe");
  }
  posix_spawn_file_actions_t ends;
  posix_spawn_file_actions_init(&ends);
  posix_spawn_file_actions_adddup2(&ends, to[0], 0);
  posix_spawn_file_actions_adddup2(&ends, from[1], 1);
  pid_t pid = 0;
  if (posix_spawnp(&pid, command[0], &ends, nullptr, command, environ) != 0) {
    give_up(std::string("cannot start ") + command[0]);
  }
  posix_spawn_file_actions_destroy(&ends);
  close(to[0]);
  close(from[1]);
  return {.pid = pid, .in = to[1], .out = from[0]};
}

inline void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0) {
      die("write");
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace bench

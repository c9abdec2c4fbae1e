#include "io/process/waiter.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <utility>

#include "base/text.h"
#include "io/files/memory_file.h"
#include "io/process/kernel.h"
#include "io/process/waiter_program.h"
#include "io/process/wake_format.h"

namespace pi_mcp::io {
namespace {

constexpr const char* program_name = "pi-mcp";

void keep_over_exec(int number, bool on) {
  if (number >= 0) {
    (void)::fcntl(number, F_SETFD, on ? 0 : FD_CLOEXEC);
  }
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    all.push_back(text.data());
  }
  all.push_back(nullptr);
  return all;
}

Fd taken(std::int64_t number) {
  if (number <= STDERR_FILENO || ::fcntl(static_cast<int>(number), F_SETFD, FD_CLOEXEC) != 0) {
    return {};
  }
  return Fd(static_cast<int>(number));
}

}  // namespace

DeathTime death_clock() {
  struct timespec time{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

std::string wake_text(const WakeText& wake) {
  std::string text;
  for (const std::int64_t number :
       {wake.control, wake.memory, wake.staging, wake.program, wake.died, wake.died_before}) {
    std::array<char, wake_digits + 1> digits{};
    (void)std::snprintf(
        digits.data(), digits.size(), "%0*lld", wake_digits, static_cast<long long>(number));
    text += (text.empty() ? "" : ",") + std::string(digits.data());
  }
  return text;
}

std::optional<WakeText> parse_wake_text(std::string_view text) {
  WakeText wake;
  const std::vector<std::string_view> parts = text::split(text, ',');
  const std::array<std::int64_t*, wake_numbers> into = {
      &wake.control, &wake.memory, &wake.staging, &wake.program, &wake.died, &wake.died_before};
  if (parts.size() != into.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < into.size(); ++i) {
    const std::string_view part = parts[i];
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), *into.at(i));
    // Also no sign: from_chars takes -0 for a number.
    if (error != std::errc() || end != part.data() + part.size() || part.size() != wake_digits ||
        part.starts_with('-')) {
      return std::nullopt;
    }
  }
  return wake;
}

void become_waiter(const Wait& wait) {
  const Result<Fd> program =
      make_sealed_file(program_name, waiter_program(), MemoryFileUse::program);
  const Fd own = open_own_program();
  if (!program || !own.is_open()) {
    return;
  }
  const WakeText wake{.control = wait.control,
                      .memory = wait.memory,
                      .staging = wait.staging < 0 ? 0 : wait.staging,
                      .program = own.get(),
                      .died = wait.last_death,
                      .died_before = 0};
  std::vector<std::string> arguments = wait.arguments;
  std::vector<std::string> environment = {wake_variable + ("=" + wake_text(wake))};
  for (const auto& [name, value] : *wait.environment) {
    environment.emplace_back(name).append("=").append(value);
  }
  const std::array<int, 4> kept = {wait.control, wait.memory, wait.staging, own.get()};
  for (const int number : kept) {
    keep_over_exec(number, true);
  }
  struct sigaction before{};
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;  // a stderr that nobody reads is no reason to end
  (void)::sigaction(SIGPIPE, &ignore, &before);
  // As `serve` itself: the end of a terminal is not the end of the host.
  (void)std::signal(SIGHUP, SIG_IGN);
  (void)::fexecve(program->get(), pointers(arguments).data(), pointers(environment).data());
  (void)::sigaction(SIGPIPE, &before, nullptr);
  for (const int number : kept) {
    keep_over_exec(number, false);
  }
}

std::optional<Woken> take_woken(std::map<std::string, std::string>& environment) {
  const auto found = environment.find(wake_variable);
  if (found == environment.end()) {
    return std::nullopt;
  }
  const std::optional<WakeText> wake = parse_wake_text(found->second);
  environment.erase(found);
  if (!wake) {
    return std::nullopt;
  }
  Woken woken{.memory = taken(wake->memory),
              .staging = taken(wake->staging),
              .died = wake->died,
              .died_before = wake->died_before};
  if (!has_fixed_size(woken.memory)) {  // not by a waiter of ours
    (void)woken.memory.release();
    (void)woken.staging.release();
    return std::nullopt;
  }
  name_process(program_name);  // executed by a descriptor, it is called like its number
  return woken;
}

}  // namespace pi_mcp::io

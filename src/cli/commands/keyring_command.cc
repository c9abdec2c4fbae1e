// The hidden command __keyring: one question to the keyring of the desktop, in a process that its
// parent kills when there is no answer (auth/keyring.h).
#include <array>
#include <cstdio>
#include <optional>

#include "base/result.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "io/net/secret_service.h"

namespace pi_mcp::cli {
namespace {

constexpr std::string_view named_ending = "-named";

ExitStatus failed(Console& console, const Error& error) {
  console.print(error.message());
  return ExitStatus::unavailable;
}

std::string secret_of_stdin() {
  std::string secret;
  std::array<char, 4096> block{};
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), stdin)) {
    secret.append(block.data(), count);
  }
  return secret;
}

ExitStatus run_verb(Console& console,
                    std::string_view verb,
                    io::SecretKind kind,
                    const std::string& name) {
  if (verb == "find") {
    const Result<std::optional<std::string>> secret = io::find_secret(kind, name);
    if (!secret) {
      return failed(console, secret.error());
    }
    console.print(secret->value_or(""));
    return *secret ? ExitStatus::done : ExitStatus::not_found;
  }
  if (verb == "keep") {
    const Result<void> kept = io::keep_secret(kind, name, secret_of_stdin());
    return kept ? ExitStatus::done : failed(console, kept.error());
  }
  if (verb == "drop") {
    const Result<bool> dropped = io::drop_secret(kind, name);
    if (!dropped) {
      return failed(console, dropped.error());
    }
    return *dropped ? ExitStatus::done : ExitStatus::not_found;
  }
  return ExitStatus::usage;
}

}  // namespace

ExitStatus run_keyring_command(Console& console, const std::vector<std::string>& words) {
  if (words.size() == 3 && words.front() == "find-of") {
    const auto secret = io::find_foreign_secret(words[1], words[2]);
    if (!secret) {
      return failed(console, secret.error());
    }
    console.print(secret->value_or(""));
    return *secret ? ExitStatus::done : ExitStatus::not_found;
  }
  if (words.size() == 1 && words.front() == "names") {
    const Result<std::vector<std::string>> names = io::secret_names();
    if (!names) {
      return failed(console, names.error());
    }
    console.print(text::join(*names, "\n"));
    return ExitStatus::done;
  }
  if (words.size() != 2) {
    return ExitStatus::usage;
  }
  const bool is_named = words.front().ends_with(named_ending);
  const io::SecretKind kind = is_named ? io::SecretKind::named : io::SecretKind::login;
  const std::string_view verb =
      std::string_view(words.front())
          .substr(0, words.front().size() - (is_named ? named_ending.size() : 0));
  return run_verb(console, verb, kind, words.back());
}

}  // namespace pi_mcp::cli

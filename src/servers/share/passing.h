// Variables and folders of PATH that describe only the terminal, window or process a session was
// started from. A server that sessions share does not get them, and they do not part its copies.
// Pure.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace pi_mcp::servers {

using Variables = std::map<std::string, std::string>;

struct PassingVariable {
  constexpr PassingVariable(std::string_view variable,
                            std::string_view reason,
                            std::string_view other = {})
      : name(variable), why(reason), with(other) {}

  std::string_view name;  // with a "*" at its end: all that begin so
  std::string_view why;
  // Counts only where this one is set, which says who has set it; empty: always.
  std::string_view with;
};

std::span<const PassingVariable> passing_variables();

// Null for one that a server may depend on.
const PassingVariable* find_passing(std::string_view name, const Variables& all);

// Where a link leads, or the path itself.
using RealPath = std::function<std::string(const std::string& path)>;

// PATH without the folders that belong to one process; those of fnm by the folder that they stand
// for. `all` says who has started the session.
std::string lasting_path(std::string_view path, const Variables& all, const RealPath& real_path);

// What is left of an environment for a server that is shared.
Variables without_passing(const Variables& all, const RealPath& real_path);

// Whether an environment that was handed over is only the short list that some hosts pass on
// (Codex, those on the SDKs): it lacks what every login has, so what is not in it is not known.
[[nodiscard]] bool is_short_list(const Variables& lasting);
// Says in what language a program words its messages: some hosts hand it on in a short list and
// some do not, so it parts none of those.
[[nodiscard]] bool says_language(std::string_view name);

}  // namespace pi_mcp::servers

// Diagnostics for people: one line on stderr per event, never on stdout (that belongs to the
// protocol) and never with a secret in it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pi_mcp::log {

enum class Level { error, warning, info, debug, off };

// "error", "warning" (or "warn"), "info", "debug", "off"; anything else is nullopt.
std::optional<Level> parse_level(std::string_view text);

// Messages above this level are dropped. Default: warning.
void set_level(Level level);
[[nodiscard]] bool enabled(Level level);

// Where lines go; the default writes "pi-mcp: warning: text" to stderr with one unbuffered write.
// Passing nullptr restores the default. Used by tests and by hosts that show notices themselves.
using Sink = std::function<void(Level, std::string_view)>;
void set_sink(Sink sink);

// Control characters in `text` are replaced, so that a server cannot drive the user's terminal.
void write(Level level, std::string_view text);
inline void error(std::string_view text) {
  write(Level::error, text);
}
inline void warning(std::string_view text) {
  write(Level::warning, text);
}
inline void info(std::string_view text) {
  write(Level::info, text);
}
inline void debug(std::string_view text) {
  write(Level::debug, text);
}

}  // namespace pi_mcp::log

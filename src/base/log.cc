#include "base/log.h"

#include <array>
#include <cstdio>
#include <utility>

#include "base/text.h"

namespace pi_mcp::log {
namespace {

// The first name of a level is the one it is written with.
constexpr std::array<std::pair<Level, std::string_view>, 6> level_names = {
    std::pair(Level::error, "error"),
    std::pair(Level::warning, "warning"),
    std::pair(Level::info, "info"),
    std::pair(Level::debug, "debug"),
    std::pair(Level::off, "off"),
    std::pair(Level::warning, "warn")};

struct State {
  Level level = Level::warning;
  Sink sink;
};

State& state() {
  static State instance;
  return instance;
}

std::string_view name_of(Level level) {
  for (const auto& [known, name] : level_names) {
    if (known == level) {
      return name;
    }
  }
  return "log";
}

}  // namespace

std::optional<Level> parse_level(std::string_view text) {
  for (const auto& [level, name] : level_names) {
    if (name == text) {
      return level;
    }
  }
  return std::nullopt;
}

void set_level(Level level) {
  state().level = level;
}

bool enabled(Level level) {
  return state().level != Level::off && level <= state().level;
}

void set_sink(Sink sink) {
  state().sink = std::move(sink);
}

void write(Level level, std::string_view text) {
  if (!enabled(level)) {
    return;
  }
  const std::string clean = text::printable(text);
  if (state().sink) {
    state().sink(level, clean);
    return;
  }
  std::string line = "pi-mcp: ";
  line += name_of(level);
  line += ": ";
  line += clean;
  line += '\n';
  // A full or closed stderr must not stop the program; there is nowhere left to report it.
  [[maybe_unused]] const auto written = std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace pi_mcp::log

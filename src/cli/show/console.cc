#include "cli/show/console.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/text.h"

namespace pi_mcp::cli {
namespace {

constexpr std::string_view clear_line = "\r\x1b[K";

}  // namespace

Console::Console(const Facts& facts)
    : facts_(facts), output_style_(facts.output_colour), error_style_(facts.error_colour) {
  log::set_sink([this](log::Level level, std::string_view text) { log_line(level, text); });
}

Console::~Console() {
  progress("");
  log::set_sink(nullptr);
}

void Console::print(std::string_view text) {
  progress("");
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && write_errno_ == 0) {
    write_errno_ = errno;
  }
}

void Console::print_foreign(std::string_view text) {
  if (facts_.output_terminal) {
    print(text::printable(text));
  } else {
    print(text);
  }
}

void Console::error(std::string_view message) {
  error_bytes(error_style_.red("pi-mcp: ") + text::printable(message) + "\n");
}

void Console::note(std::string_view message) {
  if (!facts_.quiet) {
    error_bytes("pi-mcp: " + text::printable(message) + "\n");
  }
}

void Console::prompt(std::string_view question) {
  error_bytes(text::printable(question));
}

void Console::progress(std::string_view text) {
  if (!shows_progress() || (text.empty() && progress_.empty())) {
    return;
  }
  progress_ = cut_to_columns(text, facts_.columns > 1 ? facts_.columns - 1 : 1);
  const std::string bytes = std::string(clear_line) + error_style_.dim(progress_);
  (void)std::fwrite(bytes.data(), 1, bytes.size(), stderr);  // nowhere left to report a failure
}

Result<void> Console::finish() {
  progress("");
  if (std::fflush(stdout) != 0 && write_errno_ == 0) {
    write_errno_ = errno;
  }
  if (write_errno_ != 0) {
    return fail(ErrorCode::io,
                "writing the result: " + std::generic_category().message(write_errno_));
  }
  return {};
}

bool Console::reader_is_gone() const {
  return write_errno_ == EPIPE;
}

void Console::log_line(log::Level level, std::string_view text) {
  if (facts_.quiet && level != log::Level::error) {
    return;
  }
  std::string prefix = "pi-mcp: ";
  if (level == log::Level::warning) {
    prefix += error_style_.yellow("warning: ");
  } else if (level == log::Level::error) {
    prefix += error_style_.red("error: ");
  } else {
    prefix += level == log::Level::debug ? "debug: " : "info: ";
  }
  error_bytes(prefix + std::string(text) + "\n");
}

// Text above the progress line, which is drawn again below it.
void Console::error_bytes(std::string_view bytes) {
  const std::string line = std::move(progress_);
  progress_.clear();
  std::string all = line.empty() ? "" : std::string(clear_line);
  all += bytes;
  (void)std::fwrite(all.data(), 1, all.size(), stderr);  // nowhere left to report a failure
  progress(line);
}

}  // namespace pi_mcp::cli

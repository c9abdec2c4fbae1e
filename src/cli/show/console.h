// Everything the commands print: results on stdout, the rest on stderr, and the one line of
// progress that a terminal shows while something takes long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/result.h"
#include "cli/show/style.h"

namespace pi_mcp::cli {

class Console {
 public:
  struct Facts {
    bool input_terminal = false;
    bool output_terminal = false;
    bool error_terminal = false;
    bool error_redraws = false;  // a line there can be replaced
    bool output_colour = false;
    bool error_colour = false;
    bool quiet = false;
    std::size_t columns = 80;
  };

  // Takes over the log, so that its lines and the progress line do not mix; one console at a time.
  explicit Console(const Facts& facts);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  Console(Console&&) = delete;
  Console& operator=(Console&&) = delete;
  ~Console();

  [[nodiscard]] const Style& style() const { return output_style_; }  // of stdout
  [[nodiscard]] std::size_t columns() const { return facts_.columns; }
  // The same for text that nothing but a terminal needs in lines: without end elsewhere.
  [[nodiscard]] std::size_t room() const {
    return facts_.output_terminal ? facts_.columns : std::string::npos;
  }
  [[nodiscard]] bool input_is_terminal() const { return facts_.input_terminal; }
  [[nodiscard]] bool output_is_terminal() const { return facts_.output_terminal; }
  [[nodiscard]] bool shows_progress() const { return facts_.error_redraws && !facts_.quiet; }
  // Whether somebody is there who sees a question and can answer it.
  [[nodiscard]] bool may_ask() const {
    return facts_.input_terminal && facts_.error_terminal && !facts_.quiet;
  }

  // Our own text to stdout.
  void print(std::string_view text);
  // The same, in lines that fit.
  void print_fitted(std::string_view text) { print(fitted(text, room())); }
  // Text of a server to stdout: on a terminal without control sequences.
  void print_foreign(std::string_view text);
  // "pi-mcp: <message>" to stderr; a message may have several lines. Safe for foreign text.
  void error(std::string_view message);
  // error(), unless quiet.
  void note(std::string_view message);

  // A question on stderr, without a line's end; quiet or not. Safe for foreign text.
  void prompt(std::string_view question);

  // Replaces the progress line; "" removes it. Does nothing unless shows_progress().
  void progress(std::string_view text);

  // Hands over what is still buffered. io: stdout did not take everything, and why.
  Result<void> finish();
  // Nobody reads stdout any more, as behind `| head`: not worth a message.
  [[nodiscard]] bool reader_is_gone() const;

 private:
  void log_line(log::Level level, std::string_view text);
  void error_bytes(std::string_view bytes);

  Facts facts_;
  Style output_style_;
  Style error_style_;
  std::string progress_;
  int write_errno_ = 0;  // of the first write to stdout that failed
};

}  // namespace pi_mcp::cli

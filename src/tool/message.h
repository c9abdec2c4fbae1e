// What an answer says before it is known who reads it: texts, and next steps as values that each
// reader is told in its own words. What servers wrote in it reaches every reader unchanged.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tool/modes.h"

namespace pi_mcp::tool {

// pi: a model, or a person, inside Pi, where what people do themselves is a word of /mcp and what
// models do is a call.
enum class Reader : std::uint8_t { model, shell, pi };

// What only people do: `enable x` in a shell, `/mcp enable x` in Pi.
struct PersonStep {
  std::string shell;  // behind "pi-mcp "
  std::string pi;     // from the "/" on
};

// What somebody can do next: mcp({ connect: "x" }) for a model, pi-mcp connect x in a shell.
struct NextStep {
  // NOLINTBEGIN(readability-redundant-member-init): a step leaves out what it does not need.
  Mode mode = Mode::status;
  std::string subject = {};  // a server, a tool, a uri or words, as the mode has them; empty: any
  std::string server = {};   // narrows the subject; empty: nothing does
  std::optional<std::size_t> offset = std::nullopt;
  std::string_view args = {};  // an example, for models; empty: none
  bool writes = false;         // by mcp_write
  // NOLINTEND(readability-redundant-member-init)
};
std::string said_to(Reader reader, const NextStep& step);

// The request for the next page: this one again with `offset: 12`, `--offset 12`.
struct NextPage {
  std::size_t offset = 0;
};

class Message {
 public:
  Message() = default;
  // Implicit: a sentence is put together from all of these.
  Message(std::string text) { add(std::move(text)); }
  Message(std::string_view text) : Message(std::string(text)) {}
  Message(const char* text) : Message(std::string(text)) {}
  Message(NextStep step) { pieces_.push_back({.what = std::move(step)}); }
  Message(NextPage page) { pieces_.push_back({.what = page}); }
  Message(PersonStep step) { pieces_.push_back({.what = std::move(step)}); }
  // What only this reader is told; what a model is told, a model in Pi is told, too.
  Message(Reader reader, const Message& text);

  Message& operator+=(const Message& more);
  friend Message operator+(Message message, const Message& more) { return message += more; }

  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  // Printable: what servers, files and people wrote must not command the terminal that shows it.
  [[nodiscard]] std::string said_to(Reader reader) const;

 private:
  struct Piece {
    std::variant<std::string, NextStep, NextPage, PersonStep> what;
    std::optional<Reader> only = std::nullopt;
  };
  void add(std::string text);

  std::vector<Piece> pieces_;
};

}  // namespace pi_mcp::tool

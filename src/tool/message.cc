#include "tool/message.h"

#include <utility>

#include "base/shell_word.h"
#include "base/text.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

std::string_view model_example(Subject subject) {
  return subject == Subject::server ? "\"name\"" : "\"...\"";
}

std::string_view shell_example(Subject subject) {
  switch (subject) {
    case Subject::server:
      return "SERVER";
    case Subject::tool:
      return "TOOL";
    case Subject::uri:
      return "URI";
    case Subject::words:
      return "WORDS";
    case Subject::nothing:
      break;
  }
  return "";
}

std::string for_model(const NextStep& step) {
  const ModeRow& row = row_of(step.mode);
  std::vector<std::string> members;
  const auto add = [&members](std::string_view key, std::string_view value) {
    members.push_back(std::string(key) + ": " + std::string(value));
  };
  if (row.is_action) {
    add("action", quoted(row.name));
  }
  if (!row.key.empty()) {
    add(row.key, step.subject.empty() ? model_example(row.subject) : quoted(step.subject));
  } else if (!step.subject.empty()) {
    add("server", quoted(step.subject));
  }
  if (!step.server.empty()) {
    add("server", quoted(step.server));
  }
  if (!step.args.empty()) {
    add("args", step.args);
  }
  if (step.offset) {
    add("offset", std::to_string(*step.offset));
  }
  const std::string inside = members.empty() ? "" : " " + text::join(members, ", ") + " ";
  return (step.writes ? "mcp_write({" : "mcp({") + inside + "})";
}

std::string for_shell(const NextStep& step) {
  const ModeRow& row = row_of(step.mode);
  const std::string subject = step.subject.empty() ? std::string(shell_example(row.subject))
                                                   : text::shell_word(echoed(step.subject));
  std::string command = "pi-mcp " + text::replace_all(row.command, "{}", subject);
  command += step.server.empty() ? "" : " --server " + text::shell_word(echoed(step.server));
  command += step.offset ? " --offset " + std::to_string(*step.offset) : "";
  return command;
}

}  // namespace

std::string said_to(Reader reader, const NextStep& step) {
  return reader == Reader::shell ? for_shell(step) : for_model(step);
}

Message::Message(Reader reader, const Message& text) : pieces_(text.pieces_) {
  for (Piece& piece : pieces_) {
    piece.only = reader;
  }
}

void Message::add(std::string text) {
  if (!text.empty()) {
    pieces_.push_back({.what = std::move(text)});
  }
}

Message& Message::operator+=(const Message& more) {
  pieces_.insert(pieces_.end(), more.pieces_.begin(), more.pieces_.end());
  return *this;
}

std::string Message::said_to(Reader reader) const {
  std::string said;
  for (const Piece& piece : pieces_) {
    const Reader told =
        reader == Reader::pi && piece.only == Reader::model ? Reader::model : reader;
    if (piece.only.value_or(told) != told) {
      continue;
    }
    if (const auto* text = std::get_if<std::string>(&piece.what)) {
      said += *text;
    } else if (const auto* step = std::get_if<NextStep>(&piece.what)) {
      said += tool::said_to(reader, *step);
    } else if (const auto* page = std::get_if<NextPage>(&piece.what)) {
      said += reader == Reader::shell ? "--offset " : "offset: ";
      said += std::to_string(page->offset);
    } else {
      const auto& person = std::get<PersonStep>(piece.what);
      said += reader == Reader::pi ? person.pi : "pi-mcp " + person.shell;
    }
  }
  return text::printable(said);
}

}  // namespace pi_mcp::tool

// What can still be read of a message that is broken or was cut: just enough to tell whose it is.
#include <utility>

#include "base/text.h"
#include "rpc/message.h"

namespace pi_mcp::rpc {
namespace {

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) {
    text.remove_prefix(1);
  }
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Walks the members of a broken object from its first byte. Knows strings and depth, nothing else,
// so that rubbish inside a value does not stop it.
class HeadScan {
 public:
  explicit HeadScan(std::string_view text) : text_(text) {}

  void run() {
    for (; position_ < text_.size(); ++position_) {
      switch (text_[position_]) {
        case '{':
        case '[':
          ++depth_;
          break;
        case '}':
        case ']':
          --depth_;
          break;
        case '"':
          string();
          break;
        default:
          break;
      }
    }
  }

  [[nodiscard]] std::string_view id() const { return id_; }
  [[nodiscard]] bool is_request() const { return is_request_; }

 private:
  // Ends on the closing quote.
  void string() {
    const std::size_t first = position_;
    do {
      position_ += text_[position_] == '\\' ? 2 : 1;
    } while (position_ < text_.size() && text_[position_] != '"');
    if (position_ < text_.size() && depth_ == 1) {
      key(text_.substr(first, position_ + 1 - first));
    }
  }

  void key(std::string_view name) {
    const std::string_view rest = text_.substr(position_ + 1);
    const std::size_t colon = rest.find_first_not_of(" \t\r");
    if (colon == std::string_view::npos || rest[colon] != ':') {
      return;  // a string value
    }
    is_request_ = is_request_ || name == R"("method")";
    if (name == R"("id")" && id_.empty()) {
      id_ = scalar(rest.substr(colon + 1));
    }
  }

  // The integer or string that `text` begins with; empty when it is cut off or something else.
  static std::string_view scalar(std::string_view text) {
    text = text::trim(text);
    if (text.starts_with('"')) {
      const std::size_t close = text.find_first_of("\"\\", 1);
      const bool plain = close != std::string_view::npos && text[close] == '"';
      return plain ? text.substr(0, close + 1) : std::string_view();
    }
    const std::size_t end = text.find_first_of(",} \t\r");
    const std::string_view number = text.substr(0, end);
    return end != std::string_view::npos && is_integer(number) ? number : std::string_view();
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
  std::string_view id_;
  bool is_request_ = false;
};

// Takes tokens off the end of a text.
class TailScan {
 public:
  explicit TailScan(std::string_view text) : text_(text::trim(text)) {}

  bool take(char c) {
    if (!text_.ends_with(c)) {
      return false;
    }
    text_.remove_suffix(1);
    text_ = text::trim(text_);
    return true;
  }

  // A string without escapes, or a word such as 12 or true; empty for anything else.
  std::string_view scalar() {
    std::size_t first = 0;
    if (text_.ends_with('"')) {
      first = text_.size() < 2 ? std::string_view::npos : text_.rfind('"', text_.size() - 2);
      if (first == std::string_view::npos ||
          text_.substr(first).find('\\') != std::string_view::npos) {
        return {};
      }
    } else {
      first = text_.find_last_of(":,{}[]\" \t\r");
      first = first == std::string_view::npos ? 0 : first + 1;
    }
    const std::string_view scalar = text_.substr(first);
    text_ = text::trim(text_.substr(0, first));
    return scalar;
  }

 private:
  std::string_view text_;
};

// The id among the scalar members that close the text. Only believed beside a "jsonrpc" member:
// otherwise the text may be a piece of something else that has an id of its own.
PartialMessage read_end(std::string_view text) {
  TailScan scan(text);
  PartialMessage found;
  bool is_envelope = false;
  bool more = scan.take('}');
  while (more) {
    const std::string_view value = scan.scalar();
    if (value.empty() || !scan.take(':')) {
      break;
    }
    const std::string_view name = scan.scalar();
    is_envelope = is_envelope || name == R"("jsonrpc")";
    found.is_request = found.is_request || name == R"("method")";
    if (name == R"("id")" && (value.starts_with('"') || is_integer(value))) {
      found.id = Id::from_json(value);
    }
    more = scan.take(',');
  }
  return is_envelope ? found : PartialMessage();
}

}  // namespace

PartialMessage read_partial(std::string_view head, std::string_view tail) {
  HeadScan scan(head);
  if (head.starts_with('{')) {
    scan.run();
  }
  PartialMessage found = read_end(tail);
  found.is_request = found.is_request || scan.is_request();
  if (!scan.id().empty()) {
    found.id = Id::from_json(scan.id());
  }
  return found;
}

Id partial_id(std::string_view head, std::string_view tail) {
  PartialMessage found = read_partial(head, tail);
  return found.is_request ? Id() : std::move(found.id);
}

}  // namespace pi_mcp::rpc

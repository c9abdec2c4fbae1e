// The arguments of a call with brackets: JSON without its strictness. Recursive descent; what it
// writes is JSON.
#include <cstddef>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "cli/show/style.h"
#include "cli/words/tool_call.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

constexpr int depth_max = 64;

std::string as_literal(std::string_view word) {
  const Result<json::Document> document = json::Document::parse_view(word);
  const bool is_json = document && !document->root().is_string();
  return is_json ? std::string(document->root().raw()) : json::quoted(word);
}

class BracketReader {
 public:
  explicit BracketReader(std::string_view text) : text_(text) {}

  Result<std::vector<GivenArgument>> read() {
    std::vector<GivenArgument> found;
    for (skip_space(); at_ < text_.size(); skip_space()) {
      Result<GivenArgument> argument = one();
      if (!argument) {
        return fail(argument.error());
      }
      found.push_back(*std::move(argument));
      skip_space();
      if (at_ < text_.size() && !take(',')) {
        return wrong("a comma is missing");
      }
    }
    return found;
  }

 private:
  Result<GivenArgument> one() {
    GivenArgument argument{.key = {}, .form = GivenArgument::Form::json, .value = {}};
    const std::size_t start = at_;
    Result<std::string> key = this->key();
    if (!key) {
      return fail(key.error());
    }
    skip_space();
    const bool has_key =
        !key->empty() && !text_.substr(at_).starts_with("://") && (take(':') || take('='));
    if (has_key) {
      (void)take('=');  // of :=
      argument.key = *std::move(key);
      skip_space();
    } else {
      at_ = start;
    }
    const bool bare = at_ < text_.size() && !is_one_of("{[\"'");
    Result<std::string> value = bare ? word("") : this->value(depth_max);
    if (!value) {
      return fail(value.error());
    }
    argument.value = *std::move(value);
    argument.form = bare ? GivenArgument::Form::literal : GivenArgument::Form::json;
    return argument;
  }

  // Empty when what follows is not one.
  Result<std::string> key() {
    if (is_one_of("\"'")) {
      Result<std::string> json = quoted_text();
      if (!json) {
        return json;
      }
      const Result<json::Document> document = json::Document::parse_view(*json);
      return document ? document->root().as_string().value_or("") : "";
    }
    const std::size_t start = at_;
    while (at_ < text_.size() && ascii::is_alphanumeric_or(text_[at_], "_-.$")) {
      ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }

  Result<std::string> value(int depth) {
    skip_space();
    if (depth == 0) {
      return wrong("the value is nested too deeply");
    }
    if (is_one_of("\"'")) {
      return quoted_text();
    }
    if (take('{')) {
      return object(depth);
    }
    if (take('[')) {
      return array(depth);
    }
    const Result<std::string> bare = word("]}");
    return bare ? Result<std::string>(as_literal(*bare)) : bare;
  }

  Result<std::string> object(int depth) {
    std::string out = "{";
    for (skip_space(); !take('}'); skip_space()) {
      Result<std::string> name = key();
      if (!name) {
        return name;
      }
      skip_space();
      if (name->empty() || !take(':')) {
        return wrong("key: value is expected");
      }
      Result<std::string> member = value(depth - 1);
      if (!member) {
        return member;
      }
      out += (out.size() > 1 ? "," : "") + json::quoted(*name) + ":" + *member;
      skip_space();
      if (!take(',') && !is_one_of("}")) {
        return wrong("a } is missing");
      }
    }
    return out + "}";
  }

  Result<std::string> array(int depth) {
    std::string out = "[";
    for (skip_space(); !take(']'); skip_space()) {
      Result<std::string> element = value(depth - 1);
      if (!element) {
        return element;
      }
      out += (out.size() > 1 ? "," : "") + *element;
      skip_space();
      if (!take(',') && !is_one_of("]")) {
        return wrong("a ] is missing");
      }
    }
    return out + "]";
  }

  // Up to a comma or one of `ends`, outside of brackets of its own: count(*) is one word.
  Result<std::string> word(std::string_view ends) {
    const std::size_t start = at_;
    std::size_t open = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (open == 0 && (c == ',' || ends.find(c) != std::string_view::npos)) {
        break;
      }
      open += c == '(' ? 1 : 0;
      open -= c == ')' && open > 0 ? 1 : 0;
    }
    const std::string_view found = text::trim(text_.substr(start, at_ - start));
    return found.empty() ? wrong("a value is missing") : Result<std::string>(std::string(found));
  }

  // With either quote, as JSON.
  Result<std::string> quoted_text() {
    const char quote = text_[at_];
    std::string json = "\"";
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        const char next = text_[++at_];
        json += next == '\'' ? "'" : std::string{c, next};
      } else if (c == '"') {
        json += "\\\"";
      } else if (c == '\n') {
        json += "\\n";
      } else {
        json += c;
      }
    }
    if (!take(quote)) {
      return wrong("a quote is not closed");
    }
    json += '"';
    const Result<json::Document> document = json::Document::parse_view(json);
    return document ? Result<std::string>(std::move(json))
                    : wrong("the text in quotes is not valid");
  }

  [[nodiscard]] tl::unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorCode::invalid_argument,
                std::string(what) + " in the brackets of the call, at " +
                    (at_ < text_.size() ? quoted(text::cut(text_.substr(at_), 40)) : "their end") +
                    "; write 'tool(key: value, other: \"text\")'");
  }

  void skip_space() {
    while (is_one_of(" \t\r\n")) {
      ++at_;
    }
  }
  [[nodiscard]] bool is_one_of(std::string_view characters) const {
    return at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos;
  }
  bool take(char wanted) {
    const bool is = at_ < text_.size() && text_[at_] == wanted;
    at_ += is ? 1 : 0;
    return is;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<GivenArgument>> arguments_in_brackets(std::string_view text) {
  return BracketReader(text).read();
}

}  // namespace pi_mcp::cli

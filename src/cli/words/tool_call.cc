#include "cli/words/tool_call.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "cli/show/style.h"

namespace pi_mcp::cli {
namespace {

using Form = GivenArgument::Form;

bool is_key(std::string_view word) {
  return !word.empty() && (ascii::is_alphanumeric(word.front()) || word.front() == '_') &&
         std::ranges::all_of(word, [](char c) { return ascii::is_alphanumeric_or(c, "-_.$"); });
}

// A word that can be the name of a tool and is not an argument.
bool is_name(std::string_view word) {
  return !word.empty() && word.front() != '-' && word.find_first_of("=:{[@\" ") == word.npos;
}

CalledTool named_tool(std::span<const std::string> words, const ToolNames& names) {
  const std::string& first = words.front();
  if (words.size() > 1 && is_name(words[1]) && names.is_server(first) &&
      (names.is_tool(first, words[1]) || !names.is_tool("", first))) {
    return {.server = first, .tool = words[1], .words = 2, .in_brackets = {}};
  }
  return names.is_tool("", first) ? CalledTool{.server = {}, .tool = first, .in_brackets = {}}
                                  : divided_tool(first, names);
}

// `word` is what follows key=, or a word after --key.
GivenArgument with_value(std::string key, const std::string& word, bool with_dashes) {
  if (word == "-") {
    return {.key = std::move(key), .form = Form::file, .value = "-", .with_dashes = with_dashes};
  }
  const bool escaped = word.starts_with("@@");
  const bool file = word.size() > 1 && word.front() == '@' && !escaped;
  return {.key = std::move(key),
          .form = file ? Form::file : Form::text,
          .value = word.substr(file || escaped ? 1 : 0),
          .with_dashes = with_dashes};
}

class WordReader {
 public:
  WordReader(std::span<const std::string> words, const Parameters& parameters)
      : words_(words), parameters_(parameters) {}

  Result<std::vector<GivenArgument>> read() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      const std::string_view trimmed = text::trim(word);
      if (trimmed.starts_with('{') || trimmed.starts_with('[')) {
        found_.push_back({.key = {}, .form = Form::object, .value = word});
      } else if (word == "-" || (word.size() > 1 && word.front() == '@')) {
        found_.push_back(
            {.key = {}, .form = Form::object_file, .value = word == "-" ? word : word.substr(1)});
      } else if (word.size() > 2 && word.starts_with("--") && is_key(word.substr(2, 1))) {
        option(word.substr(2));
      } else if (Result<void> taken = pair(word); !taken) {
        return fail(taken.error());
      }
    }
    return std::move(found_);
  }

 private:
  void option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (key == "args" && !parameters_.has(key)) {  // mcporter's spelling of one object
      const std::string* next = next_word();
      found_.push_back({.key = {},
                        .form = Form::object,
                        .value = equals != std::string::npos ? word.substr(equals + 1)
                                 : next != nullptr           ? *next
                                                             : ""});
      at_ += equals == std::string::npos && next != nullptr ? 1 : 0;
      return;
    }
    if (equals != std::string::npos) {
      found_.push_back(with_value(key, word.substr(equals + 1), true));
      return;
    }
    const std::string* next = next_word();
    const bool is_flag = next == nullptr || (next->starts_with("--") && next->size() > 2) ||
                         (parameters_.is_boolean(key) && *next != "true" && *next != "false");
    if (is_flag) {
      found_.push_back({.key = key, .form = Form::option, .value = "true", .with_dashes = true});
      return;
    }
    found_.push_back(with_value(key, *next, true));
    ++at_;
  }

  // key=value, key:=JSON, key:value, or a value alone.
  Result<void> pair(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::size_t colon = word.find(':');
    if (colon != std::string::npos && colon + 1 == equals && colon > 0) {
      found_.push_back(
          {.key = word.substr(0, colon), .form = Form::json, .value = word.substr(equals + 1)});
      return {};
    }
    const std::string before_colon = word.substr(0, colon);
    const bool by_colon =
        colon != std::string::npos && is_key(before_colon) &&
        !word.substr(colon).starts_with("://") &&
        (equals == std::string::npos || (colon < equals && parameters_.has(before_colon)));
    if (by_colon) {
      std::string value = word.substr(colon + 1);
      if (value.empty() && next_word() != nullptr) {
        value = words_[++at_];
      }
      found_.push_back(with_value(before_colon, value, false));
      return {};
    }
    if (equals == 0 || word.empty() || word.starts_with(':')) {
      return fail(
          ErrorCode::invalid_argument,
          quoted(word) + " is not an argument: write key=value, key:=JSON or one JSON object");
    }
    if (equals == std::string::npos || !is_likely_key(word.substr(0, equals))) {
      found_.push_back({.key = {}, .form = Form::text, .value = word});
      return {};
    }
    found_.push_back(with_value(word.substr(0, equals), word.substr(equals + 1), false));
    return {};
  }

  // What stands before a "=": an address may have one too.
  [[nodiscard]] bool is_likely_key(std::string_view key) const {
    return parameters_.has(key) || key.find("://") == key.npos;
  }

  [[nodiscard]] const std::string* next_word() const {
    return at_ + 1 < words_.size() ? &words_[at_ + 1] : nullptr;
  }

  std::span<const std::string> words_;
  const Parameters& parameters_;
  std::size_t at_ = 0;
  std::vector<GivenArgument> found_;
};

}  // namespace

CalledTool divided_tool(const std::string& word, const ToolNames& names) {
  for (std::size_t at = word.find_first_of("./"); at != std::string::npos;
       at = word.find_first_of("./", at + 1)) {
    const std::string server = word.substr(0, at);
    if (at + 1 < word.size() && names.is_server(server)) {
      return {.server = server, .tool = word.substr(at + 1), .in_brackets = {}};
    }
  }
  return {.server = {}, .tool = word, .in_brackets = {}};
}

Result<CalledTool> called_tool(std::span<const std::string> words, const ToolNames& names) {
  const std::size_t second = words.size() > 1 && names.is_server(words.front()) ? 1 : 0;
  for (std::size_t i = 0; i <= second; ++i) {
    const std::size_t bracket = words[i].find('(');
    if (bracket == 0 || bracket == std::string::npos || !is_name(words[i].substr(0, bracket))) {
      continue;
    }
    std::vector<std::string> name(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i));
    name.push_back(words[i].substr(0, bracket));
    CalledTool called = named_tool(name, names);
    const std::string all =
        text::join({words.begin() + static_cast<std::ptrdiff_t>(i), words.end()}, " ");
    const std::string_view inside = text::trim(std::string_view(all).substr(bracket + 1));
    if (!inside.ends_with(')')) {
      return fail(ErrorCode::invalid_argument,
                  "the ( of the call is not closed: write '" + called.tool +
                      "(key: value)', in quotes for the shell");
    }
    called.in_brackets = inside.substr(0, inside.size() - 1);
    called.has_brackets = true;
    called.words = words.size();
    return called;
  }
  return named_tool(words, names);
}

Result<std::vector<GivenArgument>> given_arguments(std::span<const std::string> words,
                                                   const Parameters& parameters) {
  return WordReader(words, parameters).read();
}

bool reads_stdin(std::span<const std::string> words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "-" || (word.ends_with("-") && word.find_first_of("=:") + 2 == word.size());
  });
}

}  // namespace pi_mcp::cli

#include "secrets/message.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"
#include "base/text.h"
#include "json/writer.h"
#include "secrets/mask.h"

namespace pi_mcp::secrets {
namespace {

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// Names that are never harmless; of those that mask.h knows beside them are `key` and `session`.
bool is_plainly_secret(std::string_view name) {
  constexpr std::array<std::string_view, 9> parts = {"token",
                                                     "secret",
                                                     "passw",
                                                     "passphrase",
                                                     "apikey",
                                                     "accesskey",
                                                     "privatekey",
                                                     "credential",
                                                     "authorization"};
  std::string plain;
  for (const char c : text::lower(name)) {
    plain += ascii::is_alphanumeric_or(c, "") ? std::string(1, c) : std::string();
  }
  return std::ranges::any_of(
      parts, [&plain](std::string_view part) { return plain.find(part) != std::string::npos; });
}

bool could_be_token(std::string_view text) {
  constexpr std::size_t bytes_min = 16;
  return text.size() >= bytes_min ||
         (text.size() >= secret_bytes_min && std::ranges::any_of(text, ascii::is_digit));
}

bool is_name_of_variable(std::string_view text) {
  return text.find('_') != std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return ascii::is_upper(c) || c == '_'; });
}

// Whether a value of this name is hidden.
bool hides(std::string_view name, std::string_view value) {
  return is_secret_name(name) && value.size() >= secret_bytes_min && !is_name_of_variable(value) &&
         (is_plainly_secret(name) || could_be_token(value));
}

bool is_between_words(char c) {
  return std::string_view(" \t\r\n\v\f\"'`()<>[]{},;|\\").find(c) != std::string_view::npos;
}

// A sentence, or any other text that is no JSON, word by word.
class Prose {
 public:
  std::string run(std::string_view text) && {
    while (!text.empty()) {
      const auto end = std::ranges::find_if(text, is_between_words);
      const auto size = static_cast<std::size_t>(end - text.begin());
      take(text.substr(0, size));
      text.remove_prefix(size);
      if (!text.empty()) {
        out_ += text.front();
        text.remove_prefix(1);
      }
    }
    return std::move(out_);
  }

 private:
  void take(std::string_view word) {
    if (word.empty()) {
      return;
    }
    const std::size_t mark = word.find_first_of("=:");
    const bool is_url = word.find("://") != std::string_view::npos;
    const std::string_view name = is_url ? std::string_view() : word.substr(0, mark);
    const std::string_view value =
        is_url || mark == std::string_view::npos ? std::string_view() : word.substr(mark + 1);
    const bool is_sign = word == ":" || word == "=";
    const bool is_assigned = !value.empty() && !looks_like_secret(name) && hides(name, value);
    const bool is_whole = !is_assigned && (looks_like_secret(word) || (expects(word) && !is_sign));
    if (is_url) {
      out_ += mask_url(word);
    } else if (is_whole) {
      out_ += masked;
    } else if (is_assigned || looks_like_secret(value)) {
      out_ += std::string(word.substr(0, mark + 1)) + std::string(masked);
    } else {
      out_ += word;
    }
    const bool is_scheme = text::lower(word) == "bearer" || text::lower(word) == "basic";
    scheme_ = is_scheme;
    if (is_sign) {
      assigned_ = true;  // to the name before
    } else if (!is_scheme || !assigned_) {
      name_ = std::string(name);
      // Of a command line that somebody logs, "--token" is followed by its value.
      assigned_ = mark == std::string_view::npos ? word.starts_with("--") : value.empty();
    }
  }

  // Whether what stands before announces a secret.
  [[nodiscard]] bool expects(std::string_view word) const {
    const bool is_scheme = text::lower(word) == "bearer" || text::lower(word) == "basic";
    // Behind "Authorization: Bearer" nothing else can stand.
    return !is_scheme &&
           ((scheme_ && (assigned_ || could_be_token(word))) || (assigned_ && hides(name_, word)));
  }

  std::string out_;
  std::string name_;       // of the word before, or of what is assigned
  bool assigned_ = false;  // "name:" or "name =" stands before
  bool scheme_ = false;    // "Bearer" does
};

class MessageMask {
 public:
  explicit MessageMask(const Secrets& known) : known_(known) {}

  // NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
  [[nodiscard]] std::string value(std::string_view name, json::Value value) const {
    if (value.is_object()) {
      return object(value);
    }
    if (value.is_array()) {
      json::Writer out;
      out.begin_array();
      for (const json::Value element : value.elements()) {
        out.raw(this->value(name, element));
      }
      return out.end_array().take();
    }
    if (value.is_string()) {
      const std::string text = value.string_or("");
      const std::string hidden = hides(name, text) ? std::string(masked) : this->text(text);
      return hidden == text ? std::string(value.raw()) : json::quoted(hidden);
    }
    const bool is_code = value.is(json::Kind::number) && is_secret_name(name) &&
                         value.raw().size() >= secret_bytes_min &&
                         !text::lower(name).ends_with("tokens");
    return is_code ? "0" : std::string(value.raw());
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): see value()
  [[nodiscard]] std::string object(json::Value object) const {
    constexpr std::array<std::string_view, 5> of_protocol = {
        "progressToken", "cursor", "nextCursor", "taskId", "mimeType"};
    const bool is_content = object.find("mimeType").exists();
    json::Writer out;
    out.begin_object();
    for (const json::Member member : object.members()) {
      const std::string name = member.name();
      const bool kept =
          is_one_of(of_protocol, name) || (is_content && (name == "data" || name == "blob"));
      out.member_raw(looks_like_secret(name) ? masked : text_of_name(name),
                     kept ? std::string(member.value.raw()) : value(name, member.value));
    }
    return out.end_object().take();
  }

  [[nodiscard]] std::string text_of_name(const std::string& name) const {
    return known_.hidden_in(name);
  }

  // NOLINTNEXTLINE(misc-no-recursion): every call gets a shorter text.
  [[nodiscard]] std::string text(const std::string& text) const {
    const std::string hidden = known_.hidden_in(text);
    const std::string_view inside = text::trim(hidden);
    if (inside.starts_with('{') || inside.starts_with('[')) {
      if (const Result<json::Document> document = json::Document::parse_view(inside)) {
        const std::string plain = json::compact(document->root());
        const std::string masked_json = value("", document->root());
        return masked_json == plain ? hidden : masked_json;
      }
    }
    return Prose().run(hidden);
  }

  const Secrets& known_;
};

}  // namespace

std::string mask_message(json::Value message, const Secrets& known) {
  const MessageMask mask(known);
  json::Writer out;
  out.begin_object();
  for (const json::Member member : message.members()) {
    const std::string name = member.name();
    const bool is_body = name == "params" || name == "result" || name == "error";
    out.member_raw(name, is_body ? mask.value("", member.value) : json::compact(member.value));
  }
  return out.end_object().take();
}

std::string mask_prose(std::string_view text) {
  return Prose().run(text);
}

}  // namespace pi_mcp::secrets

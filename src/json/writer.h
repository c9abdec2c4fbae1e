// Writes JSON by appending to one string. Commas are put by the writer; balance is the caller's.
// Pure: no I/O, no clock.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/document.h"

namespace pi_mcp::json {

// Appends `text` as a JSON string with quotes. Invalid UTF-8 is replaced by U+FFFD, so the output
// is always valid JSON.
void append_quoted(std::string& out, std::string_view text);
std::string quoted(std::string_view text);

class Writer {
 public:
  Writer& begin_object() { return open('{'); }
  Writer& end_object() { return close('}'); }
  Writer& begin_array() { return open('['); }
  Writer& end_array() { return close(']'); }
  Writer& key(std::string_view name);

  Writer& string(std::string_view text);
  Writer& number(std::int64_t value);
  // Shortest text that reads back as the same double; null for NaN and infinities.
  Writer& number(double value);
  Writer& boolean(bool value) { return literal(value ? "true" : "false"); }
  Writer& null() { return literal("null"); }
  // `json` must be one complete JSON value; it is not checked.
  Writer& raw(std::string_view json) { return literal(json); }

  // key(name) and the value, by its type.
  Writer& member(std::string_view name, std::string_view value) { return key(name).string(value); }
  Writer& member(std::string_view name, const char* value) { return key(name).string(value); }
  Writer& member(std::string_view name, bool value) { return key(name).boolean(value); }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Writer& member(std::string_view name, T value) {
    return key(name).number(static_cast<std::int64_t>(value));
  }
  Writer& member_raw(std::string_view name, std::string_view json) { return key(name).raw(json); }

  // About so many bytes will be written.
  void reserve(std::size_t bytes) { out_.reserve(bytes); }

  [[nodiscard]] const std::string& text() const { return out_; }
  // Empties the writer.
  std::string take();

 private:
  Writer& open(char bracket);
  Writer& close(char bracket);
  Writer& literal(std::string_view text);
  void separate();

  std::string out_;
  bool comma_due_ = false;
};

// The value with each child on a line of its own, tokens as they were written. `line` is what
// starts a line at the value's own level, its line end and indentation; children get `unit` more.
std::string laid_out(Value value, const std::string& line, std::string_view unit);

// The value with line feeds and `indent` spaces a level, numbers and strings as they were written.
std::string pretty(Value value, std::size_t indent = 2);

// The value without any white space between tokens, tokens as they were written.
std::string compact(Value value);

}  // namespace pi_mcp::json

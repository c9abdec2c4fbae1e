// Reads JSON without copying it: a Document is a list of 16-byte nodes over the original bytes, and
// a Value is a position in that list. Numbers, key order, duplicate keys and lone surrogate escapes
// stay exactly as they were written, so any part can be passed on unchanged (docs/decisions/0001).
// Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_text.h"

namespace pi_mcp::json {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

// What a person calls it: "null", "boolean", "number", "string", "array", "object".
std::string_view kind_name(Kind kind);
// The same with its article: "null", "a boolean", "an array".
std::string kind_text(Kind kind);

// jsonc also allows // and /* */ comments, and a comma before a closing bracket.
enum class Syntax : std::uint8_t { strict, jsonc };

struct ParseOptions {
  Syntax syntax = Syntax::strict;
  // Nested arrays and objects. RFC 8259 section 9 lets an implementation limit depth.
  std::uint32_t depth_max = 512;
  // Positions are 32 bits wide, so this must stay under 4 GiB.
  std::size_t bytes_max = std::size_t{1} << 30U;
};

// One JSON value, or for an array or object its head. Children follow at once; `next` is the index
// behind the whole subtree. Only Document and Value look inside.
struct Node {
  std::uint32_t offset;  // of the first byte; behind the opening quote for a string
  std::uint32_t length;  // in bytes; without the quotes for a string
  std::uint32_t next;
  Kind kind;
  bool escaped;  // a string that contains a backslash
};

class Elements;
class Members;

// A value inside a Document, or absent. Every accessor of an absent value answers "no": find()
// gives an absent value again, ranges are empty. Valid while its Document lives, also after a move.
class Value {
 public:
  Value() = default;

  [[nodiscard]] bool exists() const { return nodes_ != nullptr; }
  explicit operator bool() const { return exists(); }

  // Kind::null for an absent value.
  [[nodiscard]] Kind kind() const;
  [[nodiscard]] bool is(Kind kind) const { return exists() && this->kind() == kind; }
  [[nodiscard]] bool is_object() const { return is(Kind::object); }
  [[nodiscard]] bool is_array() const { return is(Kind::array); }
  [[nodiscard]] bool is_string() const { return is(Kind::string); }

  // The exact bytes, quotes included. Empty for an absent value.
  [[nodiscard]] std::string_view raw() const;
  // Where the first byte of raw() is in the document's text.
  [[nodiscard]] std::size_t offset() const;

  // A string with its escapes decoded; a lone surrogate becomes U+FFFD.
  [[nodiscard]] std::optional<std::string> as_string() const;
  // as_string(), or `fallback` for anything that is not a string.
  [[nodiscard]] std::string string_or(std::string_view fallback) const;
  // The inside of a string that has no escapes, as it was written; nullopt for anything else.
  [[nodiscard]] std::optional<std::string_view> unescaped() const;
  // True for a string that decodes to `text`; does not allocate for strings without escapes.
  [[nodiscard]] bool equals(std::string_view text) const;
  [[nodiscard]] std::optional<bool> as_bool() const;
  [[nodiscard]] bool bool_or(bool fallback) const { return as_bool().value_or(fallback); }
  // A number without fraction that fits: 7, -0, 7.0 and 7e2 do; 7.5, 1e400 and "7" do not.
  [[nodiscard]] std::optional<std::int64_t> as_int() const;
  // Any number; nullopt when it is outside the range of a double.
  [[nodiscard]] std::optional<double> as_double() const;

  // Number of elements or members; 0 for anything else. Takes linear time.
  [[nodiscard]] std::size_t size() const;
  // Member of an object by its decoded name; the last one wins, as in JavaScript. Linear time.
  [[nodiscard]] Value find(std::string_view name) const;
  // find() along a path of member names.
  [[nodiscard]] Value at(std::initializer_list<std::string_view> path) const;
  // Element of an array. Linear time.
  [[nodiscard]] Value element(std::size_t index) const;

  [[nodiscard]] Elements elements() const;  // of an array
  [[nodiscard]] Members members() const;    // of an object, in document order, duplicates included
  // The members() of an object; the elements of an array, without keys.
  [[nodiscard]] Members children() const;

 private:
  friend class Document;
  friend class Elements;
  friend class Members;
  Value(const char* text, const Node* nodes, std::uint32_t index)
      : text_(text), nodes_(nodes), index_(index) {}
  [[nodiscard]] const Node& node() const { return nodes_[index_]; }

  const char* text_ = nullptr;
  const Node* nodes_ = nullptr;
  std::uint32_t index_ = 0;
};

struct Member {
  Value key;  // a string; absent for an element
  Value value;
  [[nodiscard]] std::string name() const { return key.string_or(""); }
};

class Elements {
 public:
  class Iterator {
   public:
    Value operator*() const { return value_; }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return value_.index_ != other.value_.index_; }

   private:
    friend class Elements;
    explicit Iterator(Value value) : value_(value) {}
    Value value_;
  };
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;

 private:
  friend class Value;
  explicit Elements(Value array) : array_(array) {}
  Value array_;
};

class Members {
 public:
  class Iterator {
   public:
    Member operator*() const;
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return at_.index_ != other.at_.index_; }

   private:
    friend class Members;
    Iterator(Value at, std::uint32_t keys) : at_(at), keys_(keys) {}
    Value at_;            // the key, or the element
    std::uint32_t keys_;  // nodes before a value: 1 in an object
  };
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;

 private:
  friend class Value;
  explicit Members(Value container) : container_(container) {}
  Value container_;
};

class Document {
 public:
  // An empty document: root() is absent.
  Document() = default;

  // invalid_argument names line, column (both from 1, columns in bytes) and reason. The whole text
  // must be one value, UTF-8 is checked, white space around it is allowed.
  static Result<Document> parse(SharedText text, ParseOptions options = {});
  static Result<Document> parse(std::string text, ParseOptions options = {}) {
    return parse(SharedText(std::move(text)), options);
  }
  // The caller keeps the bytes alive as long as the Document and everything share()d from it.
  static Result<Document> parse_view(std::string_view text, ParseOptions options = {}) {
    return parse(SharedText(nullptr, text), options);
  }
  // Becomes the document of another text, as parse_view() would make it, in the memory of the one
  // before, whose values are no longer valid. After an error it is an empty document.
  Result<void> assign_view(std::string_view text, ParseOptions options = {}) {
    return assign(SharedText(nullptr, text), options);
  }

  [[nodiscard]] Value root() const;
  [[nodiscard]] std::string_view text() const { return text_.view(); }
  // The bytes of a value of this document, kept alive by the result. Empty for an absent value.
  [[nodiscard]] SharedText share(Value value) const;

 private:
  Result<void> assign(SharedText text, ParseOptions options);

  SharedText text_;
  std::vector<Node> nodes_;
};

inline Kind Value::kind() const {
  return exists() ? node().kind : Kind::null;
}

inline std::size_t Value::offset() const {
  if (!exists()) {
    return 0;
  }
  return node().kind == Kind::string ? node().offset - 1 : node().offset;
}

inline std::string_view Value::raw() const {
  if (!exists()) {
    return {};
  }
  const std::size_t quotes = node().kind == Kind::string ? 2 : 0;
  return {text_ + offset(), node().length + quotes};
}

inline std::optional<std::string_view> Value::unescaped() const {
  return is_string() && !node().escaped
             ? std::optional(std::string_view(text_ + node().offset, node().length))
             : std::nullopt;
}

inline Elements Value::elements() const {
  return Elements(is_array() ? *this : Value());
}

inline Members Value::members() const {
  return Members(is_object() ? *this : Value());
}

inline Members Value::children() const {
  return Members(is_object() || is_array() ? *this : Value());
}

inline Elements::Iterator Elements::begin() const {
  return array_ ? Iterator(Value(array_.text_, array_.nodes_, array_.index_ + 1)) : Iterator({});
}

inline Elements::Iterator Elements::end() const {
  return array_ ? Iterator(Value(array_.text_, array_.nodes_, array_.node().next)) : Iterator({});
}

inline Elements::Iterator& Elements::Iterator::operator++() {
  value_.index_ = value_.node().next;
  return *this;
}

inline Members::Iterator Members::begin() const {
  return container_ ? Iterator(Value(container_.text_, container_.nodes_, container_.index_ + 1),
                               container_.is_object() ? 1 : 0)
                    : Iterator({}, 0);
}

inline Members::Iterator Members::end() const {
  return container_
             ? Iterator(Value(container_.text_, container_.nodes_, container_.node().next), 0)
             : Iterator({}, 0);
}

inline Member Members::Iterator::operator*() const {
  return {.key = keys_ == 0 ? Value() : at_,
          .value = Value(at_.text_, at_.nodes_, at_.index_ + keys_)};
}

inline Members::Iterator& Members::Iterator::operator++() {
  at_.index_ = at_.nodes_[at_.index_ + keys_].next;
  return *this;
}

// "line 3, column 7" of a byte offset; both count from 1.
std::string position_text(std::string_view text, std::size_t offset);

// Behind the comment at `offset`; `offset` itself when there is none, or it does not end. The line
// end behind a line comment is not part of it.
std::size_t behind_comment(std::string_view text, std::size_t offset);

}  // namespace pi_mcp::json

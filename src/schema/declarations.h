// Schemas as TypeScript declarations that a compiler takes. typescript_shape() is for a reader and
// gives up where a type is not exact; here a type is never narrower than its schema, and what
// TypeScript cannot say becomes wider. Bounded in size and depth. Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace pi_mcp::schema {

// "GetSum" of "get-sum"; letters and digits of ASCII alone.
std::string pascal_case(std::string_view words);
// The name of a member: as it is, or as a string.
std::string member_name(std::string_view name);
// A string literal without a character that a reader would not see.
std::string string_literal(std::string_view text);
// A comment in front of what stands in a line that begins with `indent` spaces, with its line feed;
// empty when there is nothing to say. `tags`: lines such as "@default 1".
std::string doc_comment(std::string_view text,
                        const std::vector<std::string>& tags,
                        std::size_t indent);

class Declarations {
 public:
  // `taken` are names that stand in the file already.
  explicit Declarations(std::set<std::string> taken) : names_(std::move(taken)) {}

  // `wanted`, or with a number when that is taken.
  std::string take_name(const std::string& wanted);
  // Declares a type under `name`, which was taken before, and one for each definition it refers to.
  void declare(const std::string& name, json::Value schema);

  // "export type X = ...;\n\n" each.
  [[nodiscard]] const std::string& text() const { return text_; }
  // What became `unknown` because of a limit: "BigInput: deeper than 24 levels".
  [[nodiscard]] const std::vector<std::string>& cuts() const { return cuts_; }

 private:
  std::set<std::string> names_;
  std::string text_;
  std::vector<std::string> cuts_;
};

}  // namespace pi_mcp::schema

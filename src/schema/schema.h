// JSON Schema draft-07 and 2020-12: compiled once, then checked against many values. Lenient where
// a server may know better than we do: an unknown dialect, an unknown keyword, a reference that
// leads nowhere, a pattern RE2 cannot read or a limit reached never makes a value invalid. `format`
// and `content*` are annotations. Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/document.h"

namespace pi_mcp::schema {

// 2019-09 is read as 2020-12 without $recursiveRef; draft-06 and draft-04 as draft-07. Items given
// as an array, additionalItems, definitions and dependencies work in every dialect.
enum class Dialect : std::uint8_t { draft7, draft2020_12 };

// A schema that others may refer to by `uri`.
struct NamedSchema {
  std::string uri;
  json::Value schema;
};

struct CompileOptions {
  // For a schema without $schema.
  Dialect dialect_default = Dialect::draft2020_12;
  // Copied when needed. Nothing is ever fetched: a $ref to any other document accepts everything.
  std::vector<NamedSchema> documents;
};

// One reason why a value does not fit.
struct Violation {
  // A JSON pointer without the leading slash: "filter/tags/0"; empty for the whole value. For a
  // missing property the path it should have.
  std::string path;
  std::string_view keyword;  // that said so: "type", "required"; "false" for a schema that is false
  std::string reason;        // "required, missing", "expected integer, got string"

  // "filter/tags/0: expected string, got null"; only the reason when the path is empty.
  [[nodiscard]] std::string text() const;
};

struct CheckLimits {
  std::size_t violations_max = 8;
  // Subschemas visited, members looked at, cache lines of text compared. A million take about
  // 0.1 s, and real arguments need a few hundred. Beyond it the value counts as valid.
  std::uint64_t steps_max = 1'000'000;
};

struct Program;

// Immutable, cheap to copy, self-contained: the Document it was compiled from may go. Safe to use
// from several threads. A default-constructed Schema accepts everything.
class Schema {
 public:
  Schema() = default;

  // invalid_argument when `schema` is absent or neither an object nor a boolean. Takes linear time;
  // a schema with more than 20,000 subschemas is enforced only in part.
  static Result<Schema> compile(json::Value schema, const CompileOptions& options = {});

  // Empty when the value fits. An absent value fits everything.
  [[nodiscard]] std::vector<Violation> check(json::Value instance, CheckLimits limits = {}) const;

  // Members of an object of which no part of the schema speaks, where the schema lists properties
  // and does not say whether there may be others; empty where it says so, or where what may list
  // others does not fit. JSON Schema allows them, but most servers drop them without a word.
  [[nodiscard]] std::vector<Violation> unlisted(json::Value object) const;

 private:
  std::shared_ptr<const Program> program_;
};

}  // namespace pi_mcp::schema

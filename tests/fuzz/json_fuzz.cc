// Our JSON reader against two others: what it accepts and they refuse must be one of the liberties
// that docs/decisions/0001-json-reader.md lists, and what all accept must mean the same.
#include <simdjson.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "json/document.h"
#include "json/writer.h"

namespace {

using pi_mcp::json::Document;
using pi_mcp::json::Kind;
using pi_mcp::json::ParseOptions;
using pi_mcp::json::Syntax;
using pi_mcp::json::Value;

// Below every reader's own limit, so that depth is never what they disagree about.
constexpr std::size_t brackets_max = 400;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// A liberty we take and the other readers do not: numbers of any size, lone surrogate escapes.
bool takes_liberty(Value value) {
  switch (value.kind()) {
    case Kind::null:
    case Kind::boolean:
      return false;
    case Kind::number: {
      const bool whole = value.raw().find_first_of(".eE") == std::string_view::npos;
      return (whole && !value.as_int()) || !value.as_double();
    }
    case Kind::string:
      return value.string_or("").find("\xEF\xBF\xBD") != std::string::npos;
    case Kind::array:
      for (const Value element : value.elements()) {
        if (takes_liberty(element)) {
          return true;
        }
      }
      return false;
    case Kind::object:
      for (const auto member : value.members()) {
        if (takes_liberty(member.key) || takes_liberty(member.value)) {
          return true;
        }
      }
      return false;
  }
  return false;
}

void require_same(Value ours, simdjson::dom::element theirs);

void require_same_array(Value ours, simdjson::dom::array theirs) {
  std::size_t index = 0;
  for (const simdjson::dom::element element : theirs) {
    require_same(ours.element(index), element);
    ++index;
  }
  require(ours.size() == index);
}

void require_same_object(Value ours, simdjson::dom::object theirs) {
  auto member = ours.members().begin();
  for (const simdjson::dom::key_value_pair pair : theirs) {
    require(member != ours.members().end());
    require((*member).name() == pair.key);
    require_same((*member).value, pair.value);
    ++member;
  }
  require(!(member != ours.members().end()));
}

void require_same(Value ours, simdjson::dom::element theirs) {
  switch (theirs.type()) {
    case simdjson::dom::element_type::NULL_VALUE:
      return require(ours.is(Kind::null));
    case simdjson::dom::element_type::BOOL:
      return require(ours.as_bool() == bool{theirs});
    case simdjson::dom::element_type::STRING:
      return require(ours.as_string() == std::string_view{theirs});
    case simdjson::dom::element_type::INT64:
      return require(ours.as_int() == std::int64_t{theirs});
    case simdjson::dom::element_type::UINT64:
    case simdjson::dom::element_type::DOUBLE:
      return require(ours.as_double() == double{theirs});
    case simdjson::dom::element_type::ARRAY:
      return require_same_array(ours, theirs);
    case simdjson::dom::element_type::OBJECT:
      return require_same_object(ours, theirs);
  }
}

void compare_with_others(const std::string& text, const pi_mcp::Result<Document>& ours) {
  const bool nlohmann_accepts = nlohmann::json::accept(text);
  simdjson::dom::parser parser;
  simdjson::dom::element theirs;
  const bool simdjson_accepts = parser.parse(text).get(theirs) == simdjson::SUCCESS;
  if (!ours) {
    require(!simdjson_accepts);
    // nlohmann skips a byte order mark and takes a zero byte for the end.
    const bool begins_with_mark = text.starts_with("\xEF\xBB\xBF");
    require(!nlohmann_accepts || begins_with_mark || text.find('\0') != std::string::npos);
    return;
  }
  if (simdjson_accepts) {
    require_same(ours->root(), theirs);
  }
  require((simdjson_accepts && nlohmann_accepts) || takes_liberty(ours->root()));
}

// Laid out anew, a document says the same, and both layouts are stable.
void require_round_trip(Value root) {
  const std::string compact = pi_mcp::json::compact(root);
  const auto from_pretty = Document::parse(pi_mcp::json::pretty(root));
  require(from_pretty && pi_mcp::json::compact(from_pretty->root()) == compact);
  const auto from_compact = Document::parse(compact);
  require(from_compact && pi_mcp::json::compact(from_compact->root()) == compact);
  if (const auto decoded = root.as_string()) {
    const auto requoted = Document::parse(pi_mcp::json::quoted(*decoded));
    require(requoted && requoted->root().as_string() == decoded);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::size_t brackets = 0;
  for (const char c : text) {
    brackets += c == '[' || c == '{' ? 1 : 0;
  }
  const auto strict = Document::parse(text);
  if (brackets < brackets_max) {
    compare_with_others(text, strict);
  }
  if (strict) {
    require_round_trip(strict->root());
  }
  const auto jsonc = Document::parse(text, ParseOptions{.syntax = Syntax::jsonc});
  require(jsonc || !strict);
  if (jsonc) {
    require_round_trip(jsonc->root());
  }
  return 0;
}

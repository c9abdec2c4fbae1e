// A schema that a hostile server may have sent, and arguments for it. The first line is the schema,
// the rest the arguments. Nothing hangs, answers are the same each time, what is sent after a
// repair fits, and the renderings keep their limits.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "json/document.h"
#include "schema/arguments.h"
#include "schema/render.h"
#include "schema/schema.h"

namespace {

using pi_mcp::Result;
using pi_mcp::SharedText;
using pi_mcp::json::Document;
using pi_mcp::json::Value;
using pi_mcp::schema::CheckLimits;
using pi_mcp::schema::Schema;
using pi_mcp::schema::Violation;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void render(Value schema) {
  constexpr std::size_t lines_max = 33U << 10U;
  constexpr std::size_t shape_max = 16U << 10U;
  const std::string lines = pi_mcp::schema::render_parameters(schema, "  ");
  require(!lines.empty() && lines.size() <= lines_max && pi_mcp::text::is_valid_utf8(lines));
  if (const std::optional<std::string> shape = pi_mcp::schema::typescript_shape(schema)) {
    require(!shape->empty() && shape->size() <= shape_max);
  }
}

void check(const Schema& schema, const Document& arguments) {
  constexpr CheckLimits limits = {.violations_max = 3, .steps_max = 20'000};
  const std::vector<Violation> first = schema.check(arguments.root(), limits);
  const std::vector<Violation> second = schema.check(arguments.root(), limits);
  require(first.size() <= limits.violations_max && first.size() == second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    require(first[i].text() == second[i].text() && !first[i].reason.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const Result<Document> schema_text = Document::parse(std::string(text.substr(0, line_end)));
  if (!schema_text) {
    return 0;
  }
  render(schema_text->root());
  const Result<Schema> schema = Schema::compile(schema_text->root());
  const Result<Document> arguments =
      Document::parse(std::string(text.substr(std::min(line_end + 1, text.size()))));
  if (!schema || !arguments) {
    return 0;
  }
  check(*schema, *arguments);
  const Result<SharedText> sent =
      check_arguments(*schema, arguments->share(arguments->root()), arguments->root());
  if (sent) {
    const Result<Document> again = Document::parse(*sent);
    require(again && schema->check(again->root()).empty());
  }
  return 0;
}

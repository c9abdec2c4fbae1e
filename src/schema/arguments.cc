#include "schema/arguments.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "schema/wording.h"

namespace pi_mcp::schema {
namespace {

constexpr std::size_t violations_listed_max = 5;
// More than are listed, so that "fewer than before" can be seen.
constexpr std::size_t violations_counted_max = 64;
// A model that writes this many properties as strings needs to be told, not helped.
constexpr std::size_t repairs_max = 16;

using Violations = std::vector<Violation>;

Violations violations_of(const Schema& schema, json::Value arguments) {
  return schema.check(arguments, {.violations_max = violations_counted_max});
}

// Whether the property itself, not something inside it, has a form that is not allowed.
bool has_wrong_form(const Violations& violations, std::string_view property) {
  return std::any_of(violations.begin(), violations.end(), [property](const Violation& violation) {
    const std::string_view keyword = violation.keyword;
    return violation.path == property &&
           (keyword == "type" || keyword == "anyOf" || keyword == "oneOf" || keyword == "enum" ||
            keyword == "const");
  });
}

// The inside of a string that is JSON of an object or array.
std::optional<std::string> container_in(json::Value value) {
  const std::optional<std::string> text = value.as_string();
  if (!text) {
    return std::nullopt;
  }
  const std::string_view inside = text::trim(*text);
  if (!inside.starts_with('{') && !inside.starts_with('[')) {
    return std::nullopt;
  }
  return json::Document::parse_view(inside) ? std::optional(std::string(inside)) : std::nullopt;
}

std::string with_replaced(const json::Document& document,
                          json::Value arguments,
                          json::Value value,
                          std::string_view replacement) {
  const std::string_view text = document.share(arguments).view();
  const std::size_t at = value.offset() - arguments.offset();
  return std::string(text.substr(0, at))
      .append(replacement)
      .append(text.substr(at + value.raw().size()));
}

// Arguments with their violations; the document owns the text.
struct Candidate {
  json::Document document;
  Violations violations;
};

// `current` with the property of that name parsed; nullopt when that is no use.
std::optional<Candidate> repaired(const Schema& schema,
                                  const Candidate& current,
                                  const std::string& name) {
  const json::Value arguments = current.document.root();
  const json::Value value = arguments.find(name);
  const std::optional<std::string> inside = container_in(value);
  if (!inside) {
    return std::nullopt;
  }
  Result<json::Document> document =
      json::Document::parse(with_replaced(current.document, arguments, value, *inside));
  if (!document) {
    return std::nullopt;
  }
  Candidate candidate = {.document = *std::move(document), .violations = {}};
  candidate.violations = violations_of(schema, candidate.document.root());
  std::string path;
  append_path(path, name);
  const bool is_closer = candidate.violations.size() < current.violations.size() ||
                         !has_wrong_form(candidate.violations, path.substr(1));
  return is_closer ? std::optional(std::move(candidate)) : std::nullopt;
}

// Paths of members that are null, which their schema does not allow.
std::set<std::string, std::less<>> null_paths(const Candidate& candidate) {
  std::set<std::string, std::less<>> paths;
  for (const Violation& violation : candidate.violations) {
    if (has_wrong_form(candidate.violations, violation.path) ||
        violation.keyword == "additionalProperties") {
      paths.insert("/" + violation.path);
    }
  }
  return paths;
}

// The text of a value without the null members at `paths`.
std::string without_nulls(json::Value value,
                          const std::set<std::string, std::less<>>& paths,
                          const std::string& path) {
  if (!value.is_object() && !value.is_array()) {
    return std::string(value.raw());
  }
  std::string out(1, value.is_object() ? '{' : '[');
  std::size_t index = 0;
  for (const json::Member child : value.children()) {
    std::string inner = path;
    if (child.key) {
      append_path(inner, child.name());
    } else {
      append_path(inner, index++);
    }
    if (child.key && child.value.is(json::Kind::null) && paths.contains(inner)) {
      continue;
    }
    out += out.size() > 1 ? "," : "";
    out += child.key ? std::string(child.key.raw()) + ":" : "";
    out += without_nulls(child.value, paths, inner);
  }
  return out + (value.is_object() ? '}' : ']');
}

// `current` without the nulls that stand for "not given". Required members stay, so that what is
// said of them is what they are.
std::optional<Candidate> without_nulls(const Schema& schema, const Candidate& current) {
  std::set<std::string, std::less<>> paths = null_paths(current);
  for (int pass = 0; pass < 2 && !paths.empty(); ++pass) {
    Result<json::Document> document =
        json::Document::parse(without_nulls(current.document.root(), paths, ""));
    if (!document) {
      return std::nullopt;
    }
    Candidate candidate = {.document = *std::move(document), .violations = {}};
    candidate.violations = violations_of(schema, candidate.document.root());
    const std::size_t before = paths.size();
    for (const Violation& violation : candidate.violations) {
      if (violation.keyword == "required") {
        paths.erase("/" + violation.path);
      }
    }
    if (paths.size() == before) {
      return candidate.violations.size() < current.violations.size()
                 ? std::optional(std::move(candidate))
                 : std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<std::string> names_to_repair(const Candidate& candidate) {
  std::vector<std::string> names;
  for (const json::Member member : candidate.document.root().members()) {
    std::string path;
    append_path(path, member.name());
    if (names.size() < repairs_max && member.value.is_string() &&
        has_wrong_form(candidate.violations, path.substr(1))) {
      names.push_back(member.name());
    }
  }
  return names;
}

Error error_of(const Violations& violations) {
  std::string message;
  for (std::size_t i = 0; i < std::min(violations.size(), violations_listed_max); ++i) {
    message += (i == 0 ? "" : "; ") + violations[i].text();
  }
  if (violations.size() > violations_listed_max) {
    message += "; and " + std::to_string(violations.size() - violations_listed_max) + " more";
  }
  return {ErrorCode::invalid_argument, std::move(message)};
}

bool is_mentioned(std::string_view name, std::string_view about) {
  const auto is_part = [about](std::size_t at) {
    return at < about.size() && ascii::is_alphanumeric_or(about[at], "_");
  };
  for (std::size_t at = about.find(name); at != std::string_view::npos && !name.empty();
       at = about.find(name, at + 1)) {
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + name.size())) {
      return true;
    }
  }
  return false;
}

Violations unlisted(const Schema& schema, json::Value arguments, std::string_view about) {
  Violations violations = schema.unlisted(arguments);
  std::erase_if(violations, [about](const Violation& violation) {
    return violation.reason == plain_unknown_property && is_mentioned(violation.path, about);
  });
  return violations;
}

}  // namespace

Result<SharedText> check_arguments(const Schema& schema,
                                   SharedText text,
                                   json::Value arguments,
                                   std::string_view about) {
  static const json::Document nothing =
      json::Document::parse(std::string("{}")).value_or(json::Document());
  const json::Value checked = arguments ? arguments : nothing.root();
  Violations violations = violations_of(schema, checked);
  if (violations.empty()) {
    violations = unlisted(schema, checked, about);
    return violations.empty() ? Result<SharedText>(text) : fail(error_of(violations));
  }
  Result<json::Document> copy =
      json::Document::parse(std::string(checked.raw()), {.syntax = json::Syntax::jsonc});
  if (!copy) {
    return fail(error_of(violations));
  }
  Candidate current = {.document = *std::move(copy), .violations = std::move(violations)};
  if (std::optional<Candidate> better = without_nulls(schema, current)) {
    current = *std::move(better);
  }
  for (const std::string& name : names_to_repair(current)) {
    if (std::optional<Candidate> better = repaired(schema, current, name)) {
      current = *std::move(better);
    }
  }
  // First what was misspelt: often it is what is missing.
  violations = unlisted(schema, current.document.root(), about);
  std::ranges::move(current.violations, std::back_inserter(violations));
  if (!violations.empty()) {
    return fail(error_of(violations));
  }
  return current.document.share(current.document.root());
}

Result<SharedText> check_arguments(json::Value schema, SharedText text, json::Value arguments) {
  const Result<Schema> compiled = Schema::compile(schema);
  return check_arguments(compiled ? *compiled : Schema(), std::move(text), arguments);
}

}  // namespace pi_mcp::schema

#include "registry/search_document.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace pi_mcp::registry {
namespace {

// What is read of a schema, found in one pass. The last of equal keys counts.
struct SchemaParts {
  explicit SchemaParts(json::Value schema) {
    for (const json::Member member : schema.members()) {
      if (json::Value* part = part_of(member.key)) {
        *part = member.value;
      }
    }
  }

  json::Value properties;
  json::Value description;
  json::Value values;
  json::Value constant;
  json::Value items;
  json::Value others;  // additionalProperties
  json::Value any_of;
  json::Value one_of;
  json::Value all_of;
  json::Value reference;

 private:
  // By length first, because most keys are different.
  json::Value* part_of(json::Value key) {
    const std::optional<std::string_view> plain = key.unescaped();
    const std::string decoded = plain ? std::string() : key.string_or("");
    const std::string_view name = plain.value_or(decoded);
    switch (name.size()) {
      case 4:
        return name == "enum" ? &values : name == "$ref" ? &reference : nullptr;
      case 5:
        return list_part(name);
      case 10:
        return name == "properties" ? &properties : nullptr;
      case 11:
        return name == "description" ? &description : nullptr;
      case 20:
        return name == "additionalProperties" ? &others : nullptr;
      default:
        return nullptr;
    }
  }

  json::Value* list_part(std::string_view name) {
    return name == "items"   ? &items
           : name == "anyOf" ? &any_of
           : name == "oneOf" ? &one_of
           : name == "allOf" ? &all_of
           : name == "const" ? &constant
                             : nullptr;
  }
};

// A line of its own for a string.
void append_line(std::string& lines, json::Value value) {
  if (const std::optional<std::string_view> plain = value.unescaped()) {
    lines += *plain;
  } else {
    lines += value.string_or("");
  }
  lines += '\n';
}

// Where "#/a/b" leads (RFC 6901); absent for anything else.
json::Value target_of(json::Value root, std::string_view reference) {
  if (!reference.starts_with("#/")) {
    return {};
  }
  json::Value target = root;
  for (const std::string_view token : text::split(reference.substr(2), '/')) {
    target = target.find(text::replace_all(text::replace_all(token, "~1", "/"), "~0", "~"));
  }
  return target;
}

class ParameterReader {
 public:
  // Appends to these, a line each.
  ParameterReader(json::Value root, std::string& names, std::string& texts, std::string& values)
      : root_(root), names_(names), texts_(texts), values_(values) {}

  // Names, descriptions and enumerated values of the parameters of the tool.
  void read() { read_parts(SchemaParts(root_), 0); }

 private:
  void read_properties(json::Value properties, std::size_t depth) {
    for (const json::Member member : properties.members()) {
      append_line(names_, member.key);
      read_schema(member.value, depth);
    }
  }

  void read_schema(json::Value schema, std::size_t depth) {
    if (!schema.is_object()) {
      return;
    }
    const SchemaParts parts(schema);
    if (parts.description.is_string()) {
      append_line(texts_, parts.description);
    }
    read_parts(parts, depth + 1);
  }

  void read_parts(const SchemaParts& parts, std::size_t depth) {
    for (const json::Value value : parts.values.elements()) {
      read_value(value);
    }
    read_value(parts.constant);
    if (depth > searched_depth_max) {
      return;
    }
    read_properties(parts.properties, depth);
    for (const json::Value schema : {parts.items, parts.others}) {
      read_schema(schema, depth);
    }
    for (const json::Value alternatives : {parts.any_of, parts.one_of, parts.all_of}) {
      for (const json::Value part : alternatives.elements()) {
        read_schema(part, depth);
      }
    }
    if (parts.reference.is_string()) {
      follow(parts.reference.string_or(""), depth);
    }
  }

  // Each only once: a second reference says nothing new, and may be a cycle.
  void follow(const std::string& reference, std::size_t depth) {
    const bool is_new = std::ranges::find(followed_, reference) == followed_.end();
    if (is_new && followed_.size() < searched_references_max) {
      followed_.push_back(reference);
      read_schema(target_of(root_, reference), depth);
    }
  }

  void read_value(json::Value value) {
    if (value_count_ < searched_values_max && value.is_string()) {
      append_line(values_, value);
      ++value_count_;
    }
  }

  json::Value root_;
  std::string& names_;
  std::string& texts_;
  std::string& values_;
  std::size_t value_count_ = 0;
  std::vector<std::string> followed_;
};

}  // namespace

search::Document DocumentReader::read(const catalog::CatalogTool& tool) {
  parameters_.clear();
  texts_.clear();
  values_.clear();
  if (schema_.assign_view(tool.input_schema.view())) {
    ParameterReader(schema_.root(), parameters_, texts_, values_).read();
  }
  return {.name = tool.name,
          .original = tool.original,
          .group = tool.server,
          .title = tool.title,
          .description = tool.description,
          .keywords = {},
          .written = {},
          .parameters = parameters_,
          .parameter_texts = texts_,
          .parameter_values = values_};
}

}  // namespace pi_mcp::registry

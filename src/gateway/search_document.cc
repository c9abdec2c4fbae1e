#include "gateway/search_document.h"

namespace pi_mcp::gateway {
namespace {

// What is read of a schema, found in one pass. Of equal keys the last one counts.
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
  json::Value items;
  json::Value any_of;
  json::Value one_of;
  json::Value all_of;

 private:
  // By length first: most keys are none of these.
  json::Value* part_of(json::Value key) {
    const std::optional<std::string_view> plain = key.unescaped();
    const std::string decoded = plain ? std::string() : key.string_or("");
    const std::string_view name = plain.value_or(decoded);
    switch (name.size()) {
      case 4:
        return name == "enum" ? &values : nullptr;
      case 5:
        return list_part(name);
      case 10:
        return name == "properties" ? &properties : nullptr;
      case 11:
        return name == "description" ? &description : nullptr;
      default:
        return nullptr;
    }
  }

  json::Value* list_part(std::string_view name) {
    return name == "items"   ? &items
           : name == "anyOf" ? &any_of
           : name == "oneOf" ? &one_of
           : name == "allOf" ? &all_of
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

class ParameterReader {
 public:
  // Appends to these, a line each.
  ParameterReader(std::string& names, std::string& texts, std::string& values)
      : names_(names), texts_(texts), values_(values) {}

  // Names, descriptions and enumerated values of the properties of an object.
  void read_properties(json::Value properties, std::size_t depth) {
    if (depth > searched_depth_max) {
      return;
    }
    for (const json::Member member : properties.members()) {
      append_line(names_, member.key);
      const SchemaParts parts(member.value);
      if (parts.description.is_string()) {
        append_line(texts_, parts.description);
      }
      read_values(parts.values);
      read_properties(parts.properties, depth + 1);
      read_part(parts.items, depth + 1);
      for (const json::Value alternatives : {parts.any_of, parts.one_of, parts.all_of}) {
        for (const json::Value part : alternatives.elements()) {
          read_part(part, depth + 1);
        }
      }
    }
  }

 private:
  void read_part(json::Value schema, std::size_t depth) {
    const SchemaParts parts(schema);
    read_values(parts.values);
    read_properties(parts.properties, depth);
  }

  void read_values(json::Value values) {
    for (const json::Value value : values.elements()) {
      if (value_count_ < searched_values_max && value.is_string()) {
        append_line(values_, value);
        ++value_count_;
      }
    }
  }

  std::string& names_;
  std::string& texts_;
  std::string& values_;
  std::size_t value_count_ = 0;
};

}  // namespace

search::Document DocumentReader::read(const catalog::CatalogTool& tool) {
  parameters_.clear();
  texts_.clear();
  values_.clear();
  if (schema_.assign_view(tool.input_schema.view())) {
    ParameterReader(parameters_, texts_, values_)
        .read_properties(schema_.root().find("properties"), 0);
  }
  return {.name = tool.name,
          .original = tool.original,
          .group = tool.server,
          .title = tool.title,
          .description = tool.description,
          .keywords = {},
          .parameters = parameters_,
          .parameter_texts = texts_,
          .parameter_values = values_};
}

}  // namespace pi_mcp::gateway

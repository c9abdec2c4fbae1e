#include "gateway/search_document.h"

#include "json/document.h"

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
    constexpr std::size_t quotes = 2;
    const std::string_view raw = key.raw();
    const bool escaped = raw.find('\\') != std::string_view::npos;
    const std::string decoded = escaped ? key.string_or("") : std::string();
    const std::string_view name =
        escaped ? std::string_view(decoded) : raw.substr(1, raw.size() - quotes);
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
  constexpr std::size_t quotes = 2;
  const std::string_view raw = value.raw();
  if (raw.find('\\') == std::string_view::npos) {
    lines += raw.substr(1, raw.size() - quotes);
  } else {
    lines += value.string_or("");
  }
  lines += '\n';
}

class ParameterReader {
 public:
  explicit ParameterReader(search::Document& document) : document_(document) {}

  // Names, descriptions and enumerated values of the properties of an object.
  void read_properties(json::Value properties, std::size_t depth) {
    if (depth > searched_depth_max) {
      return;
    }
    for (const json::Member member : properties.members()) {
      append_line(document_.parameters, member.key);
      const SchemaParts parts(member.value);
      if (parts.description.is_string()) {
        append_line(document_.parameter_texts, parts.description);
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
      if (values_ < searched_values_max && value.is_string()) {
        append_line(document_.parameter_values, value);
        ++values_;
      }
    }
  }

  search::Document& document_;
  std::size_t values_ = 0;
};

}  // namespace

search::Document search_document(const catalog::CatalogTool& tool,
                                 std::vector<std::string> keywords) {
  search::Document document;
  document.name = tool.name;
  document.original = tool.original;
  document.group = tool.server;
  document.title = tool.title;
  document.description = tool.description;
  document.keywords = std::move(keywords);
  if (const Result<json::Document> schema = json::Document::parse_view(tool.input_schema.view())) {
    ParameterReader(document).read_properties(schema->root().find("properties"), 0);
  }
  return document;
}

}  // namespace pi_mcp::gateway

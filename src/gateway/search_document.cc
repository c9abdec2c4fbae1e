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

class ParameterReader {
 public:
  explicit ParameterReader(search::Document& document) : document_(document) {}

  // Names, descriptions and enumerated values of the properties of an object.
  void read_properties(json::Value properties, std::size_t depth) {
    if (depth > searched_depth_max) {
      return;
    }
    const std::size_t more = properties.size();
    document_.parameters.reserve(document_.parameters.size() + more);
    document_.parameter_texts.reserve(document_.parameter_texts.size() + more);
    for (const json::Member member : properties.members()) {
      document_.parameters.push_back(member.name());
      const SchemaParts parts(member.value);
      if (parts.description.is_string()) {
        document_.parameter_texts.push_back(parts.description.string_or(""));
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
      if (document_.parameter_values.size() < searched_values_max && value.is_string()) {
        document_.parameter_values.push_back(value.string_or(""));
      }
    }
  }

  search::Document& document_;
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

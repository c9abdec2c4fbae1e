#include "gateway/search_document.h"

#include "json/document.h"

namespace pi_mcp::gateway {
namespace {

class ParameterReader {
 public:
  explicit ParameterReader(search::Document& document) : document_(document) {}

  // Names, descriptions and enumerated values of an object schema's properties.
  void read_object(json::Value schema, std::size_t depth) {
    if (depth > searched_depth_max) {
      return;
    }
    for (const json::Member member : schema.find("properties").members()) {
      document_.parameters.push_back(member.name());
      const json::Value description = member.value.find("description");
      if (description.is_string()) {
        document_.parameter_texts.push_back(description.string_or(""));
      }
      read_values(member.value);
      read_object(member.value, depth + 1);
      read_nested(member.value, depth + 1);
    }
  }

 private:
  void read_nested(json::Value schema, std::size_t depth) {
    read_part(schema.find("items"), depth);
    for (const char* key : {"anyOf", "oneOf", "allOf"}) {
      for (const json::Value part : schema.find(key).elements()) {
        read_part(part, depth);
      }
    }
  }

  void read_part(json::Value schema, std::size_t depth) {
    read_values(schema);
    read_object(schema, depth);
  }

  void read_values(json::Value schema) {
    for (const json::Value value : schema.find("enum").elements()) {
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
  if (const Result<json::Document> schema = json::Document::parse(tool.input_schema)) {
    ParameterReader(document).read_object(schema->root(), 0);
  }
  return document;
}

}  // namespace pi_mcp::gateway

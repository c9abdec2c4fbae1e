#include "mcp/header_params.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "json/writer.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

constexpr std::string_view annotation = "x-mcp-header";
constexpr std::string_view param_prefix = "Mcp-Param-";
constexpr std::string_view encoded_begin = "=?base64?";
constexpr std::string_view encoded_end = "?=";

// Members of a schema whose own members are named by the server, with a schema each.
constexpr std::array schema_maps = {std::string_view("properties"),
                                    std::string_view("patternProperties"),
                                    std::string_view("$defs"),
                                    std::string_view("definitions"),
                                    std::string_view("dependentSchemas")};
// Members of a schema that are data, whatever is in them.
constexpr std::array data_members = {std::string_view("const"),
                                     std::string_view("default"),
                                     std::string_view("enum"),
                                     std::string_view("examples")};

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// RFC 9110 section 5.6.2.
bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&marks](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool is_mirrored_type(json::Value type) {
  return type.equals("string") || type.equals("integer") || type.equals("boolean");
}

// One pass over a tool's schema.
class AnnotationReader {
 public:
  Result<std::vector<HeaderParam>> read(json::Value schema) {
    visit(schema, true);
    if (problem_) {
      return fail(*problem_);
    }
    return std::move(found_);
  }

 private:
  // `reachable`: `properties` alone lead here, so path_ names one argument.
  void visit(json::Value schema, bool reachable) {
    constexpr std::size_t depth_max = 100;
    if (problem_ || !schema.is_object() || depth_ >= depth_max) {
      return;
    }
    ++depth_;
    for (const auto [key, value] : schema.members()) {
      const std::string name = key.string_or("");
      if (name == annotation) {
        take(schema, value, reachable && !path_.empty());
      } else if (is_one_of(name, schema_maps)) {
        visit_map(value, reachable && name == "properties");
      } else if (!is_one_of(name, data_members)) {
        visit_others(value);
      }
    }
    --depth_;
  }

  void visit_map(json::Value schemas, bool reachable) {
    for (const auto [key, schema] : schemas.members()) {
      path_.push_back(key.string_or(""));
      visit(schema, reachable);
      path_.pop_back();
    }
  }

  // A schema, or a list of them.
  void visit_others(json::Value value) {
    visit(value, false);
    for (const json::Value element : value.elements()) {
      visit(element, false);
    }
  }

  void take(json::Value schema, json::Value value, bool reachable) {
    const std::string name = value.string_or("");
    if (!is_token(name)) {
      refuse("is not a header name: " + text::cut(text::printable(value.raw()), 80));
    } else if (!reachable) {
      refuse(json::quoted(name) + " does not stand at an argument");
    } else if (!is_mirrored_type(schema.find("type"))) {
      refuse(json::quoted(name) +
             " is set on an argument that is not a string, integer or boolean");
    } else if (!names_.insert(text::lower(name)).second) {
      refuse(json::quoted(name) + " occurs twice");
    } else {
      found_.push_back({.path = path_, .header = std::string(param_prefix) + name});
    }
  }

  void refuse(const std::string& why) {
    problem_ = Error(ErrorCode::protocol, std::string(annotation) + " " + why);
  }

  std::vector<std::string> path_;
  std::vector<HeaderParam> found_;
  std::set<std::string> names_;
  std::size_t depth_ = 0;
  std::optional<Error> problem_;
};

// nullopt for what is not mirrored.
std::optional<std::string> argument_text(json::Value value) {
  if (value.is_string()) {
    return value.string_or("");
  }
  if (const std::optional<bool> flag = value.as_bool()) {
    return *flag ? "true" : "false";
  }
  if (const std::optional<std::int64_t> number = value.as_int()) {
    return std::to_string(*number);
  }
  if (value.is(json::Kind::number)) {
    return std::string(value.raw());
  }
  return std::nullopt;
}

json::Value argument_of(const rpc::Message& request, const HeaderParam& param) {
  json::Value value = request.params().find("arguments");
  for (const std::string& name : param.path) {
    value = value.find(name);
  }
  return value;
}

// What Mcp-Name says: the member of params that names what is asked for; empty for other methods.
std::string_view naming_member(std::string_view method) {
  if (method == mcp::method::tools_call || method == mcp::method::prompts_get) {
    return "name";
  }
  if (method == mcp::method::resources_read) {
    return "uri";
  }
  return method.starts_with("tasks/") ? "taskId" : "";
}

}  // namespace

Result<std::vector<HeaderParam>> header_params(json::Value input_schema) {
  return AnnotationReader().read(input_schema);
}

std::string header_value(std::string_view text) {
  const bool is_plain =
      !text.empty() &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }) &&
      text.front() != ' ' && text.back() != ' ';
  const bool looks_encoded = text.starts_with(encoded_begin) && text.ends_with(encoded_end);
  if (is_plain && !looks_encoded) {
    return std::string(text);
  }
  // Also the empty text: many HTTP libraries drop headers without a value.
  return std::string(encoded_begin) + base64_encoded(text) + std::string(encoded_end);
}

std::optional<std::string> header_text(std::string_view value) {
  if (!value.starts_with(encoded_begin) || !value.ends_with(encoded_end) ||
      value.size() < encoded_begin.size() + encoded_end.size()) {
    return std::string(value);
  }
  value.remove_prefix(encoded_begin.size());
  value.remove_suffix(encoded_end.size());
  return base64_decoded(value);
}

std::optional<std::string> header_mismatch(const std::vector<RequestHeader>& expected,
                                           const ReceivedHeaders& received) {
  for (const RequestHeader& header : expected) {
    const std::optional<std::string_view> value = received(header.name);
    if (!value) {
      return "the header " + header.name + " is missing";
    }
    const std::optional<std::string> text = header_text(*value);
    if (!text) {
      return "the header " + header.name + " is no Base64 between its marks";
    }
    if (*text != header_text(header.value)) {
      return "the header " + header.name + " says something else than the body";
    }
  }
  return std::nullopt;
}

std::vector<RequestHeader> request_headers(Revision revision,
                                           const rpc::Message& request,
                                           const std::vector<HeaderParam>& params) {
  std::vector<RequestHeader> headers;
  headers.push_back({.name = "MCP-Protocol-Version", .value = std::string(name(revision))});
  headers.push_back({.name = "Mcp-Method", .value = request.method()});
  if (const json::Value name = request.params().find(naming_member(request.method()));
      name.is_string()) {
    headers.push_back({.name = "Mcp-Name", .value = header_value(name.string_or(""))});
  }
  for (const HeaderParam& param : params) {
    if (const std::optional<std::string> text = argument_text(argument_of(request, param))) {
      headers.push_back({.name = param.header, .value = header_value(*text)});
    }
  }
  return headers;
}

std::optional<std::string> parameter_mismatch(const rpc::Message& request,
                                              const std::vector<HeaderParam>& params,
                                              const ReceivedHeaders& received) {
  for (const HeaderParam& param : params) {
    const std::optional<std::string> text = argument_text(argument_of(request, param));
    if (!text && received(param.header)) {
      return "the header " + param.header + " is there, and its argument is not";
    }
    if (const auto wrong =
            text ? header_mismatch({{.name = param.header, .value = header_value(*text)}}, received)
                 : std::nullopt) {
      return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace pi_mcp::mcp

#include "gateway/tool_request.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "gateway/tool_text.h"

namespace pi_mcp::gateway {
namespace {

constexpr std::string_view auth_start_action = "auth-start";
constexpr std::string_view auth_complete_action = "auth-complete";
constexpr std::string_view reconnect_action = "reconnect";

template <class T>
using Checked = tl::expected<T, RequestError>;

tl::unexpected<RequestError> refuse(std::string code, std::string message) {
  return tl::unexpected<RequestError>({.code = std::move(code), .message = std::move(message)});
}

struct TextParameter {
  std::string_view name;
  std::string ToolRequest::* field;
};

constexpr std::array text_parameters = {
    TextParameter{.name = "tool", .field = &ToolRequest::tool},
    TextParameter{.name = "connect", .field = &ToolRequest::connect},
    TextParameter{.name = "describe", .field = &ToolRequest::describe},
    TextParameter{.name = "search", .field = &ToolRequest::search},
    TextParameter{.name = "server", .field = &ToolRequest::server},
    TextParameter{.name = "instructions", .field = &ToolRequest::instructions},
    TextParameter{.name = "action", .field = &ToolRequest::action},
};

tl::unexpected<RequestError> wrong_type(std::string_view name,
                                        std::string_view expected,
                                        json::Value value) {
  return refuse("invalid_parameter",
                "Invalid " + std::string(name) + ": expected " + std::string(expected) + ", got " +
                    std::string(json::kind_name(value.kind())));
}

// Models write true as "true" and 5 as "5" often enough that both count.
Checked<bool> read_bool(std::string_view name, json::Value value) {
  if (const std::optional<bool> plain = value.as_bool()) {
    return *plain;
  }
  if (value.equals("true") || value.equals("false")) {
    return value.equals("true");
  }
  return wrong_type(name, "true or false", value);
}

// Rounded towards zero and raised to `least`.
Checked<std::size_t> read_count(std::string_view name, json::Value value, double least) {
  std::optional<double> number = value.as_double();
  if (const std::optional<std::string> text = value.as_string()) {
    double parsed = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), parsed);
    if (error == std::errc{} && end == text->data() + text->size()) {
      number = parsed;
    }
  }
  if (!number) {
    return wrong_type(name, "a number", value);
  }
  // More entries than any catalog has.
  constexpr double count_max = 1e9;
  return static_cast<std::size_t>(std::clamp(*number, least, count_max));
}

Checked<SharedText> args_from_string(std::string text) {
  if (text::trim(text).empty()) {
    return SharedText();
  }
  const SharedText shared(std::move(text));
  const Result<json::Document> parsed = json::Document::parse(shared);
  if (!parsed) {
    return refuse("invalid_args", "Invalid args JSON: " + parsed.error().message());
  }
  if (!parsed->root().is_object()) {
    return refuse("invalid_args_type",
                  "Invalid args: expected a JSON object, got " +
                      std::string(json::kind_name(parsed->root().kind())));
  }
  return parsed->share(parsed->root());
}

template <class Source>
Checked<SharedText> read_args(const Source& source, json::Value value) {
  if (value.is_string()) {
    return args_from_string(value.string_or(""));
  }
  if (!value.is_object()) {
    return refuse(
        "invalid_args_type",
        "Invalid args: expected a JSON object, got " + std::string(json::kind_name(value.kind())));
  }
  return source.share(value);
}

// Stores one parameter; nullopt when it is fine or unknown.
template <class Source>
std::optional<RequestError> read_parameter(const Source& source,
                                           json::Member member,
                                           ToolRequest& request) {
  const auto store = [](auto checked, auto& field) -> std::optional<RequestError> {
    if (!checked) {
      return std::move(checked.error());
    }
    field = *std::move(checked);
    return std::nullopt;
  };
  const json::Value key = member.key;
  for (const TextParameter& parameter : text_parameters) {
    if (key.equals(parameter.name)) {
      std::optional<std::string> text = member.value.as_string();
      if (!text) {
        return wrong_type(parameter.name, "a string", member.value).value();
      }
      request.*parameter.field = *std::move(text);
      request.has_search = request.has_search || parameter.name == "search";
      return std::nullopt;
    }
  }
  if (key.equals("args")) {
    return store(read_args(source, member.value), request.args);
  }
  if (key.equals("regex")) {
    return store(read_bool("regex", member.value), request.regex);
  }
  if (key.equals("includeSchemas")) {
    return store(read_bool("includeSchemas", member.value), request.include_schemas);
  }
  if (key.equals("limit")) {
    return store(read_count("limit", member.value, 1), request.limit);
  }
  if (key.equals("offset")) {
    return store(read_count("offset", member.value, 0), request.offset);
  }
  return std::nullopt;
}

bool has_members(const SharedText& object) {
  return text::trim(object.view().substr(std::min<std::size_t>(1, object.size()))).size() > 1;
}

template <class Source>
Checked<ToolRequest> parse(const Source& source, json::Value arguments) {
  Checked<ToolRequest> made;
  ToolRequest& request = *made;
  if (arguments.exists() && !arguments.is_object() && !arguments.is(json::Kind::null)) {
    return wrong_type("arguments", "an object", arguments);
  }
  for (const json::Member member : arguments.members()) {
    if (member.value.is(json::Kind::null)) {
      continue;
    }
    if (std::optional<RequestError> error = read_parameter(source, member, request)) {
      return tl::unexpected(*std::move(error));
    }
  }
  const std::string& action = request.action;
  if (!action.empty() && action != auth_start_action && action != auth_complete_action &&
      action != reconnect_action) {
    return refuse(
        "invalid_parameter",
        "Invalid action: expected auth-start, auth-complete or reconnect, got " + quoted(action));
  }
  if (mode_of(request) == Mode::status && has_members(request.args)) {
    return refuse("invalid_args",
                  "args came without a mode. Parameters of the gateway go to the top level: "
                  "mcp({ search: \"...\" }) or mcp({ tool: \"...\", args: {} }).");
  }
  return made;
}

}  // namespace

Mode mode_of(const ToolRequest& request) {
  if (!request.action.empty()) {
    if (request.action == reconnect_action) {
      return Mode::reconnect;
    }
    return request.action == auth_complete_action ? Mode::auth_complete : Mode::auth_start;
  }
  if (!request.tool.empty()) {
    return Mode::call;
  }
  if (!request.connect.empty()) {
    return Mode::connect;
  }
  if (!request.describe.empty()) {
    return Mode::describe;
  }
  if (!request.instructions.empty()) {
    return Mode::instructions;
  }
  if (request.has_search) {
    return Mode::search;
  }
  return request.server.empty() ? Mode::status : Mode::list;
}

std::string_view mode_name(Mode mode) {
  switch (mode) {
    case Mode::status:
      return "status";
    case Mode::list:
      return "list";
    case Mode::search:
      return "search";
    case Mode::instructions:
      return "instructions";
    case Mode::describe:
      return "describe";
    case Mode::connect:
      return "connect";
    case Mode::call:
      return "call";
    case Mode::auth_start:
      return auth_start_action;
    case Mode::auth_complete:
      return auth_complete_action;
    case Mode::reconnect:
      return reconnect_action;
  }
  return "";
}

tl::expected<ToolRequest, RequestError> parse_tool_request(const json::Document& document,
                                                           json::Value arguments) {
  return parse(document, arguments);
}

tl::expected<ToolRequest, RequestError> parse_tool_request(const rpc::Message& message,
                                                           json::Value arguments) {
  return parse(message, arguments);
}

}  // namespace pi_mcp::gateway

#include "mcp/forwarded_request.h"

#include "base/text.h"
#include "json/writer.h"
#include "mcp/methods.h"
#include "mcp/own_meta.h"

namespace pi_mcp::mcp {
namespace {

Refusal unknown(std::string_view method) {
  return {.code = rpc::error_code::method_not_found,
          .message = "this client has no " + std::string(method.substr(0, 128))};
}

std::optional<Refusal> refused_elicitation(json::Value params, const ClientFeatures& features) {
  if (!features.elicitation_form && !features.elicitation_url) {
    return unknown(mcp::method::elicitation_create);
  }
  const json::Value mode = params.find("mode");
  const bool by_form = !mode || mode.equals("form");
  if (by_form ? features.elicitation_form : mode.equals("url") && features.elicitation_url) {
    return std::nullopt;
  }
  return Refusal{.code = rpc::error_code::invalid_params,
                 .message = "this client did not declare this mode of elicitation"};
}

std::optional<Refusal> refused_sampling(json::Value params, const ClientFeatures& features) {
  if (!features.sampling) {
    return unknown(mcp::method::sampling_create_message);
  }
  const bool with_tools = params.find("tools") || params.find("toolChoice");
  if (!with_tools || features.sampling_tools) {
    return std::nullopt;
  }
  return Refusal{.code = rpc::error_code::invalid_params,
                 .message = "this client did not declare tools in sampling"};
}

// The member of the params that the host's user reads, and what is put in front of it.
struct Shown {
  std::string_view member;  // empty: the user reads nothing of it
  std::string prefix;
};

Shown shown_by(std::string_view method, std::string_view server) {
  const std::string name = text::printable_line(server);
  if (method == mcp::method::elicitation_create) {
    return {.member = "message", .prefix = name + " asks: "};
  }
  if (method == mcp::method::sampling_create_message) {
    return {.member = "systemPrompt",
            .prefix = "This request comes from the MCP server \"" + name + "\".\n\n"};
  }
  return {};
}

// What people read of a form is printable; what they answer stays as it is. `key`: of the member
// that it is in.
void write_readable(json::Writer& out, std::string_view key, json::Value value) {
  if (value.is_object()) {
    out.begin_object();
    for (const json::Member member : value.members()) {
      out.key(member.name());
      write_readable(out, member.name(), member.value);
    }
    out.end_object();
  } else if (value.is_array()) {
    out.begin_array();
    for (const json::Value element : value.elements()) {
      write_readable(out, key, element);
    }
    out.end_array();
  } else {
    const bool is_read =
        key == "message" || key == "title" || key == "description" || key == "enumNames";
    const std::string text = is_read ? value.string_or("") : "";
    const std::string shown = text::printable(text);
    out.raw(shown == text ? std::string(value.raw()) : json::quoted(shown));
  }
}

std::string readable(std::string_view key, json::Value value) {
  json::Writer out;
  write_readable(out, key, value);
  return out.take();
}

// JSON, as `text` is. The bytes of the server's text stay as they are.
std::string with_prefix(const std::string& prefix, std::string_view text) {
  std::string joined = json::quoted(prefix);
  if (text.starts_with('"')) {
    joined.pop_back();
    joined += text.substr(1);
  }
  return joined;
}

}  // namespace

std::optional<Refusal> refusal_of(std::string_view method,
                                  json::Value params,
                                  const ClientFeatures& features) {
  if (method == mcp::method::elicitation_create) {
    return refused_elicitation(params, features);
  }
  if (method == mcp::method::sampling_create_message) {
    return refused_sampling(params, features);
  }
  if (method == mcp::method::roots_list && features.roots) {
    return std::nullopt;
  }
  return unknown(method);
}

std::string form_defaults(std::string_view method, json::Value params) {
  std::string defaults;
  if (method != mcp::method::elicitation_create) {
    return defaults;
  }
  for (const json::Member property : params.at({"requestedSchema", "properties"}).members()) {
    if (const json::Value value = property.value.find("default")) {
      defaults.append(defaults.empty() ? "" : ",").append(property.key.raw());
      defaults.append(":").append(value.raw());
    }
  }
  return defaults;
}

Result<rpc::Message> with_form_defaults(rpc::Message answer, const std::string& defaults) {
  const json::Value result = answer.result();
  const json::Value content = result.find("content");
  if (defaults.empty() || !result.find("action").equals("accept") ||
      (content && !content.is_object())) {
    return answer;
  }
  const Result<json::Document> known = json::Document::parse("{" + defaults + "}");
  if (!known) {
    return answer;
  }
  json::Writer out;
  out.begin_object();
  for (const json::Member member : result.members()) {
    if (!member.key.equals("content")) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  out.key("content").begin_object();
  for (const json::Member member : content.members()) {
    out.member_raw(member.name(), member.value.raw());
  }
  for (const json::Member member : known->root().members()) {
    if (!content.find(member.name())) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  out.end_object().end_object();
  return rpc::Message::parse(rpc::result(answer.id(), rpc::Outgoing(out.take())).flat());
}

std::optional<std::string> page_of(std::string_view method, json::Value params) {
  if (method != mcp::method::elicitation_create || !params.find("mode").equals("url")) {
    return std::nullopt;
  }
  return params.find("url").string_or("");
}

SharedText forwarded_params(std::string_view method,
                            json::Value params,
                            std::string_view server,
                            AskerShown asker) {
  const Shown shown = asker == AskerShown::in_text ? shown_by(method, server) : Shown();
  json::Writer meta;
  meta.begin_object();
  if (asker != AskerShown::known) {
    meta.member(asking_server_key, server);
  }
  for (const auto [key, value] : params.find("_meta").members()) {
    if (!key.equals("progressToken") &&
        (asker == AskerShown::known || !key.string_or("").starts_with(own_meta_prefix))) {
      meta.member_raw(key.string_or(""), value.raw());
    }
  }
  meta.end_object();
  json::Writer out;
  out.begin_object();
  if (meta.text() != "{}") {
    out.member_raw("_meta", meta.text());
  }
  const bool is_form = asker != AskerShown::known && method == mcp::method::elicitation_create;
  for (const json::Member member : params.members()) {
    const std::string name = member.name();
    if (name != "_meta") {
      const std::string value =
          is_form ? readable(name, member.value) : std::string(member.value.raw());
      out.member_raw(name, name == shown.member ? with_prefix(shown.prefix, value) : value);
    }
  }
  if (!shown.member.empty() && !params.find(shown.member)) {
    out.member_raw(shown.member, with_prefix(shown.prefix, {}));
  }
  return SharedText(out.end_object().take());
}

rpc::Outgoing forwarded_answer(const rpc::Id& id, const rpc::Message& answer) {
  if (answer.kind() == rpc::Message::Kind::failure) {
    return rpc::failure(id, answer.share(answer.error()));
  }
  rpc::Outgoing result;
  result.add(answer.share(answer.result()));
  return rpc::result(id, result);
}

rpc::Outgoing forwarded_failure(const rpc::Id& id, std::string_view method, const Error& error) {
  if (error.code() == ErrorCode::timed_out && method == mcp::method::elicitation_create) {
    return rpc::result(id, rpc::Outgoing(R"({"action":"cancel"})"));
  }
  return rpc::failure(id, rpc::error_code::internal_error, error.message());
}

}  // namespace pi_mcp::mcp

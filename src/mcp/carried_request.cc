#include "mcp/carried_request.h"

#include "json/writer.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

Refusal unknown(std::string_view method) {
  return {.code = rpc::error_code::method_not_found,
          .message = "this client has no " + std::string(method.substr(0, 128))};
}

std::optional<Refusal> refused_elicitation(json::Value params, const ClientFeatures& features) {
  if (!features.elicitation_form && !features.elicitation_url) {
    return unknown(method::elicitation_create);
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
    return unknown(method::sampling_create_message);
  }
  const bool with_tools = params.find("tools") || params.find("toolChoice");
  if (!with_tools || features.sampling_tools) {
    return std::nullopt;
  }
  return Refusal{.code = rpc::error_code::invalid_params,
                 .message = "this client did not declare tools in sampling"};
}

}  // namespace

std::optional<Refusal> refusal_of(std::string_view method,
                                  json::Value params,
                                  const ClientFeatures& features) {
  if (method == method::elicitation_create) {
    return refused_elicitation(params, features);
  }
  if (method == method::sampling_create_message) {
    return refused_sampling(params, features);
  }
  if (method == method::roots_list && features.roots) {
    return std::nullopt;
  }
  return unknown(method);
}

std::optional<std::string> page_of(std::string_view method, json::Value params) {
  if (method != method::elicitation_create || !params.find("mode").equals("url")) {
    return std::nullopt;
  }
  return params.find("url").string_or("");
}

SharedText carried_params(json::Value params, std::string_view server) {
  json::Writer out;
  out.begin_object().key("_meta").begin_object().member(asking_server_key, server);
  for (const auto [key, value] : params.find("_meta").members()) {
    if (!key.equals("progressToken") && !key.equals(asking_server_key)) {
      out.member_raw(key.string_or(""), value.raw());
    }
  }
  out.end_object();
  for (const auto [key, value] : params.members()) {
    if (!key.equals("_meta")) {
      out.member_raw(key.string_or(""), value.raw());
    }
  }
  return SharedText(out.end_object().take());
}

rpc::Outgoing carried_answer(const rpc::Id& id, const rpc::Message& answer) {
  if (answer.kind() == rpc::Message::Kind::failure) {
    return rpc::failure(id, answer.share(answer.error()));
  }
  rpc::Outgoing result;
  result.add(answer.share(answer.result()));
  return rpc::result(id, result);
}

rpc::Outgoing carried_failure(const rpc::Id& id, std::string_view method, const Error& error) {
  if (error.code() == ErrorCode::timed_out && method == method::elicitation_create) {
    return rpc::result(id, rpc::Outgoing(R"({"action":"cancel"})"));
  }
  return rpc::failure(id, rpc::error_code::internal_error, error.message());
}

}  // namespace pi_mcp::mcp

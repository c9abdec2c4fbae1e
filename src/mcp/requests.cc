#include "mcp/requests.h"

#include <string>

#include "json/document.h"
#include "json/writer.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

// Members of every request of 2026-07-28 begin so.
constexpr std::string_view envelope_prefix = "io.modelcontextprotocol/";

bool is_of_another_hop(const std::string& name, const RequestMeta& meta) {
  return name == "progressToken" || (!meta.envelope.empty() && name.starts_with(envelope_prefix));
}

// A `_meta` object with what is ours and everything else of the one that was there.
std::string merged_meta(rpc::CallNumber number, const RequestMeta& meta, json::Value given) {
  std::string text = "{";
  if (meta.progress == Progress::wanted) {
    text += R"("progressToken":)" + std::to_string(number);
  }
  const auto add = [&text](std::string_view members) {
    text += text.size() > 1 && !members.empty() ? "," : "";
    text += members;
  };
  add(meta.envelope);
  add(meta.passed);
  for (const auto [key, value] : given.members()) {
    const std::string name = key.string_or("");
    if (!is_of_another_hop(name, meta)) {
      add(json::quoted(name) + ":" + std::string(value.raw()));
    }
  }
  return text + "}";
}

// Puts `_meta` in front of the members of `params`, which is an object without one.
void add_in_front(rpc::Outgoing& message, const SharedText& params, std::string_view meta) {
  const std::size_t brace = params.view().find('{');
  const std::size_t first = brace == std::string_view::npos
                                ? brace
                                : params.view().find_first_not_of(" \t\r\n", brace + 1);
  message.add(R"({"_meta":)");
  message.add(meta);
  if (first == std::string_view::npos || params.view()[first] == '}') {
    message.add("}");
    return;
  }
  message.add(",");
  message.add(params.sub(first));
}

// `params` is an object with members named `_meta`: the last one counts, and one is written.
void add_with_meta(rpc::Outgoing& message, std::string_view meta, json::Value params) {
  json::Writer writer;
  writer.begin_object().member_raw("_meta", meta);
  for (const auto [key, value] : params.members()) {
    if (!key.equals("_meta")) {
      writer.member_raw(key.string_or(""), value.raw());
    }
  }
  writer.end_object();
  message.add(writer.text());
}

void add_params(rpc::Outgoing& message,
                rpc::CallNumber number,
                const SharedText& params,
                const RequestMeta& meta) {
  // Most params have no `_meta`, and finding that out by a plain search saves parsing them. A name
  // written with escapes is not found; nobody writes it so.
  if (params.view().find(R"("_meta")") == std::string_view::npos) {
    add_in_front(message, params, merged_meta(number, meta, {}));
    return;
  }
  const Result<json::Document> document = json::Document::parse_view(params.view());
  if (!document || !document->root().find("_meta")) {
    add_in_front(message, params, merged_meta(number, meta, {}));
    return;
  }
  const json::Value root = document->root();
  add_with_meta(message, merged_meta(number, meta, root.find("_meta")), root);
}

bool adds_nothing(const RequestMeta& meta) {
  return meta.progress == Progress::unwanted && meta.passed.empty() && meta.envelope.empty();
}

}  // namespace

std::string passed_meta(json::Value params) {
  std::string members;
  for (const auto [key, value] : params.find("_meta").members()) {
    const std::string name = key.string_or("");
    if (name != "progressToken" && !name.starts_with(envelope_prefix) &&
        !name.starts_with("pi-mcp/")) {
      members += members.empty() ? "" : ",";
      json::append_quoted(members, name);
      members.append(":").append(value.raw());
    }
  }
  return members;
}

rpc::Outgoing request(rpc::CallNumber number,
                      std::string_view method,
                      const SharedText& params,
                      RequestMeta meta) {
  if (adds_nothing(meta)) {
    return rpc::request(rpc::Id(number), method, params);
  }
  rpc::Outgoing message;
  const bool is_small = params.size() < rpc::Outgoing::shared_bytes_min;
  message.reserve(128 + method.size() + meta.passed.size() + meta.envelope.size() +
                  (is_small ? params.size() : 0));
  message.add(R"({"jsonrpc":"2.0","id":)");
  message.add(std::to_string(number));
  message.add(R"(,"method":)");
  message.add(json::quoted(method));
  message.add(R"(,"params":)");
  add_params(message, number, params, meta);
  message.add("}");
  return message;
}

rpc::Outgoing request(rpc::CallNumber number,
                      std::string_view method,
                      const rpc::Outgoing& params,
                      RequestMeta meta) {
  if (adds_nothing(meta)) {
    return rpc::request(rpc::Id(number), method, params);
  }
  return request(number, method, SharedText(params.flat()), meta);
}

rpc::Outgoing cancelled(rpc::CallNumber number, std::string_view reason) {
  json::Writer params;
  params.begin_object().member("requestId", number).member("reason", reason).end_object();
  return rpc::notification(mcp::method::cancelled, SharedText(params.take()));
}

rpc::Id cancelled_request(json::Value params) {
  const json::Value id = params.find("requestId");
  const bool usable = id.is_string() || id.is(json::Kind::number);
  return usable ? rpc::Id::from_json(id.raw()) : rpc::Id();
}

}  // namespace pi_mcp::mcp

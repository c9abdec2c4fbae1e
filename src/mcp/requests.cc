#include "mcp/requests.h"

#include <string>

#include "json/document.h"
#include "json/writer.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

// A `_meta` object with our token and everything else of the one that was there.
std::string meta_with_token(rpc::CallNumber number, json::Value meta) {
  json::Writer writer;
  writer.begin_object().member("progressToken", number);
  for (const auto [key, value] : meta.members()) {
    if (!key.equals("progressToken")) {
      writer.member_raw(key.string_or(""), value.raw());
    }
  }
  writer.end_object();
  return writer.take();
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
void add_merged(rpc::Outgoing& message, rpc::CallNumber number, json::Value params) {
  json::Writer writer;
  writer.begin_object().member_raw("_meta", meta_with_token(number, params.find("_meta")));
  for (const auto [key, value] : params.members()) {
    if (!key.equals("_meta")) {
      writer.member_raw(key.string_or(""), value.raw());
    }
  }
  writer.end_object();
  message.add(writer.text());
}

void add_params_with_token(rpc::Outgoing& message,
                           rpc::CallNumber number,
                           const SharedText& params) {
  // Most params have no `_meta`, and finding that out by a plain search saves parsing them. A name
  // written with escapes is not found; nobody writes it so.
  if (params.view().find(R"("_meta")") == std::string_view::npos) {
    add_in_front(message, params, meta_with_token(number, {}));
    return;
  }
  const Result<json::Document> document = json::Document::parse_view(params.view());
  if (!document || !document->root().find("_meta")) {
    add_in_front(message, params, meta_with_token(number, {}));
    return;
  }
  add_merged(message, number, document->root());
}

}  // namespace

rpc::Outgoing request(rpc::CallNumber number,
                      std::string_view method,
                      const SharedText& params,
                      Progress progress) {
  if (progress == Progress::unwanted) {
    return rpc::request(rpc::Id(number), method, params);
  }
  rpc::Outgoing message;
  const bool is_small = params.size() < rpc::Outgoing::shared_bytes_min;
  message.reserve(128 + method.size() + (is_small ? params.size() : 0));
  message.add(R"({"jsonrpc":"2.0","id":)");
  message.add(std::to_string(number));
  message.add(R"(,"method":)");
  message.add(json::quoted(method));
  message.add(R"(,"params":)");
  add_params_with_token(message, number, params);
  message.add("}");
  return message;
}

rpc::Outgoing cancelled(rpc::CallNumber number, std::string_view reason) {
  json::Writer params;
  params.begin_object().member("requestId", number).member("reason", reason).end_object();
  return rpc::notification(method::cancelled, SharedText(params.take()));
}

}  // namespace pi_mcp::mcp

#include "mcp/server_session.h"

#include <cstdint>
#include <utility>

#include "json/writer.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

// The member of params._meta that every request of revision 2026-07-28 has, and the error that asks
// the other side for another revision.
constexpr std::string_view modern_version_key = "io.modelcontextprotocol/protocolVersion";
constexpr std::int64_t unsupported_version = -32022;

ServerSession::Action reply(rpc::Outgoing message) {
  return {.kind = ServerSession::Action::Kind::reply, .reply = std::move(message), .cancelled = {}};
}

ServerSession::Action act(ServerSession::Action::Kind kind) {
  return {.kind = kind, .reply = {}, .cancelled = {}};
}

// A request of a revision without handshake: the error lists the revisions that have one, which is
// how a host that speaks both learns to fall back.
rpc::Outgoing refuse_revision(const rpc::Message& message, json::Value asked) {
  json::Writer data;
  data.begin_object().member_raw("supported", revisions_json());
  data.member_raw("requested", asked.raw()).end_object();
  return rpc::failure(message.id(),
                      unsupported_version,
                      "unsupported protocol version; begin with initialize",
                      data.text());
}

HostInfo read_host(json::Value params) {
  const json::Value info = params.find("clientInfo");
  HostInfo host;
  host.name = info.find("name").string_or("");
  host.version = info.find("version").string_or("");
  host.features = read_client_features(params.find("capabilities"));
  return host;
}

}  // namespace

ServerSession::Action ServerSession::on_message(const rpc::Message& message) {
  switch (message.kind()) {
    case rpc::Message::Kind::request:
      return on_request(message);
    case rpc::Message::Kind::notification:
      return on_notification(message);
    case rpc::Message::Kind::result:
    case rpc::Message::Kind::failure:
      break;
  }
  return act(Action::Kind::answer);
}

ServerSession::Action ServerSession::on_request(const rpc::Message& message) {
  if (message.method() == mcp::method::ping) {
    return reply(rpc::result(message.id(), rpc::Outgoing("{}")));
  }
  if (const json::Value asked = message.params().at({"_meta", modern_version_key})) {
    return reply(refuse_revision(message, asked));
  }
  if (message.method() == mcp::method::initialize) {
    return initialize(message);
  }
  if (phase_ == Phase::awaiting_initialize) {
    return reply(rpc::failure(message.id(),
                              rpc::error_code::invalid_request,
                              "not initialized: the first request must be initialize"));
  }
  // Hosts that do not wait for their own notifications/initialized to be read are served too.
  return act(Action::Kind::serve);
}

ServerSession::Action ServerSession::initialize(const rpc::Message& message) {
  if (phase_ != Phase::awaiting_initialize) {
    return reply(rpc::failure(
        message.id(), rpc::error_code::invalid_request, "this session is initialized already"));
  }
  const json::Value asked = message.params().find("protocolVersion");
  if (!asked.is_string()) {
    return reply(rpc::failure(message.id(),
                              rpc::error_code::invalid_params,
                              "initialize needs params.protocolVersion, a string"));
  }
  revision_ = answer_revision(asked.string_or(""));
  host_ = read_host(message.params());
  initialize_id_ = message.id();
  phase_ = Phase::awaiting_initialized;

  json::Writer writer;
  writer.begin_object().member("protocolVersion", name(revision_));
  writer.member_raw("capabilities", options_.capabilities_json);
  writer.key("serverInfo").begin_object().member("name", options_.name);
  if (traits(revision_).titles && !options_.title.empty()) {
    writer.member("title", options_.title);
  }
  writer.member("version", options_.version).end_object();
  if (!options_.instructions.empty()) {
    writer.member("instructions", options_.instructions);
  }
  writer.end_object();
  return reply(rpc::result(message.id(), rpc::Outgoing(writer.take())));
}

ServerSession::Action ServerSession::on_notification(const rpc::Message& message) {
  if (phase_ == Phase::awaiting_initialize) {
    return act(Action::Kind::ignore);
  }
  if (message.method() == mcp::method::initialized) {
    const bool first = phase_ != Phase::ready;
    phase_ = Phase::ready;
    return act(first ? Action::Kind::initialized : Action::Kind::ignore);
  }
  if (message.method() == mcp::method::cancelled) {
    rpc::Id id = cancelled_request(message.params());
    if (!id.exists() || id == initialize_id_) {
      return act(Action::Kind::ignore);
    }
    return {.kind = Action::Kind::cancel, .reply = {}, .cancelled = std::move(id)};
  }
  return act(Action::Kind::notice);
}

rpc::Outgoing unknown_method(const rpc::Message& request) {
  return rpc::failure(request.id(),
                      rpc::error_code::method_not_found,
                      "method not found: " + request.method().substr(0, 128));
}

std::string progress_token(json::Value params) {
  const json::Value token = params.at({"_meta", "progressToken"});
  const bool usable = token.is_string() || token.is(json::Kind::number);
  return usable ? std::string(token.raw()) : std::string();
}

rpc::Outgoing progress_notification(std::string_view token_json, json::Value params) {
  json::Writer writer;
  writer.begin_object().member_raw("progressToken", token_json);
  for (const auto [key, value] : params.members()) {
    if (!key.equals("progressToken")) {
      writer.member_raw(key.string_or(""), value.raw());
    }
  }
  writer.end_object();
  return rpc::notification(mcp::method::progress, SharedText(writer.take()));
}

rpc::Id cancelled_request(json::Value params) {
  const json::Value id = params.find("requestId");
  const bool usable = id.is_string() || id.is(json::Kind::number);
  return usable ? rpc::Id::from_json(id.raw()) : rpc::Id();
}

}  // namespace pi_mcp::mcp

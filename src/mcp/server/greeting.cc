// initialize: what the host says of itself there, and what it gets in return, at once or once a
// server is known. What nobody has asked for waits for that, and questions until the host is ready.
#include <utility>

#include "json/writer.h"
#include "mcp/server/declared.h"
#include "mcp/server/server_session.h"

namespace pi_mcp::mcp {

// What the host says of itself there. False: it was refused.
bool ServerSession::take_introduction(const rpc::Message& request) {
  if (is_initialized_) {
    refuse(request, rpc::error_code::invalid_request, "this session is initialized already");
    return false;
  }
  const json::Value asked = request.params().find("protocolVersion");
  if (!asked.is_string()) {
    refuse(request,
           rpc::error_code::invalid_params,
           "initialize needs params.protocolVersion, a string");
    return false;
  }
  const Revision revision = answer_revision(asked.string_or(""));
  is_initialized_ = true;
  revision_ = revision;
  HostInfo host = read_host(
      request.params().find("clientInfo"), request.params().find("capabilities"), revision);
  if (is_met_) {
    host.features = joined(host.features, host_.features);
  }
  host_ = std::move(host);
  is_met_ = true;
  return true;
}

// By an action, so that the owner has met the host before.
void ServerSession::greet(rpc::Message& request) {
  if (is_in_use(request.id())) {
    return refuse(request, rpc::error_code::invalid_request, id_in_use);
  }
  if (!take_introduction(request)) {
    return;
  }
  greeting_ = request.id();
  actions_.emplace_back(upward::Met());
  if (const std::optional<RequestKey> key = admit(request, nullptr)) {
    actions_.emplace_back(upward::Begin{.key = *key, .request = std::move(request)});
  }
}

void ServerSession::end_greeting(bool is_initialized) {
  greeting_ = {};
  is_initialized_ = is_initialized;
  for (rpc::Outgoing& notice : std::exchange(early_, {})) {
    send(is_initialized ? std::optional(std::move(notice)) : std::nullopt);
  }
  is_ready_ = is_ready_ && is_initialized;
  send_held();
}

void ServerSession::initialize(const rpc::Message& request) {
  if (!take_introduction(request)) {
    return;
  }
  json::Writer writer;
  writer.begin_object().member("protocolVersion", name(revision_));
  write_capabilities(writer, options_.capabilities);
  writer.key("serverInfo");
  write_server_info(writer, options_.version, revision_);
  if (const std::string instructions = options_.instructions ? options_.instructions() : "";
      !instructions.empty()) {
    writer.member("instructions", instructions);
  }
  send(rpc::result(request.id(), rpc::Outgoing(writer.end_object().take())));
  for (rpc::Outgoing& notice : std::exchange(early_, {})) {
    send(std::move(notice));
  }
  actions_.emplace_back(upward::Met());
}

void ServerSession::take_ready() {
  is_ready_ = true;
  send_held();
}

void ServerSession::send_held() {
  if (!is_ready_ || greeting_.exists()) {
    return;
  }
  for (Held& held : std::exchange(held_, {})) {
    send(std::move(held.message), held.during);
  }
}

void ServerSession::send_unasked(std::optional<rpc::Outgoing> message, const rpc::Id& during) {
  if (!greeting_.exists()) {
    send(std::move(message), during);
  } else if (message && early_.size() < options_.limits.early_notices_max) {
    early_.push_back(*std::move(message));
  }
}

}  // namespace pi_mcp::mcp

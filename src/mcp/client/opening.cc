#include "mcp/client/opening.h"

#include <algorithm>
#include <utility>

#include "mcp/discovery.h"
#include "mcp/methods.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {
namespace {

// The failure of initialize may come from a server that has no handshake.
bool may_have_no_handshake(json::Value error) {
  const std::int64_t code = error.find("code").as_int().value_or(0);
  return code == error_code::unsupported_version || code == rpc::error_code::method_not_found ||
         code == rpc::error_code::invalid_params;
}

// Versions that an error names.
struct Named {
  std::optional<Revision> by_discovery;  // the newest of ours
  bool by_handshake = false;             // one of ours
  bool any = false;
};

Named named_versions(json::Value error) {
  Named named;
  for (const json::Value version : error.at({"data", "supported"}).elements()) {
    named.any = true;
    const std::optional<Revision> revision = parse_revision(version.string_or(""));
    if (revision && mcp::traits(*revision).has_handshake) {
      named.by_handshake = true;
    } else if (revision) {
      named.by_discovery = std::max(named.by_discovery, revision);
    }
  }
  return named;
}

Error no_common_version() {
  return {ErrorCode::protocol,
          "the server speaks no protocol version that pi-mcp speaks (" +
              std::string(revisions.front().name) + " to " + std::string(revisions.back().name) +
              ")"};
}

}  // namespace

Opening::Opening(Options options) : options_(std::move(options)), session_(options_.client) {
  const bool was_older = options_.known && mcp::traits(options_.known->revision).has_handshake;
  const bool wants_newest = options_.protocol == Protocol::newest && options_.may_ask_first;
  if (options_.protocol == Protocol::discovery || wants_newest || (may_choose() && !was_older)) {
    begin(Step::discover, newest_by_discovery);
  }
}

// A pipe has no session, and so nothing that says which of two protocols the server works in.
bool Opening::may_choose() const {
  return options_.protocol == Protocol::automatic && options_.may_ask_first;
}

bool Opening::has_session() const {
  return options_.has_session && options_.has_session();
}

bool Opening::has_tried_handshake() const {
  return session_.phase() != ClientSession::Phase::fresh || refusal_;
}

void Opening::begin(Step step, Revision revision) {
  step_ = step;
  revision_ = revision;
  has_asked_ = has_asked_ || step == Step::discover;
  envelope_ = traits().has_handshake ? "" : request_envelope(options_.client, revision);
}

std::string Opening::envelope_of(const std::string& capabilities_json) const {
  ClientSession::Options client = options_.client;
  client.capabilities_json = capabilities_json;
  client.tasks = false;
  return envelope_.empty() ? std::string() : request_envelope(client, revision_);
}

Opening::Ask Opening::ask() {
  if (step_ == Step::discover) {
    return {.method = mcp::method::server_discover,
            .params = {},
            .has_alternative = options_.protocol != Protocol::discovery};
  }
  return {.method = mcp::method::initialize,
          .params = session_.initialize_params(),
          .has_alternative = found_.has_value()};
}

std::optional<Era> Opening::era() const {
  if (!may_choose() || is_guess_) {
    return std::nullopt;
  }
  const std::string server = server_.label();
  const bool is_known = options_.known && options_.known->server == server;
  return Era{
      .revision = revision_,
      .has_session = traits().has_handshake && has_session(),
      .tried_handshake = has_tried_handshake() || (is_known && options_.known->tried_handshake),
      .server = server};
}

Result<Opening::Next> Opening::on_answer(const rpc::Message& answer) {
  return step_ == Step::discover ? on_discovery(answer) : on_initialize(answer);
}

Result<Opening::Next> Opening::on_error(const Error& error) {
  // What is no MCP message at all is also how servers of old answer methods they do not know.
  // So is silence; where it means that the server is not well, initialize will fail as well.
  const bool is_silent = error.code() == ErrorCode::timed_out;
  const bool is_refusal = error.code() == ErrorCode::protocol;
  if (step_ == Step::discover && (is_silent || is_refusal)) {
    return turn_to_initialize(error);
  }
  if (found_ && error.code() != ErrorCode::unauthorized && error.code() != ErrorCode::cancelled) {
    is_guess_ = !is_refusal;
    return take(*found_);
  }
  if (step_ == Step::initialize && is_refusal && may_choose() && !has_asked_) {
    return turn_to_discovery(error);
  }
  return fail(error);
}

Result<Opening::Next> Opening::on_discovery(const rpc::Message& answer) {
  if (answer.kind() == rpc::Message::Kind::failure) {
    return on_refused_discovery(answer.error());
  }
  std::optional<Discovery> found = read_discovery(answer.result());
  if (!found) {
    return turn_to_initialize(
        {ErrorCode::protocol, "the server's answer to server/discover has no supportedVersions"});
  }
  if (!found->revision) {
    return found->has_handshake ? turn_to_initialize(no_common_version())
                                : fail(no_common_version());
  }
  const bool is_known = options_.known && options_.known->server == found->server.label();
  const bool can_tell = found->has_handshake || options_.has_session;
  if (!may_choose() || !can_tell || is_known || has_tried_handshake()) {
    return take(*found);
  }
  found_ = std::move(found);
  return found_->has_handshake ? try_handshake() : Next::look;
}

Result<Opening::Next> Opening::on_look(bool wants_session) {
  return wants_session ? try_handshake() : take(*found_);
}

Opening::Next Opening::try_handshake() {
  begin(Step::initialize, newest_by_handshake);
  return Next::ask;
}

Result<Opening::Next> Opening::take(const Discovery& found) {
  begin(Step::discover, found.revision.value_or(newest_by_discovery));
  server_ = found.server;
  return Next::ready;
}

Result<Opening::Next> Opening::on_refused_discovery(json::Value error) {
  Error refused(ErrorCode::protocol, "the server refused: " + error_text(error));
  if (error.find("code").as_int() == error_code::unsupported_version) {
    const Named named = named_versions(error);
    if (named.by_discovery && !std::exchange(discovered_again_, true)) {
      begin(Step::discover, *named.by_discovery);
      return Next::ask;
    }
    if (named.any && !named.by_handshake) {
      return fail(std::move(refused));
    }
  }
  return turn_to_initialize(std::move(refused));
}

// `why_not` is what went wrong with the discovery.
Result<Opening::Next> Opening::turn_to_initialize(Error why_not) {
  if (options_.protocol == Protocol::discovery) {
    return fail(std::move(why_not));
  }
  if (refusal_) {
    return fail(*refusal_);
  }
  if (session_.phase() == ClientSession::Phase::ready) {
    return take_handshake();
  }
  begin(Step::initialize, newest_by_handshake);
  return Next::ask;
}

Result<Opening::Next> Opening::turn_to_discovery(Error refusal) {
  refusal_ = std::move(refusal);
  begin(Step::discover, newest_by_discovery);
  return Next::ask;
}

Result<Opening::Next> Opening::take_handshake() {
  server_ = session_.server();
  begin(Step::initialize, server_.revision);
  return Next::announce;
}

// Whether the server may work better, or only, in the protocol that it was not asked about: it has
// changed, or kept a session when it was asked last.
bool Opening::is_handshake_doubtful() const {
  return !has_asked_ && options_.known && !has_session() &&
         (options_.known->has_session || options_.known->server != session_.server().label());
}

Result<Opening::Next> Opening::on_initialize(const rpc::Message& answer) {
  const Result<ClientSession::Next> next = session_.on_answer(answer);
  if (next && *next == ClientSession::Next::ask_again) {
    return Next::ask;
  }
  if (found_ && (!next || !has_session())) {
    return take(*found_);
  }
  if (next && is_handshake_doubtful()) {
    begin(Step::discover, newest_by_discovery);
    return Next::ask;
  }
  if (next) {
    return take_handshake();
  }
  const bool is_failure = answer.kind() == rpc::Message::Kind::failure;
  const bool may_speak_other =
      may_choose() || (options_.protocol != Protocol::handshake && is_failure &&
                       may_have_no_handshake(answer.error()));
  if (may_speak_other && !has_asked_) {
    return turn_to_discovery(next.error());
  }
  return fail(next.error());
}

}  // namespace pi_mcp::mcp

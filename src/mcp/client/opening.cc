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
  if (options_.protocol == Protocol::discovery ||
      (options_.protocol == Protocol::automatic && options_.may_ask_first)) {
    begin(Step::discover, newest_by_discovery);
  }
}

void Opening::begin(Step step, Revision revision) {
  step_ = step;
  revision_ = revision;
  envelope_ = traits().has_handshake ? "" : request_envelope(options_.client, revision);
}

Opening::Ask Opening::ask() {
  if (step_ == Step::discover) {
    return {.method = mcp::method::server_discover, .params = {}};
  }
  return {.method = mcp::method::initialize, .params = session_.initialize_params()};
}

Result<Opening::Next> Opening::on_answer(const rpc::Message& answer) {
  return step_ == Step::discover ? on_discovery(answer) : on_initialize(answer);
}

Result<Opening::Next> Opening::on_error(const Error& error) {
  // What is no MCP message at all is also how servers of old answer methods they do not know.
  // So is silence; where it means that the server is not well, initialize will fail as well.
  const bool is_silent = error.code() == ErrorCode::timed_out;
  if (step_ == Step::discover && (is_silent || error.code() == ErrorCode::protocol)) {
    return turn_to_initialize(error);
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
  begin(Step::discover, *found->revision);
  server_ = std::move(found->server);
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
  begin(Step::initialize, newest_by_handshake);
  return Next::ask;
}

Result<Opening::Next> Opening::on_initialize(const rpc::Message& answer) {
  const Result<ClientSession::Next> next = session_.on_answer(answer);
  if (next) {
    server_ = session_.server();
    revision_ = server_.revision;
    return *next == ClientSession::Next::announce ? Next::announce : Next::ask;
  }
  const bool is_failure = answer.kind() == rpc::Message::Kind::failure;
  const bool was_asked = options_.may_ask_first;  // it has refused server/discover already
  if (options_.protocol == Protocol::automatic && !was_asked && is_failure &&
      may_have_no_handshake(answer.error())) {
    refusal_ = next.error();
    begin(Step::discover, newest_by_discovery);
    return Next::ask;
  }
  return fail(next.error());
}

}  // namespace pi_mcp::mcp

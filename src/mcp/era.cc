#include "mcp/era.h"

#include <utility>

#include "mcp/methods.h"
#include "mcp/revision_2026_07_28.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {
namespace {

const std::string no_envelope;

// The failure of initialize may come from a server that has no handshake.
bool may_be_modern(json::Value error) {
  const std::int64_t code = error.find("code").as_int().value_or(0);
  return code == modern_error::unsupported_version || code == rpc::error_code::method_not_found ||
         code == rpc::error_code::invalid_params;
}

// Versions that an error names: ours, those with a handshake, and any at all.
struct Named {
  bool modern = false;
  bool legacy = false;
  bool any = false;
};

Named named_versions(json::Value error) {
  Named named;
  for (const json::Value version : error.at({"data", "supported"}).elements()) {
    named.any = true;
    named.modern = named.modern || version.equals(modern_revision);
    named.legacy = named.legacy || parse_revision(version.string_or("")).has_value();
  }
  return named;
}

Error no_common_version() {
  return {ErrorCode::protocol,
          "the server speaks no protocol version that pi-mcp speaks (" +
              std::string(name(all_revisions.front())) + " to " + std::string(modern_revision) +
              ")"};
}

}  // namespace

Opening::Opening(Options options)
    : options_(std::move(options)),
      session_(options_.client),
      envelope_(request_envelope(options_.client)),
      step_(options_.protocol == Protocol::modern ||
                    (options_.protocol == Protocol::automatic && options_.may_ask_first)
                ? Step::discover
                : Step::initialize) {}

const std::string& Opening::envelope() const {
  return is_modern() ? envelope_ : no_envelope;
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
  if (!found->speaks_modern) {
    return found->speaks_legacy ? turn_to_initialize(no_common_version())
                                : fail(no_common_version());
  }
  server_ = std::move(found->server);
  return Next::ready;
}

Result<Opening::Next> Opening::on_refused_discovery(json::Value error) {
  Error refused(ErrorCode::protocol, "the server refused: " + error_text(error));
  if (error.find("code").as_int() == modern_error::unsupported_version) {
    const Named named = named_versions(error);
    if (named.modern && !std::exchange(discovered_again_, true)) {
      return Next::ask;
    }
    if (named.any && !named.legacy) {
      return fail(std::move(refused));
    }
  }
  return turn_to_initialize(std::move(refused));
}

// `why_not` is what went wrong with the modern protocol.
Result<Opening::Next> Opening::turn_to_initialize(Error why_not) {
  if (options_.protocol == Protocol::modern) {
    return fail(std::move(why_not));
  }
  if (refusal_) {
    return fail(*refusal_);
  }
  step_ = Step::initialize;
  return Next::ask;
}

Result<Opening::Next> Opening::on_initialize(const rpc::Message& answer) {
  const Result<ClientSession::Next> next = session_.on_answer(answer);
  if (next) {
    server_ = session_.server();
    return *next == ClientSession::Next::announce ? Next::announce : Next::ask;
  }
  const bool is_failure = answer.kind() == rpc::Message::Kind::failure;
  const bool was_asked = options_.may_ask_first;  // it has refused server/discover already
  if (options_.protocol == Protocol::automatic && !was_asked && is_failure &&
      may_be_modern(answer.error())) {
    refusal_ = next.error();
    step_ = Step::discover;
    return Next::ask;
  }
  return fail(next.error());
}

}  // namespace pi_mcp::mcp

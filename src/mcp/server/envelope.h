// Who asks: what a host says in initialize, or, in revisions without a handshake, in params._meta
// of each of its requests. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "json/document.h"
#include "mcp/client_features.h"
#include "mcp/log_level.h"
#include "mcp/revisions.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

// The member of a result's _meta with what a program wants to know of it. Most hosts put _meta into
// the prompt of their model, so it goes to hosts that declare a capability of this name only.
constexpr std::string_view details_key = "pi-mcp/details";

struct HostInfo {
  std::string name;
  std::string version;
  ClientFeatures features;
  bool wants_details = false;  // capabilities.experimental has details_key
  Revision revision = newest_by_handshake;
};

// `info` is clientInfo; both may be absent or of any kind.
HostInfo read_host(json::Value info, json::Value capabilities, Revision revision);

struct Envelope {
  HostInfo host;
  std::optional<LogLevel> log_level;  // from which on it wants messages; nullopt: none
};

// Whether a request says that it is of a revision without a handshake, however wrongly.
[[nodiscard]] bool has_envelope(json::Value params);
// Whether it says parts of that, and not the version.
[[nodiscard]] bool has_part_of_envelope(json::Value params);

// What the envelope says; else the answer: -32022 for a version that is not spoken so, -32602 for a
// member that is missing or of the wrong kind (basic/index, "_meta").
tl::expected<Envelope, rpc::Outgoing> read_envelope(const rpc::Message& request);

// The answer to a request that should have an envelope and does not say its version.
rpc::Outgoing version_missing(const rpc::Id& request);

}  // namespace pi_mcp::mcp

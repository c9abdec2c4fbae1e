// Requests to a server, and how either side gives one up. Pure: no I/O, no clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/shared_text.h"
#include "json/document.h"
#include "rpc/call_table.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

enum class Progress : std::uint8_t { unwanted, wanted };

// What params._meta of a request says besides what the caller wrote.
struct RequestMeta {
  Progress progress = Progress::unwanted;
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string_view passed = {};  // members from the hop before (passed_meta())
  std::string_view envelope;     // members of every request of 2026-07-28 (request_envelope())
};

// The members of params._meta of a request that go on to the next hop, without braces: traces and
// what vendors say, but neither its token nor what the protocol says there.
std::string passed_meta(json::Value params);

// One request. `params` is a JSON object, or empty for none; its bytes are not touched. With
// Progress::wanted params._meta.progressToken is the call number. Members of the same name in
// `params` are replaced: tokens and envelopes are per hop.
rpc::Outgoing request(rpc::CallNumber number,
                      std::string_view method,
                      const SharedText& params,
                      RequestMeta meta);

// The same with params in pieces, which are copied only where something has to be added to them.
rpc::Outgoing request(rpc::CallNumber number,
                      std::string_view method,
                      const rpc::Outgoing& params,
                      RequestMeta meta);

// Tells the server that nobody waits for that request any more.
rpc::Outgoing cancelled(rpc::CallNumber number, std::string_view reason);

// The id that the params of a notifications/cancelled name; absent when there is none.
rpc::Id cancelled_request(json::Value params);

}  // namespace pi_mcp::mcp

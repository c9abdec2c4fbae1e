// Messages that we send to a server. Pure: no I/O, no clock.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/shared_text.h"
#include "rpc/call_table.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

enum class Progress : std::uint8_t { unwanted, wanted };

// One request. `params` is a JSON object, or empty for none; its bytes are not touched. With
// Progress::wanted params._meta.progressToken is the call number, in place of any token in
// `params`: tokens are per hop.
rpc::Outgoing request(rpc::CallNumber number,
                      std::string_view method,
                      const SharedText& params,
                      Progress progress);

// Tells the server that nobody waits for that request any more.
rpc::Outgoing cancelled(rpc::CallNumber number, std::string_view reason);

}  // namespace pi_mcp::mcp

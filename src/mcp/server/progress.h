// Progress of one request on its way up: the host's token instead of the server's, and only values
// that grow, as the protocol asks for (basic/utilities/progress). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "json/document.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

class HostProgress {
 public:
  // `token_json` as the host gave it.
  explicit HostProgress(std::string token_json) : token_json_(std::move(token_json)) {}

  // The notification to send for the params of one that a server sent, with everything but the
  // token as it came; nullopt when its progress does not grow.
  std::optional<rpc::Outgoing> of_server(json::Value params);
  // The notification for a phase of ours. The first has progress 0, each more a little above, so
  // that whatever a server reports from 1 on still grows. `since` is how long the host has waited.
  // nullopt once a server has reported.
  std::optional<rpc::Outgoing> of_phase(std::string_view what, Duration since);

 private:
  std::string token_json_;
  std::optional<double> last_;
  int phases_ = 0;
  bool server_reported_ = false;
};

// The JSON text of params._meta.progressToken; empty when the caller wants no progress.
std::string progress_token(json::Value params);

}  // namespace pi_mcp::mcp

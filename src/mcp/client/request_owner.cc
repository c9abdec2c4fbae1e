#include "mcp/client/request_owner.h"

#include <algorithm>

namespace pi_mcp::mcp {
namespace {

RequestOwner owner_by_stream(const rpc::Id& during, const std::vector<CallOfHost>& calls) {
  const auto found = std::ranges::find_if(
      calls, [&during](const CallOfHost& call) { return during.number() == call.number; });
  RequestOwner owner;
  if (found == calls.end()) {
    owner.problem = "the call that this belongs to has ended";
  } else {
    owner.session = found->whose();
    if (found->host) {
      owner.host = found->host;
      owner.calls.push_back(found->number);
    }
  }
  return owner;
}

}  // namespace

RequestOwner owner_of(const rpc::Id& during, const std::vector<CallOfHost>& calls) {
  if (during.exists()) {
    return owner_by_stream(during, calls);
  }
  RequestOwner owner;
  for (const CallOfHost& call : calls) {
    if (call.whose() == nullptr) {
      continue;
    }
    if (owner.session != nullptr && owner.session != call.whose()) {
      return {
          .host = nullptr,
          .calls = {},
          .problem = "more than one session has calls under way, and this cannot be told apart"};
    }
    owner.session = call.whose();
    if (call.host) {
      owner.host = call.host;
      owner.calls.push_back(call.number);
    }
  }
  return owner;
}

}  // namespace pi_mcp::mcp

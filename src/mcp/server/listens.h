// What a host wants to hear of (2026-07-28, subscriptions/listen): each of its requests stays open
// and names the kinds of changes that are told under its id. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/shared_text.h"
#include "json/document.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

struct ListenFilter {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::vector<std::string> uris;  // of resources
};

// What one more than there may be gets (ServerSession::Limits).
constexpr std::string_view too_many_listens =
    "as many subscriptions are open as there may be; end one of them";

// Of one request.
constexpr std::size_t listened_uris_max = 1000;

// `notifications` of the params. Else what is wrong with it.
tl::expected<ListenFilter, std::string> read_listen_filter(json::Value notifications);

// Whether a resource is another one or a part of it, as servers may name it (server/resources,
// "Subscriptions").
bool is_resource_or_part(std::string_view uri, std::string_view watched);

class Listens {
 public:
  struct Told {
    rpc::Id listen;
    rpc::Outgoing message;
  };

  // The acknowledgement, which goes first. `uris` of the filter are those that are watched.
  rpc::Outgoing open(rpc::Id id, ListenFilter filter);
  // By the host. What was watched for it; nullopt: there is no such request.
  std::optional<std::vector<std::string>> close(const rpc::Id& id);
  // By us: the answer to each, at last.
  std::vector<Told> end();
  [[nodiscard]] bool has(const rpc::Id& id) const;
  [[nodiscard]] std::size_t size() const { return open_.size(); }

  // The notification for each who wants to hear of this; `uri` where it is of a resource.
  [[nodiscard]] std::vector<Told> tell(std::string_view method,
                                       const SharedText& params,
                                       std::string_view uri) const;

 private:
  struct Listen {
    rpc::Id id;
    ListenFilter filter;
  };
  std::vector<Listen> open_;
};

}  // namespace pi_mcp::mcp

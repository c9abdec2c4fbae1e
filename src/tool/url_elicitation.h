// Error -32042 of a call: the user has to open pages before the server can do it, to allow it
// access to something, or to pay (MCP 2025-11-25, client/elicitation, "URL Elicitation Required
// Error").
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/loop/task.h"
#include "json/document.h"
#include "mcp/client_features.h"
#include "rpc/message.h"
#include "servers/link/connection.h"
#include "servers/link/host_link.h"

namespace pi_mcp::tool {

// More of these in one error are left out.
constexpr std::size_t url_elicitations_max = 8;

struct UrlElicitation {
  json::Value params;  // of the elicitation
  std::string url;
  std::string message;  // from the server, for the user
};

[[nodiscard]] bool wants_pages(const rpc::Message& answer);

// Points into `answer`. Empty: it is not such an error, or none of its pages can be opened.
std::vector<UrlElicitation> url_elicitations(const rpc::Message& answer);

// Whether every one of them may be shown to a person: see io::check_page().
io::Task<Result<void>> check_pages(std::shared_ptr<servers::Connection> connection,
                                   std::vector<UrlElicitation> pages);

// Whether the host can show every one of them to its user.
[[nodiscard]] bool can_show(const mcp::ClientFeatures& host,
                            const std::vector<UrlElicitation>& pages);

// What the user said to all of them. Errors: why there was no answer; cancelled.
enum class PagesAnswer : std::uint8_t { agreed, refused };
io::Task<Result<PagesAnswer>> show_pages(std::shared_ptr<servers::HostLink> host,
                                         std::string server,
                                         std::vector<UrlElicitation> pages);

// The pages as lines of a text.
std::string page_lines(const std::vector<UrlElicitation>& pages);

}  // namespace pi_mcp::tool

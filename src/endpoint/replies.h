// What is answered before a message reaches a session.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/request_parser.h"
#include "io/net/http_server.h"
#include "rpc/outgoing.h"

namespace pi_mcp::endpoint {

// The body says it too: clients of MCP read that of any status.
io::HttpReply failed(int status, const rpc::Outgoing& failure);
// To nothing that has an id. `why`: a sentence without full stop.
io::HttpReply refused(int status, std::string_view why, http::Headers headers = {});
http::Headers retry_after(std::string_view seconds = "1");
io::HttpReply plain(int status, std::string_view text);

// For a page of another origin that may come: what it may see of an answer (WHATWG Fetch, "CORS
// protocol"). Empty for whoever is no page.
http::Headers page_headers(const http::RequestHead& head);
// To a browser that asks before its page does.
io::HttpReply preflight(const http::RequestHead& head);

// Whether a list of media types ("a/b;q=1, */*") has this one.
[[nodiscard]] bool accepts(std::string_view accept, std::string_view type);

}  // namespace pi_mcp::endpoint

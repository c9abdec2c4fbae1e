// What the message of a client means for the session that it is for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "endpoint/place.h"
#include "gateway/session.h"
#include "http/request_parser.h"
#include "rpc/message.h"

namespace pi_mcp::endpoint {

// What is wrong with arguments that a tool wants to see in headers as well, as far as its server
// has been met.
std::optional<std::string> wrong_parameter(const http::RequestHead& head,
                                           const rpc::Message& message,
                                           const Place& place,
                                           const gateway::Session& session);

// Whether it leaves something that a session's id does not say.
[[nodiscard]] bool leaves_something(const rpc::Message& message, const Place& place);

// How many requests it is: answers and notifications are none.
[[nodiscard]] std::size_t requests_in(const rpc::Message& message);

}  // namespace pi_mcp::endpoint

// How the refusals of an authorisation server are told to people. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace pi_mcp::auth {

// `error` and `error_description` as an authorisation server says them, in one short printable
// line, without any of `secrets`: some servers repeat what they were sent.
std::string refusal_text(std::string_view error,
                         std::string_view description,
                         const std::vector<std::string>& secrets);

// refusal_text() of an answer's JSON body (RFC 6749 section 5.2), or its status when it has none:
// "invalid_grant (the code has expired)", "HTTP 503".
std::string failure_text(const http::Answer& answer, const std::vector<std::string>& secrets);

}  // namespace pi_mcp::auth

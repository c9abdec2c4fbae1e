// One message on its way to a server behind a url.
#pragma once

#include <cstdint>
#include <string>

#include "rpc/message.h"

namespace pi_mcp::transport {

struct HttpPost {
  std::string body;
  rpc::Message::Kind kind = rpc::Message::Kind::notification;
  rpc::Id id;
  std::string method;  // empty for answers

  [[nodiscard]] bool is_call() const { return kind == rpc::Message::Kind::request; }
};

// The methods that a transport has to know.
namespace http_method {
constexpr std::string_view initialize = "initialize";
constexpr std::string_view initialized = "notifications/initialized";
constexpr std::string_view cancelled = "notifications/cancelled";
constexpr std::string_view tools_call = "tools/call";
}  // namespace http_method

}  // namespace pi_mcp::transport

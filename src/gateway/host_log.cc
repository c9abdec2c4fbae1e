#include "gateway/host_log.h"

#include <array>
#include <string>

#include "json/writer.h"
#include "mcp/methods.h"

namespace pi_mcp::gateway {
namespace {

constexpr std::array<std::string_view, 8> level_names = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < level_names.size(); ++i) {
    if (level_names[i] == name) {
      return static_cast<LogLevel>(i);
    }
  }
  return std::nullopt;
}

std::optional<rpc::Outgoing> HostLog::of_server(std::string_view server, json::Value params) const {
  const LogLevel level =
      parse_log_level(params.find("level").string_or("")).value_or(LogLevel::info);
  if (level < least_) {
    return std::nullopt;
  }
  const std::string logger = params.find("logger").string_or("");
  json::Writer out;
  out.begin_object().member("level", level_names[static_cast<std::size_t>(level)]);
  out.member("logger", logger.empty() ? std::string(server) : std::string(server) + "/" + logger);
  for (const auto [key, value] : params.members()) {
    if (!key.equals("level") && !key.equals("logger")) {
      out.member_raw(key.string_or(""), value.raw());
    }
  }
  return rpc::notification(mcp::method::log_message, SharedText(out.end_object().take()));
}

}  // namespace pi_mcp::gateway

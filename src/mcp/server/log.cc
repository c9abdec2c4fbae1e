#include "mcp/server/log.h"

#include <string>
#include <utility>

#include "base/text.h"
#include "json/writer.h"
#include "mcp/methods.h"
#include "mcp/own_meta.h"

namespace pi_mcp::mcp {
namespace {

rpc::Outgoing own_message(LogLevel level, std::string_view text) {
  json::Writer out;
  out.begin_object()
      .member("level", name_of(level))
      .member("logger", own_logger)
      .member("data", text)
      .end_object();
  return rpc::notification(method::log_message, SharedText(out.take()));
}

}  // namespace

std::optional<rpc::Outgoing> HostLog::of_server(std::string_view server,
                                                json::Value params,
                                                TimePoint now) {
  const LogLevel level =
      parse_log_level(params.find("level").string_or("")).value_or(LogLevel::info);
  if (level < least_) {
    return std::nullopt;
  }
  const auto found = flows_.find(server);
  Flow& flow = found != flows_.end() ? found->second : flows_[std::string(server)];
  if (!flow.rate.take(now)) {
    ++flow.left_out;
    left_out_ = true;
    return std::nullopt;
  }
  if (server.empty()) {
    return rpc::notification(method::log_message, SharedText::copy(params.raw()));
  }
  const std::string logger = params.find("logger").string_or("");
  json::Writer out;
  out.begin_object().member("level", name_of(level));
  out.member("logger",
             logger.empty() ? std::string(server)
                            : std::string(server) + "/" + text::printable_line(logger));
  for (const auto [key, value] : params.members()) {
    if (key.equals("data") && value.is_string()) {
      out.member("data", text::printable(value.string_or("")));
    } else if (!key.equals("level") && !key.equals("logger")) {
      write_foreign_member(out, {.key = key, .value = value});
    }
  }
  return rpc::notification(method::log_message, SharedText(out.end_object().take()));
}

std::optional<rpc::Outgoing> HostLog::of_us(LogLevel level, std::string_view text) const {
  return level < least_ ? std::nullopt
                        : std::optional(own_message(level, text::printable_line(text)));
}

std::vector<rpc::Outgoing> HostLog::left_out() {
  std::vector<rpc::Outgoing> notifications;
  for (auto& [server, flow] : flows_) {
    if (const std::size_t count = std::exchange(flow.left_out, 0); count > 0) {
      const std::string whose = server.empty() ? "" : " of \"" + server + "\"";
      notifications.push_back(own_message(LogLevel::warning,
                                          std::to_string(count) +
                                              (count == 1 ? " message" : " messages") + whose +
                                              (count == 1 ? " was" : " were") + " left out"));
    }
  }
  left_out_ = false;
  return notifications;
}

}  // namespace pi_mcp::mcp

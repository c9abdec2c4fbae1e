#include "mcp/server/progress.h"

#include <chrono>
#include <string>

#include "json/writer.h"
#include "mcp/methods.h"
#include "mcp/own_meta.h"

namespace pi_mcp::mcp {
namespace {

// Far below the first step that any server reports.
constexpr double phase_step = 1e-6;

}  // namespace

std::optional<rpc::Outgoing> HostProgress::of_server(json::Value params) {
  const std::optional<double> progress = params.find("progress").as_double();
  if (!progress || (last_ && *progress <= *last_)) {
    return std::nullopt;
  }
  last_ = progress;
  server_reported_ = true;
  json::Writer writer;
  writer.begin_object().member_raw("progressToken", token_json_);
  for (const auto [key, value] : params.members()) {
    if (!key.equals("progressToken")) {
      write_foreign_member(writer, {.key = key, .value = value});
    }
  }
  return rpc::notification(method::progress, SharedText(writer.end_object().take()));
}

std::optional<rpc::Outgoing> HostProgress::of_phase(std::string_view what, Duration since) {
  if (server_reported_) {
    return std::nullopt;
  }
  last_ = phase_step * phases_;
  // In decimals: hosts show it, and a writer of numbers would say 4.9999999999999996e-06.
  const std::string progress = phases_ == 0 ? "0" : std::to_string(*last_);
  ++phases_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
  std::string message(what);
  if (seconds > 0) {
    message += " (" + std::to_string(seconds) + " s)";
  }
  json::Writer params;
  params.begin_object().member_raw("progressToken", token_json_).member_raw("progress", progress);
  params.member("message", message).end_object();
  return rpc::notification(method::progress, SharedText(params.take()));
}

std::string progress_token(json::Value params) {
  const json::Value token = params.at({"_meta", "progressToken"});
  const bool usable = token.is_string() || token.is(json::Kind::number);
  return usable ? std::string(token.raw()) : std::string();
}

}  // namespace pi_mcp::mcp

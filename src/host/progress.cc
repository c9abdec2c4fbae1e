#include "host/progress.h"

#include <memory>
#include <utility>

#include "io/loop/clock.h"
#include "json/writer.h"
#include "mcp/methods.h"
#include "mcp/server_session.h"

namespace pi_mcp::host {
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
  return mcp::progress_notification(token_json_, params);
}

std::optional<rpc::Outgoing> HostProgress::of_phase(std::string_view what, Duration since) {
  if (server_reported_) {
    return std::nullopt;
  }
  last_ = phase_step * phases_;
  ++phases_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
  std::string message(what);
  if (seconds > 0) {
    message += " (" + std::to_string(seconds) + " s)";
  }
  json::Writer params;
  params.begin_object().member_raw("progressToken", token_json_).key("progress").number(*last_);
  params.member("message", message).end_object();
  return rpc::notification(mcp::method::progress, SharedText(params.take()));
}

void tell_progress(tool::CallContext& context,
                   std::string token_json,
                   std::function<void(rpc::Outgoing notification)> send) {
  const auto progress = std::make_shared<HostProgress>(std::move(token_json));
  const auto forward = [send = std::move(send)](std::optional<rpc::Outgoing> notification) {
    if (notification) {
      send(*std::move(notification));
    }
  };
  context.on_progress = [progress, forward](json::Value params) {
    forward(progress->of_server(params));
  };
  context.on_phase = [progress, forward, began = io::now()](std::string_view what) {
    forward(progress->of_phase(what, io::now() - began));
  };
}

}  // namespace pi_mcp::host

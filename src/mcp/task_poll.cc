#include "mcp/task_poll.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "json/writer.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {
namespace {

constexpr std::int64_t pause_min_ms = 50;
constexpr std::int64_t pause_max_ms = 30'000;

std::optional<TaskPoll::Status> parse_status(std::string_view text) {
  using Status = TaskPoll::Status;
  using Named = std::pair<std::string_view, Status>;
  for (const auto& [name, status] : std::array{Named("working", Status::working),
                                               Named("input_required", Status::input_required),
                                               Named("completed", Status::completed),
                                               Named("failed", Status::failed),
                                               Named("cancelled", Status::cancelled)}) {
    if (name == text) {
      return status;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<TaskPoll> TaskPoll::begin(json::Value created) {
  std::string id = created.find("taskId").string_or("");
  if (id.empty()) {
    return fail(ErrorCode::protocol, "the server made a task of the call and gave it no taskId");
  }
  TaskPoll poll(std::move(id));
  poll.note(created);
  return poll;
}

Result<TaskPoll::Status> TaskPoll::take(json::Value task) {
  const std::optional<Status> status = parse_status(task.find("status").string_or(""));
  if (!status) {
    return fail(ErrorCode::protocol, "the server's answer to tasks/get has no known status");
  }
  note(task);
  is_over_ =
      *status == Status::completed || *status == Status::failed || *status == Status::cancelled;
  return *status;
}

void TaskPoll::note(json::Value task) {
  message_ = task.find("statusMessage").string_or("");
  std::string now = message_.empty() ? task.find("status").string_or("") : message_;
  if (now != told_) {
    told_ = now;
    news_ = std::move(now);
  }
  for (const std::string_view key : {"pollInterval", "pollIntervalMs"}) {
    if (const std::optional<std::int64_t> wish = task.find(key).as_int()) {
      pause_ = Milliseconds(std::clamp(*wish, pause_min_ms, pause_max_ms));
    }
  }
}

Result<rpc::Message> task_outcome(const rpc::Id& id, json::Value task) {
  const json::Value result = task.find("result");
  if (result.is_object()) {
    return rpc::Message::parse(rpc::result(id, rpc::Outgoing(std::string(result.raw()))).flat());
  }
  const json::Value error = task.find("error");
  if (!error.is_object()) {
    return fail(ErrorCode::protocol, "the server's task is over and has neither result nor error");
  }
  return rpc::Message::parse(rpc::failure(id,
                                          error.find("code").as_int().value_or(0),
                                          error.find("message").string_or(""),
                                          error.find("data").raw())
                                 .flat());
}

SharedText TaskPoll::params() const {
  return SharedText(R"({"taskId":)" + json::quoted(id_) + "}");
}

SharedText TaskPoll::update(std::string_view input_responses) const {
  json::Writer out;
  out.begin_object().member("taskId", id_).member_raw("inputResponses", input_responses);
  return SharedText(out.end_object().take());
}

}  // namespace pi_mcp::mcp

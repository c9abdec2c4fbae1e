// A call that the server goes on with as a task (of 2025-11-25, or of the extension
// io.modelcontextprotocol/tasks): asked for until it is over. One task a value. Pure: no I/O, no
// clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "json/document.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

constexpr std::string_view tasks_extension = "io.modelcontextprotocol/tasks";

class TaskPoll {
 public:
  // What the server says of a task that it has made. protocol: it has no id.
  static Result<TaskPoll> begin(json::Value created);

  enum class Status : std::uint8_t { working, input_required, completed, failed, cancelled };
  // Takes what tasks/get answered. protocol: it is not understood.
  Result<Status> take(json::Value task);

  // take() has seen that it is: there is nothing left to cancel.
  [[nodiscard]] bool is_over() const { return is_over_; }

  // Before the next look: what the server wishes, within limits.
  [[nodiscard]] Milliseconds pause() const { return pause_; }
  [[nodiscard]] const std::string& message() const {
    return message_;
  }  // of its status, for people
  // What is new of it for people, once: the message of its status, or the status where it has none.
  std::optional<std::string> take_news() { return std::exchange(news_, std::nullopt); }

  // Params of tasks/get, tasks/result and tasks/cancel.
  [[nodiscard]] SharedText params() const;
  // Params of tasks/update.
  [[nodiscard]] SharedText update(std::string_view input_responses) const;

 private:
  explicit TaskPoll(std::string id) : id_(std::move(id)) {}
  void note(json::Value task);

  std::string id_;
  std::string message_;
  std::string told_;  // what take_news() gave or will give
  std::optional<std::string> news_;
  bool is_over_ = false;
  Milliseconds pause_{1000};
};

// What the caller of the call gets for a task that is completed or has failed: its result or error
// as the answer with that id. protocol: it has neither.
Result<rpc::Message> task_outcome(const rpc::Id& id, json::Value task);

}  // namespace pi_mcp::mcp

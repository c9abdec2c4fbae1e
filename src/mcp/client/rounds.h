// One call on its way through its requests. Where a server asks by results (2026-07-28, and some in
// older revisions), its questions are answered and the call is made again. What becomes a task,
// there or because the call asks for one (2025-11-25), is followed to its end. Pure: no I/O; time
// is an argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "mcp/client/actions.h"
#include "mcp/round_trips.h"
#include "mcp/task_poll.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

class Rounds {
 public:
  // How a call becomes a task.
  enum class Tasks : std::uint8_t {
    by_server,   // when it likes; a look at it gives its result
    by_request,  // because we ask for one; tasks/result gives its result
    none,        // it does not
  };
  // `params` is a JSON object or empty.
  Rounds(Call call, SharedText params, Tasks tasks, TimePoint now);

  // Send this; its answer goes to on_answer().
  struct Request {
    std::string_view method;
    SharedText params;
  };
  // Put this to the host; what comes of it goes to on_host().
  struct Ask {
    Question question;  // points into this
  };
  // Read the lists again; on_lists() when that is done.
  struct ReadLists {};
  // on_time() then.
  struct Wait {
    TimePoint until;
  };
  // What the caller gets.
  struct Over {
    Result<rpc::Message> answer;
  };
  using Step = std::variant<Request, Ask, ReadLists, Wait, Over>;

  [[nodiscard]] Request begin() const { return {.method = call_.method, .params = params_}; }
  Step on_answer(Result<rpc::Message> answer, TimePoint now);
  // The host's answer, or why it was not asked.
  Step on_host(Result<rpc::Message> answer);
  Step on_lists(bool were_read);
  Step on_time(TimePoint now);

  // For the next request: what is left of the time of the whole call.
  [[nodiscard]] rpc::CallTimes times(TimePoint now) const;
  // When it ends before its task does: the params of tasks/cancel.
  [[nodiscard]] std::optional<SharedText> task_to_cancel() const;
  // See TaskPoll.
  std::optional<std::string> take_news() { return task_ ? task_->take_news() : std::nullopt; }
  [[nodiscard]] Call& call() { return call_; }
  // What was returned last as Wait.
  [[nodiscard]] TimePoint next_wake() const { return wake_; }

 private:
  // What is waited for.
  enum class Stage : std::uint8_t { call, questions, look, update, result };

  Step on_call(rpc::Message answer, TimePoint now);
  Step on_look(rpc::Message task, TimePoint now);
  Step begin_task(const rpc::Id& id, json::Value created, TimePoint now);
  Step ask_for_result();
  Step begin_questions(Result<std::vector<Question>> questions, TimePoint now);
  Step next_question();
  Step wait(TimePoint until);
  Step again();
  [[nodiscard]] Step over(Error error) const;

  Call call_;
  Tasks tasks_;
  TimePoint deadline_;
  SharedText params_;  // of the call's next request
  RoundTrips trips_;
  Stage stage_ = Stage::call;
  bool lists_were_read_ = false;  // because the server missed a header
  TimePoint wake_ = TimePoint::max();

  std::optional<rpc::Message> asked_;  // what the questions point into
  std::vector<Question> questions_;
  std::vector<AnsweredQuestion> answers_;  // to the first of them
  std::optional<TaskPoll> task_;
  rpc::Id id_;  // of the answer that made the task
};

}  // namespace pi_mcp::mcp

// A call of a host that is asked by results (2026-07-28, basic/patterns/mrtr): what is asked while
// it runs becomes the answer to its request, and the request that comes again with the host's
// answers goes on with it. One call a value. Pure: no I/O; time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "base/shared_text.h"
#include "base/time.h"
#include "json/document.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

// For a requestState that is none of those that wait.
constexpr std::string_view unknown_state =
    "this requestState is not good: it was used, it has expired, or pi-mcp was started anew; call "
    "again without it";

class InputRounds {
 public:
  // `params` of the request that began the call.
  explicit InputRounds(SharedText params) : params_(std::move(params)) {}

  // Something is to be asked; and nobody waits for its answer any more (false: it is not here).
  void ask(std::int64_t question, std::string method, SharedText params);
  bool withdraw(std::int64_t question);
  [[nodiscard]] bool has_questions() const { return !questions_.empty(); }

  // The result that asks all of it. The host may come back with `state`, once.
  std::string put(std::string state, TimePoint now);
  // The host has been asked and has not come back.
  [[nodiscard]] bool is_put() const { return !state_.empty(); }
  [[nodiscard]] bool is_put_as(json::Value state) const { return is_put() && state.equals(state_); }
  [[nodiscard]] TimePoint since() const { return since_; }
  // It came back, or will not be waited for.
  void take_back() { state_.clear(); }

  // Whether a request asks for the same: all of its params but those of a round, in any order.
  [[nodiscard]] bool is_same_call(json::Value params) const;
  // An answer of the host to a question: a result.
  struct Answer {
    std::int64_t question = 0;
    rpc::Message result;
  };
  // What `responses` (inputResponses) answer of what was asked; these questions are no longer here.
  // Others are ignored. Else which of them is not what its question wants; then nothing has
  // changed.
  tl::expected<std::vector<Answer>, std::string> take(json::Value responses);

  // The call has ended before the host came back.
  void keep(rpc::Outgoing reply) { kept_ = std::move(reply); }
  [[nodiscard]] std::optional<rpc::Outgoing> take_kept() { return std::exchange(kept_, {}); }
  [[nodiscard]] bool has_kept() const { return kept_.has_value(); }

  // Of what is kept here for the host's return.
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Question {
    std::int64_t number = 0;
    std::string method;
    SharedText params;
  };

  SharedText params_;
  std::vector<Question> questions_;  // without an answer
  std::string state_;                // empty: nothing has been put
  TimePoint since_;
  std::optional<rpc::Outgoing> kept_;
};

}  // namespace pi_mcp::mcp

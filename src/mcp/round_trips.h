// A call of 2026-07-28 that the server answers with questions: they are answered, and the call is
// made again with the answers, until there is a result (basic/patterns/mrtr). One call a value.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/shared_text.h"
#include "json/document.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

// Rounds of one call; a server that asks on and on is given up.
constexpr std::size_t rounds_max = 10;
constexpr std::size_t questions_max = 32;  // of one round

// One member of inputRequests; points into the answer it was read from.
struct Question {
  std::string key;
  std::string method;
  json::Value params;
};
struct AnsweredQuestion {
  std::string key;
  std::string result;  // JSON
};

// The questions of an input_required result, or of a task that waits for input. protocol: not
// understood, or too many.
Result<std::vector<Question>> read_questions(json::Value result);

// {"key":result,...}
std::string input_responses(const std::vector<AnsweredQuestion>& answers);

class RoundTrips {
 public:
  // `params` of the call, a JSON object or empty.
  explicit RoundTrips(SharedText params) : params_(std::move(params)) {}

  // Takes a result that is input_required and gives its questions; there may be none when only time
  // has to pass. protocol: it has neither questions nor a state, or this is one round too many.
  Result<std::vector<Question>> take(const rpc::Message& answer);

  // The params of the call again: with these answers, and with the server's state byte by byte when
  // it gave one. The answers and the state of earlier rounds are not in them.
  [[nodiscard]] SharedText params(const std::vector<AnsweredQuestion>& answers) const;

 private:
  SharedText params_;
  SharedText state_;  // JSON of requestState; empty: none
  std::size_t rounds_ = 0;
};

}  // namespace pi_mcp::mcp

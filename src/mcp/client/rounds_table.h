// Calls that take several requests (mcp/client/rounds.h), those that are under way on one link.
// Pure: no I/O; time is an argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "mcp/client/actions.h"
#include "mcp/client/host_questions.h"
#include "mcp/client/in_flight.h"
#include "mcp/client/listing_reader.h"
#include "mcp/client/rounds.h"
#include "rpc/call_table.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

class RoundsTable {
 public:
  // What it uses, which outlives it.
  struct Uses {
    Outbox* outbox = nullptr;
    InFlight* in_flight = nullptr;
    HostQuestions* questions = nullptr;
    ListingReader* lists = nullptr;
  };
  explicit RoundsTable(Uses uses) : uses_(uses) {}

  // The number of its first request, which stays that of the call. Errors as of InFlight::send().
  Result<rpc::CallNumber> begin(Call call, SharedText params, Rounds::Tasks tasks, TimePoint now);
  // The answer to a request of a caller asks for something; `number` stays that of the call.
  void take_over(rpc::CallNumber number,
                 InFlight::Request&& request,
                 rpc::Message answer,
                 TimePoint now);
  // The caller has gone. False: there is no such call.
  bool cancel(rpc::CallNumber number, std::string_view reason, TimePoint now);
  // Each ignores a number that is not there any more.
  void on_answer(rpc::CallNumber number, Result<rpc::Message> answer, TimePoint now);
  void on_host(rpc::CallNumber number, Result<rpc::Message> answer, TimePoint now);
  void on_lists(rpc::CallNumber number, bool were_read, TimePoint now);
  void on_time(TimePoint now);
  // The link is over: so are the calls that have no request under way, as those that wait for a
  // host.
  void on_end(TimePoint now);
  [[nodiscard]] TimePoint next_wake() const;

 private:
  struct UnderWay {
    Rounds rounds;
    rpc::CallNumber request = 0;  // 0: none is under way
    std::uint32_t news = 0;       // that were told
  };
  Result<rpc::CallNumber> send(Rounds& rounds,
                               rpc::CallNumber number,
                               const Rounds::Request& request,
                               TimePoint now);
  void go_on(rpc::CallNumber number, Rounds::Step step, TimePoint now);
  std::optional<Rounds::Step> take(rpc::CallNumber number, Rounds::Step step, TimePoint now);
  void tell_news(rpc::CallNumber number, UnderWay& call);
  void cancel_task(const Rounds& rounds, TimePoint now);

  Uses uses_;
  std::unordered_map<rpc::CallNumber, UnderWay> under_way_;
};

}  // namespace pi_mcp::mcp

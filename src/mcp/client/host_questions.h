// What one server asks of hosts: which of it is forwarded, how much, and the calls that wait for
// it. Pure: no I/O; time is an argument.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rate.h"
#include "base/result.h"
#include "mcp/client/actions.h"
#include "mcp/client/in_flight.h"
#include "mcp/client_features.h"
#include "mcp/forwarded_request.h"
#include "mcp/round_trips.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

// Requests of one server under way at once; more are refused.
constexpr std::size_t forwarded_requests_max = 16;

// Most requests are for a person. A server that works through a list may ask some at once; what is
// over this is refused.
constexpr RateLimits forwarded_rate{.burst = 20, .interval = Milliseconds(200), .waiting = 8};

class HostQuestions {
 public:
  struct Options {
    std::string server;            // its configured name
    ClientFeatures features = {};  // that were declared
    // Whom to ask for roots where no call says it; null or returning null: nobody.
    std::function<std::shared_ptr<Host>()> roots_host = nullptr;
    // What that session has declared, which may be less than the link; null: the same.
    std::function<ClientFeatures(const void* session, const Host& host)> features_of = nullptr;
  };
  // `outbox` and `in_flight` outlive this.
  HostQuestions(Options options, Outbox* outbox, InFlight* in_flight)
      : options_(std::move(options)), outbox_(outbox), in_flight_(in_flight) {}

  // A request of the server: it is put to the host of the calls that have caused it, and these wait
  // for it; or it is answered with the reason why not: what the host cannot do, what belongs to no
  // call and is for a person or a model, and what is too much.
  void on_request(const rpc::Message& request, TimePoint now);
  // The same for a question in a result of the call `rounds`, which is `asker`. protocol,
  // unavailable: it is not put.
  Result<void> on_question(const Question& question,
                           const Call& asker,
                           rpc::CallNumber rounds,
                           TimePoint now);
  // Some elicitations of this session are to be completed elsewhere: those that a failure asks for.
  void note_pages(json::Value error, const void* session);
  // Whose elicitation it is that notifications/elicitation/complete is about; nullopt: nobody was
  // asked for it, so that nobody is told.
  [[nodiscard]] std::optional<const void*> session_of_page(json::Value params) const;
  // The server gets its answer. Of a question in a result: the call that has asked it, and `answer`
  // is what the server is to get.
  std::optional<rpc::CallNumber> on_host_answer(QuestionNumber question,
                                                Result<rpc::Message>& answer,
                                                TimePoint now);
  // By the server itself, which gets no answer then.
  void on_cancelled(const rpc::Id& id, TimePoint now);
  // What only that call has waited for is withdrawn, and the server hears that.
  void on_call_end(rpc::CallNumber number);
  [[nodiscard]] bool is_empty() const { return asked_.empty(); }

 private:
  struct Asked {
    rpc::Id id;  // absent: of `rounds`
    std::string method;
    std::vector<rpc::CallNumber> calls;  // that wait for it and have not ended
    rpc::CallNumber rounds = 0;
    std::string defaults;  // see form_defaults()
  };
  void ask(Asked asked, std::shared_ptr<Host> host, json::Value params, TimePoint turn);
  [[nodiscard]] std::size_t requests() const;
  [[nodiscard]] std::optional<Refusal> beyond(std::string_view method,
                                              json::Value params,
                                              const void* session,
                                              const Host* host) const;
  void note_page(std::string id, const void* session);
  std::map<QuestionNumber, Asked>::iterator find(const rpc::Id& id);

  Options options_;
  Outbox* outbox_;
  InFlight* in_flight_;
  Rate rate_{forwarded_rate};
  std::map<QuestionNumber, Asked> asked_;
  std::deque<std::pair<std::string, const void*>> pages_;  // elicitationId and whose it is
  QuestionNumber last_ = 0;
};

}  // namespace pi_mcp::mcp

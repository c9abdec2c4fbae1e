// Streamable HTTP (MCP basic/transports): a POST for each message, its answer as JSON or as events.
// From 2025-03-26 to 2025-11-25 with a session that the server may give and take back, and a stream
// for what the server says by itself; since 2026-07-28 without.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/shared_text.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "transport/http/endpoint.h"
#include "transport/http/events.h"
#include "transport/http/inbox.h"
#include "transport/http/post.h"

namespace pi_mcp::transport {

// Whether the answer to a first request says that the url may speak HTTP+SSE instead.
[[nodiscard]] bool may_be_older(int status);

class StreamableHttp {
 public:
  // What a POST led to. older: nothing was done, the server may speak HTTP+SSE; `complaint` is what
  // there is to say if it does not.
  struct Outcome {
    bool older = false;
    std::optional<Error> complaint;
  };

  // All three outlive this.
  StreamableHttp(const io::Executor& executor,
                 HttpEndpoint* endpoint,
                 HttpInbox* inbox,
                 io::TaskGroup* tasks);

  // Sends the message and puts what comes back into the inbox; returns when the answer to a call is
  // there. A session that is lost is renewed once and the message sent again: a server that does
  // not know the session has not run it. unavailable, protocol, unauthorized, cancelled.
  io::Task<Result<Outcome>> post(HttpPost post);

  // Ends the session, if there is one.
  io::Task<void> say_goodbye();

 private:
  enum class Answered : bool { no, yes };

  io::Task<Result<Outcome>> post_once(const HttpPost* post, std::string* lost_session);
  io::Task<Result<Outcome>> take_refusal(const HttpPost* post,
                                         std::unique_ptr<io::HttpResponse> response,
                                         std::string* lost_session);
  io::Task<Result<Outcome>> take_stateless_refusal(const HttpPost* post,
                                                   int status,
                                                   std::string body,
                                                   Error complaint);
  io::Task<Result<Outcome>> answer_with(rpc::Outgoing failure);
  io::Task<Result<void>> take_answer(const HttpPost* post,
                                     std::unique_ptr<io::HttpResponse> response);
  io::Task<Result<Answered>> take_json(const HttpPost* post, std::string text);
  io::Task<Result<Answered>> take_message(const HttpPost* post, rpc::Message message);
  io::Task<Result<void>> follow(const HttpPost* post, std::unique_ptr<HttpEvents> events);
  io::Task<Result<Answered>> follow_until_end(const HttpPost* post, HttpEvents* events);
  io::Task<Result<std::unique_ptr<HttpEvents>>> resume(std::string last_event_id);

  io::Task<Result<void>> renew_session(std::string lost);
  io::Task<Result<void>> initialize_again();
  io::Task<void> listen();
  io::Task<bool> listen_once(std::string* last_event_id, std::optional<Milliseconds>* retry);

  void note_sent(const HttpPost& post);
  void note_answered(const HttpPost& post, const rpc::Message& answer);
  [[nodiscard]] http::Headers headers(std::string_view accept) const;
  [[nodiscard]] http::Headers post_headers(const HttpPost& post) const;

  HttpEndpoint* endpoint_;
  HttpInbox* inbox_;
  io::TaskGroup* tasks_;
  std::string session_id_;
  std::string protocol_version_;  // negotiated
  SharedText initialize_params_;  // of the handshake, to repeat it
  bool is_renewing_ = false;
  bool is_listening_ = false;
  int renewals_ = 0;
  io::Condition renewed_;
};

}  // namespace pi_mcp::transport

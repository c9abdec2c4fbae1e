#include "mcp/server/server_session.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.h"
#include "json/writer.h"
#include "mcp/discovery.h"
#include "mcp/methods.h"
#include "mcp/requests.h"
#include "mcp/revisions.h"
#include "mcp/server/declared.h"

namespace pi_mcp::mcp {
namespace {

// A person may be away for so long; then the question counts as not answered.
constexpr Milliseconds person_answers_max{10 * 60'000};
// For what a host answers by itself (roots/list).
constexpr Milliseconds host_answers_max{30'000};
// What goes on of the reason why a host cancels; it is for logs.
constexpr std::size_t reason_units_max = 500;

}  // namespace

ServerSession::ServerSession(Options options) : options_(std::move(options)) {
  in_flight_.last_question = options_.last_question;
  if (options_.met_before) {
    host_ = *options_.met_before;
    revision_ = host_.revision;
    is_initialized_ = true;
    is_ready_ = true;
    is_met_ = true;
    actions_.emplace_back(upward::Met());
  }
}

void ServerSession::send(std::optional<rpc::Outgoing> message, const rpc::Id& during) {
  if (message) {
    actions_.emplace_back(upward::Send{.message = *std::move(message), .during = during});
  }
}

std::optional<UpwardAction> ServerSession::next() {
  if (taken_ == actions_.size()) {
    actions_.clear();
    taken_ = 0;
    return std::nullopt;
  }
  return std::move(actions_[taken_++]);
}

std::optional<RequestKey> ServerSession::on_message(rpc::Message& message) {
  switch (message.kind()) {
    case rpc::Message::Kind::request:
      return on_request(message);
    case rpc::Message::Kind::notification:
      on_notification(message);
      break;
    case rpc::Message::Kind::batch:
      on_batch(message);
      break;
    case rpc::Message::Kind::result:
    case rpc::Message::Kind::failure:
      const std::int64_t question = message.id().number().value_or(0);
      if (std::erase(in_flight_.questions, question) > 0) {
        actions_.emplace_back(upward::Answered{.question = question, .answer = std::move(message)});
      }
      break;
  }
  return std::nullopt;
}

void ServerSession::reply(const rpc::Id& id, std::optional<rpc::Outgoing> reply) {
  if (!id.exists()) {
    return;  // its host has had an answer and does not come back
  }
  if (!reply) {
    actions_.emplace_back(upward::Unanswered{id});
  }
  send(batches_.reply(id, std::move(reply)));
}

void ServerSession::on_answer(const upward::Answer& asked, rpc::Outgoing reply) {
  reply.add_to_result(asked.members);
  this->reply(asked.request.id(), std::move(reply));
}

void ServerSession::on_batch(const rpc::Message& batch) {
  const std::size_t size = batch.root().size();
  const bool is_taken = is_initialized_ && traits(revision_).has_batches;
  if (!is_taken || size == 0 || size > batch_messages_max) {
    send(rpc::failure(
        {},
        rpc::error_code::invalid_request,
        !is_taken   ? "a batch of messages, which is not supported; send one message "
                      "a line"
        : size == 0 ? "a batch without messages"
                    : "a batch has at most " + std::to_string(batch_messages_max) + " messages"));
    return;
  }
  std::vector<rpc::Message> messages;
  std::vector<rpc::Id> requests;
  std::vector<rpc::Outgoing> answered;
  for (const json::Value element : batch.root().elements()) {
    Result<rpc::Message> message = rpc::Message::parse(batch.share(element));
    if (!message) {
      rpc::Outgoing refused = rpc::answer_to_unreadable(element.raw(), message.error());
      if (refused.bytes() > 0) {
        answered.push_back(std::move(refused));
      }
      continue;
    }
    if (message->kind() == rpc::Message::Kind::request) {
      requests.push_back(message->id());
    }
    messages.push_back(*std::move(message));
  }
  send(batches_.open(std::move(requests), std::move(answered)));
  for (rpc::Message& message : messages) {
    if (const std::optional<RequestKey> key = on_message(message)) {
      actions_.emplace_back(upward::Begin{.key = *key, .request = std::move(message)});
    }
  }
}

std::optional<RequestKey> ServerSession::on_request(rpc::Message& request) {
  static constexpr UpwardMethod unknown;
  using Since = UpwardMethod::Since;
  const UpwardMethod* const row = options_.find_row(request.method());
  const UpwardMethod& method = row != nullptr ? *row : unknown;
  if (has_envelope(request.params())) {
    on_stateless(request, method);
    return std::nullopt;
  }
  if (method.since == Since::initialized && !is_initialized_) {
    if (method.in == UpwardMethod::In::discovery_only || has_part_of_envelope(request.params())) {
      reply(request.id(), version_missing(request.id()));
    } else {
      refuse(request,
             rpc::error_code::invalid_request,
             "not initialized: the first request must be initialize");
    }
    return std::nullopt;
  }
  if (method.since == Since::initialized) {
    take_ready();
  }
  if (method.by == UpwardMethod::By::nobody || method.in == UpwardMethod::In::discovery_only ||
      !has(method)) {
    refuse(request,
           rpc::error_code::method_not_found,
           "method not found: " + request.method().substr(0, 128));
  } else if (method.is_greeting) {
    greet(request);
  } else if (method.by == UpwardMethod::By::server) {
    return admit(request, nullptr);
  } else if (method.by == UpwardMethod::By::us) {
    actions_.emplace_back(upward::Answer{.request = std::move(request)});
  } else {
    (this->*method.protocol)(request);
  }
  return std::nullopt;
}

void ServerSession::on_notification(const rpc::Message& message) {
  if (!is_initialized_ && !is_asked_) {
    return;
  }
  if (message.method() == method::cancelled) {
    cancel(message.during().exists() ? message.during() : cancelled_request(message.params()),
           text::cut(message.params().find("reason").string_or(""), reason_units_max));
  } else if (is_initialized_ && message.method() == method::initialized) {
    take_ready();
  } else if (is_initialized_ && message.method() == method::roots_list_changed) {
    actions_.emplace_back(upward::RootsChanged());
  }
}

void ServerSession::refuse(const rpc::Message& request, std::int64_t code, std::string_view why) {
  reply(request.id(), rpc::failure(request.id(), code, why));
}

void ServerSession::ping(const rpc::Message& request) {
  reply(request.id(), rpc::result(request.id(), rpc::Outgoing("{}")));
}

void ServerSession::set_log_level(const rpc::Message& request) {
  const auto level = parse_log_level(request.params().find("level").string_or(""));
  if (!level) {
    refuse(request,
           rpc::error_code::invalid_params,
           "logging/setLevel needs params.level, one of debug, info, notice, warning, error, "
           "critical, alert, emergency");
    return;
  }
  log_level_ = *level;
  actions_.emplace_back(upward::LogLevelSet{*level});
  reply(request.id(), rpc::result(request.id(), rpc::Outgoing("{}")));
}

ServerSession::InFlight::Request* ServerSession::InFlight::find(RequestKey key) {
  return key.place < running.size() && running[key.place].key == key ? &running[key.place]
                                                                     : nullptr;
}

ServerSession::InFlight::Request* ServerSession::InFlight::find(const rpc::Id& id) {
  const std::size_t hash = std::hash<std::string>()(id.json());
  const auto found = std::ranges::find_if(running, [&id, hash](const Request& request) {
    return request.id_hash == hash && request.id == id;
  });
  return found == running.end() ? nullptr : &*found;
}

std::size_t ServerSession::InFlight::put() const {
  return static_cast<std::size_t>(std::ranges::count_if(running, &Request::is_put));
}

std::size_t ServerSession::InFlight::rounds_bytes() const {
  std::size_t bytes = 0;
  for (const Request& request : running) {
    bytes += request.stateless ? request.stateless->rounds.bytes() : 0;
  }
  return bytes;
}

bool ServerSession::is_in_use(const rpc::Id& id) {
  return in_flight_.find(id) != nullptr || (listens_.size() > 0 && listens_.has(id)) ||
         std::ranges::find(in_flight_.waiting, id, &rpc::Message::id) != in_flight_.waiting.end();
}

std::optional<RequestKey> ServerSession::admit(rpc::Message& request,
                                               std::unique_ptr<Stateless> stateless) {
  if (is_in_use(request.id())) {
    refuse(request, rpc::error_code::invalid_request, id_in_use);
    return std::nullopt;
  }
  // Of what waits for a host there are rounds_max at most, and it does not keep others waiting.
  const std::size_t put = is_asked_ ? in_flight_.put() : 0;
  if (in_flight_.running.size() - in_flight_.free.size() - put < options_.limits.running_max) {
    return begin(request, std::move(stateless));
  }
  in_flight_.waiting_bytes += request.root().raw().size();
  in_flight_.waiting.push_back(std::move(request));
  return std::nullopt;
}

RequestKey ServerSession::begin(const rpc::Message& request, std::unique_ptr<Stateless> stateless) {
  if (in_flight_.free.empty()) {
    in_flight_.free.push_back(static_cast<std::uint32_t>(in_flight_.running.size()));
    in_flight_.running.emplace_back();
  }
  const RequestKey key{.place = in_flight_.free.back(), .serial = ++in_flight_.last_serial};
  in_flight_.free.pop_back();
  std::string token = progress_token(request.params());
  in_flight_.running[key.place] = {
      .key = key,
      .id = request.id(),
      .id_hash = std::hash<std::string>()(request.id().json()),
      .progress = token.empty() ? nullptr : std::make_unique<HostProgress>(std::move(token)),
      .is_cancelled = false,
      .stateless = std::move(stateless)};
  return key;
}

rpc::Message ServerSession::take_waiting(const std::deque<rpc::Message>::iterator& place) {
  rpc::Message taken = std::move(*place);
  in_flight_.waiting_bytes -= taken.root().raw().size();
  in_flight_.waiting.erase(place);
  return taken;
}

void ServerSession::cancel(const rpc::Id& id, std::string reason) {
  if (!id.exists()) {
    return;
  }
  if (std::optional<std::vector<std::string>> watched = listens_.close(id)) {
    if (!watched->empty()) {
      actions_.emplace_back(upward::Unwatch{*std::move(watched)});
    }
    reply(id, std::nullopt);
    return;
  }
  if (InFlight::Request* const running = in_flight_.find(id)) {
    running->is_cancelled = true;
    actions_.emplace_back(upward::Cancel{.key = running->key, .reason = std::move(reason)});
    return;
  }
  const auto waiting = std::ranges::find(in_flight_.waiting, id, &rpc::Message::id);
  if (waiting != in_flight_.waiting.end()) {
    take_waiting(waiting);
    reply(id, std::nullopt);
  }
}

void ServerSession::on_reply(RequestKey key, rpc::Outgoing reply) {
  InFlight::Request* const ended = in_flight_.find(key);
  if (ended == nullptr || (ended->stateless && keep_reply(*ended, reply))) {
    return;
  }
  const rpc::Id id = ended->id;
  const bool is_cancelled = ended->is_cancelled;
  const bool is_result = !is_cancelled && reply.is_result();
  free(key);
  this->reply(id, is_cancelled ? std::nullopt : std::optional(std::move(reply)));
  if (greeting_.exists() && id == greeting_) {
    end_greeting(is_result);
  }
  begin_waiting();
}

void ServerSession::free(RequestKey key) {
  in_flight_.running[key.place] = {};
  in_flight_.free.push_back(key.place);
}

void ServerSession::begin_waiting() {
  if (!in_flight_.waiting.empty()) {
    rpc::Message next = take_waiting(in_flight_.waiting.begin());
    std::unique_ptr<Stateless> stateless = is_asked_ ? read_stateless(next) : nullptr;
    std::vector<std::string> uris = stateless ? stateless->filter.uris : std::vector<std::string>();
    const RequestKey begun = begin(next, std::move(stateless));
    if (!uris.empty()) {
      actions_.emplace_back(upward::Watch{.key = begun, .uris = std::move(uris)});
    } else {
      actions_.emplace_back(upward::Begin{.key = begun, .request = std::move(next)});
    }
  }
}

ServerSession::InFlight::Request* ServerSession::with_progress(RequestKey key) {
  InFlight::Request* const request = in_flight_.find(key);
  return request == nullptr || request->is_cancelled || !request->progress ? nullptr : request;
}

bool ServerSession::wants_progress(RequestKey key) {
  return with_progress(key) != nullptr;
}

void ServerSession::on_progress(RequestKey key, json::Value params) {
  if (InFlight::Request* const request = with_progress(key)) {
    send(request->progress->of_server(params), request->id);
  }
}

void ServerSession::on_phase(RequestKey key, std::string_view what, Duration since) {
  if (InFlight::Request* const request = with_progress(key)) {
    send(request->progress->of_phase(what, since), request->id);
  }
}

void ServerSession::end() {
  in_flight_.waiting.clear();
  for (InFlight::Request& request : in_flight_.running) {
    if (request.key.serial != 0) {
      request.is_cancelled = true;
      actions_.emplace_back(upward::Cancel{.key = request.key});
    }
  }
  for (Listens::Told& answer : listens_.end()) {
    send(std::move(answer.message));
  }
}

Result<QuestionToHost> ServerSession::ask(std::string_view method,
                                          const SharedText& params,
                                          std::optional<RequestKey> during,
                                          TimePoint now) {
  InFlight::Request* const request = during ? in_flight_.find(*during) : nullptr;
  if (during && request == nullptr) {
    return fail(ErrorCode::unavailable, "the call that asks has ended");
  }
  if (request != nullptr && request->stateless) {
    return ask_by_result(*request, method, params, now);
  }
  if (!is_initialized_) {
    return fail(ErrorCode::unavailable,
                "this host takes no requests; it is asked by answers to its calls");
  }
  if (in_flight_.questions.size() >= options_.limits.questions_max) {
    return fail(
        ErrorCode::unavailable,
        std::to_string(in_flight_.questions.size()) + " requests already wait for the host");
  }
  const std::int64_t number = ++in_flight_.last_question;
  in_flight_.questions.push_back(number);
  held_.push_back({.question = number,
                   .message = rpc::request(rpc::Id(number), method, params),
                   .during = request != nullptr ? request->id : rpc::Id()});
  send_held();
  return QuestionToHost{
      .number = number,
      .limit = method == method::roots_list ? host_answers_max : person_answers_max};
}

void ServerSession::give_up(std::int64_t question) {
  const bool is_of_a_call = std::ranges::any_of(in_flight_.running, [question](auto& request) {
    return request.stateless && request.stateless->rounds.withdraw(question);
  });
  if (is_of_a_call) {
    return;
  }
  if (std::erase(in_flight_.questions, question) > 0 &&
      std::erase_if(held_, [question](const Held& held) { return held.question == question; }) ==
          0) {
    notify(method::cancelled, SharedText("{\"requestId\":" + std::to_string(question) + "}"));
  }
}

void ServerSession::notify(std::string_view method,
                           const SharedText& params,
                           std::string_view uri) {
  if (is_initialized_) {
    send_unasked(rpc::notification(method, params));
  }
  for (Listens::Told& told : listens_.tell(method, params, uri)) {
    send(std::move(told.message), told.listen);
  }
}

void ServerSession::on_log(std::string_view server, json::Value params, TimePoint now) {
  const std::optional<LogLevel> least = least_log_level();
  if (!least) {
    return;
  }
  log_.set_level(*least);
  const LogLevel level =
      parse_log_level(params.find("level").string_or("")).value_or(LogLevel::info);
  send_unasked(log_.of_server(server, params, now), wants_log(level));
  if (log_.has_left_out()) {
    actions_.emplace_back(upward::ReportLater());
  }
}

void ServerSession::on_notice(LogLevel level, std::string_view text) {
  log_.set_level(least_log_level().value_or(log_level_));
  std::optional<rpc::Outgoing> message = log_.of_us(level, text);
  if (least_log_level()) {
    send_unasked(std::move(message), wants_log(level));
  } else if (message && early_.size() < options_.limits.early_notices_max) {
    early_.push_back(*std::move(message));
  }
}

void ServerSession::report_left_out() {
  for (rpc::Outgoing& report : log_.left_out()) {
    if (least_log_level()) {
      send_unasked(std::move(report), wants_log(LogLevel::warning));
    }
  }
}

}  // namespace pi_mcp::mcp

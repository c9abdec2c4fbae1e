// Requests of revisions without a handshake (2026-07-28): each says who asks, and is served by what
// it says. What they ask of the host in return is the result of a call.
#include <algorithm>
#include <utility>

#include "json/writer.h"
#include "mcp/discovery.h"
#include "mcp/methods.h"
#include "mcp/server/declared.h"
#include "mcp/server/server_session.h"

namespace pi_mcp::mcp {
namespace {

// How long a question waits, besides expire(), which comes first.
constexpr Milliseconds question_grace{60'000};

}  // namespace

void ServerSession::on_stateless(rpc::Message& request, const UpwardMethod& method) {
  is_asked_ = true;
  tl::expected<Envelope, rpc::Outgoing> envelope = read_envelope(request);
  if (!envelope) {
    reply(request.id(), std::move(envelope).error());
    return;
  }
  meet(envelope->host);
  want_log_level(*envelope);
  if (method.by == UpwardMethod::By::nobody || method.in == UpwardMethod::In::handshake_only ||
      !has(method)) {
    refuse(request,
           rpc::error_code::method_not_found,
           "method not found: " + request.method().substr(0, 128));
  } else if (const json::Value state = request.params().find("requestState");
             method.may_ask && state && (!method.is_as_it_is || find_put(state) != nullptr)) {
    resume(request, *envelope);
  } else if (method.by == UpwardMethod::By::us) {
    actions_.emplace_back(
        upward::Answer{.request = std::move(request), .members = members_of(method)});
  } else if (method.by == UpwardMethod::By::protocol) {
    (this->*method.protocol)(request);
  } else {
    auto stateless = std::make_unique<Stateless>(Stateless{
        .envelope = *std::move(envelope),
        .method = &method,
        .rounds = InputRounds(method.may_ask ? request.share(request.params()) : SharedText()),
        .filter = {}});
    if (method.by == UpwardMethod::By::listening) {
      listen(request, std::move(stateless));
    } else {
      begin_stateless(request, std::move(stateless));
    }
  }
}

// By an action, so that the owner has met the host before.
void ServerSession::begin_stateless(rpc::Message& request, std::unique_ptr<Stateless> stateless) {
  if (const std::optional<RequestKey> key = admit(request, std::move(stateless))) {
    actions_.emplace_back(upward::Begin{.key = *key, .request = std::move(request)});
  }
}

// Of a request that has waited and was read before.
std::unique_ptr<ServerSession::Stateless> ServerSession::read_stateless(
    const rpc::Message& request) const {
  if (!has_envelope(request.params())) {
    return nullptr;
  }
  tl::expected<Envelope, rpc::Outgoing> envelope = read_envelope(request);
  const UpwardMethod* const method = options_.find_row(request.method());
  if (!envelope || method == nullptr) {
    return nullptr;
  }
  tl::expected<ListenFilter, std::string> filter =
      method->by == UpwardMethod::By::listening
          ? read_listen_filter(request.params().find("notifications"))
          : ListenFilter();
  return std::make_unique<Stateless>(Stateless{
      .envelope = *std::move(envelope),
      .method = method,
      .rounds = InputRounds(method->may_ask ? request.share(request.params()) : SharedText()),
      .filter = filter ? *std::move(filter) : ListenFilter()});
}

void ServerSession::meet(const HostInfo& host) {
  if (is_met_ && covers(host_.features, host.features)) {
    return;
  }
  const ClientFeatures features = joined(host_.features, host.features);
  host_ = is_met_ ? host_ : host;
  host_.features = features;
  is_met_ = true;
  actions_.emplace_back(upward::Met());
}

const HostInfo& ServerSession::host_of(RequestKey key) {
  const InFlight::Request* const request = in_flight_.find(key);
  return request != nullptr && request->stateless ? request->stateless->envelope.host : host_;
}

std::string ServerSession::members_of(const UpwardMethod& method) const {
  if (method.is_as_it_is) {
    return {};
  }
  std::string members = R"("resultType":"complete")";
  if (method.is_cached) {
    members.append(",").append(list_caching);
  }
  // Hosts put the _meta of a call's result into the prompt of their model; lists have none of their
  // own.
  if (method.by == UpwardMethod::By::us) {
    json::Writer meta;
    meta.begin_object().key(meta_key::server_info);
    write_server_info(meta, options_.version, newest_by_discovery);
    members.append(R"(,"_meta":)").append(meta.end_object().text());
  }
  return members;
}

void ServerSession::discover(const rpc::Message& request) {
  json::Writer out;
  out.begin_object().member("resultType", "complete");
  out.member_raw("supportedVersions", revisions_json());
  write_capabilities(out, options_.capabilities);
  if (const std::string instructions = options_.instructions ? options_.instructions() : "";
      !instructions.empty()) {
    out.member("instructions", instructions);
  }
  out.raw(list_caching);
  out.key("_meta").begin_object().key(meta_key::server_info);
  write_server_info(out, options_.version, newest_by_discovery);
  reply(request.id(),
        rpc::result(request.id(), rpc::Outgoing(out.end_object().end_object().take())));
}

// Log messages: of a request that wants them, while it runs.

void ServerSession::want_log_level(const Envelope& envelope) {
  if (!envelope.log_level ||
      (requested_log_level_ && *requested_log_level_ <= *envelope.log_level)) {
    return;
  }
  requested_log_level_ = envelope.log_level;
  const LogLevel least =
      is_initialized_ ? std::min(log_level_, *envelope.log_level) : *envelope.log_level;
  actions_.emplace_back(upward::LogLevelSet{least});
}

std::optional<LogLevel> ServerSession::least_log_level() const {
  std::optional<LogLevel> least = is_initialized_ ? std::optional(log_level_) : std::nullopt;
  if (!requested_log_level_) {
    return least;
  }
  for (const InFlight::Request& request : in_flight_.running) {
    if (request.id.exists() && request.stateless && request.stateless->envelope.log_level) {
      const LogLevel wanted = *request.stateless->envelope.log_level;
      least = std::min(least.value_or(wanted), wanted);
    }
  }
  return least;
}

// The newest request that wants it; absent: none does.
rpc::Id ServerSession::wants_log(LogLevel level) const {
  const InFlight::Request* newest = nullptr;
  for (const InFlight::Request& request : in_flight_.running) {
    const bool wants = request.id.exists() && request.stateless &&
                       request.stateless->envelope.log_level &&
                       *request.stateless->envelope.log_level <= level;
    if (wants && (newest == nullptr || newest->key.serial < request.key.serial)) {
      newest = &request;
    }
  }
  return newest == nullptr ? rpc::Id() : newest->id;
}

// subscriptions/listen.

void ServerSession::listen(rpc::Message& request, std::unique_ptr<Stateless> stateless) {
  tl::expected<ListenFilter, std::string> filter =
      read_listen_filter(request.params().find("notifications"));
  if (!filter) {
    refuse(request, rpc::error_code::invalid_params, filter.error());
    return;
  }
  const bool has_room = listens_.size() < options_.limits.listens_max;
  if (!has_room || is_in_use(request.id())) {
    refuse(request, rpc::error_code::invalid_request, has_room ? id_in_use : too_many_listens);
    return;
  }
  if (filter->uris.empty()) {
    open_listen(request.id(), *std::move(filter));
    return;
  }
  std::vector<std::string> uris = filter->uris;
  stateless->filter = *std::move(filter);
  if (const std::optional<RequestKey> key = admit(request, std::move(stateless))) {
    actions_.emplace_back(upward::Watch{.key = *key, .uris = std::move(uris)});
  }
}

void ServerSession::open_listen(const rpc::Id& id, ListenFilter filter) {
  send(listens_.open(id, std::move(filter)), id);
}

bool ServerSession::on_listening(RequestKey key, std::vector<std::string> uris) {
  InFlight::Request* const request = in_flight_.find(key);
  if (request == nullptr || request->is_cancelled || !request->stateless ||
      listens_.size() >= options_.limits.listens_max) {
    return false;
  }
  ListenFilter filter = std::move(request->stateless->filter);
  filter.uris = std::move(uris);
  const rpc::Id id = request->id;
  free(key);
  open_listen(id, std::move(filter));
  begin_waiting();
  return true;
}

// What a call asks of its host.

Result<QuestionToHost> ServerSession::ask_by_result(InFlight::Request& request,
                                                    std::string_view method,
                                                    const SharedText& params,
                                                    TimePoint now) {
  now_ = std::max(now_, now);
  if (!request.stateless->method->may_ask || !options_.new_state) {
    return fail(ErrorCode::unavailable,
                std::string(request.stateless->method->name) + " cannot ask its host");
  }
  const std::size_t put_already = in_flight_.put();
  if (!request.is_put() && put_already >= options_.limits.rounds_max) {
    return fail(ErrorCode::unavailable,
                std::to_string(put_already) + " calls already wait for the host");
  }
  if (in_flight_.rounds_bytes() + params.size() > options_.limits.rounds_bytes_max) {
    return fail(ErrorCode::unavailable, "calls that wait for the host already ask for too much");
  }
  const std::int64_t number = ++in_flight_.last_question;
  request.stateless->rounds.ask(number, std::string(method), params);
  if (request.id.exists() && !request.is_cancelled) {
    put(request);
  }
  return QuestionToHost{.number = number, .limit = options_.limits.round_max + question_grace};
}

// Its request has its answer; the call runs on, and its host has to come back.
void ServerSession::put(InFlight::Request& request) {
  const rpc::Id id = std::exchange(request.id, {});
  request.id_hash = 0;
  request.progress.reset();
  const bool is_first = in_flight_.put() == 0;
  std::string asked = request.stateless->rounds.put(options_.new_state(), now_);
  reply(id, rpc::result(id, rpc::Outgoing(std::move(asked))));
  if (is_first) {
    actions_.emplace_back(upward::ExpireLater());
  }
  begin_waiting();  // what waits for its host keeps nobody waiting
}

// The request whose host may come back with this. Null: there is none.
ServerSession::InFlight::Request* ServerSession::find_put(json::Value state) {
  const auto found =
      std::ranges::find_if(in_flight_.running, [state](const InFlight::Request& each) {
        return each.stateless && each.stateless->rounds.is_put_as(state);
      });
  return found == in_flight_.running.end() ? nullptr : &*found;
}

void ServerSession::resume(const rpc::Message& request, const Envelope& envelope) {
  const json::Value params = request.params();
  InFlight::Request* const found = find_put(params.find("requestState"));
  const auto refused = [&](std::string_view why) {
    refuse(request, rpc::error_code::invalid_params, why);
  };
  if (found == nullptr) {
    return refused(unknown_state);
  }
  Stateless& stateless = *found->stateless;
  if (stateless.method->name != request.method() || !stateless.rounds.is_same_call(params)) {
    return refused("this requestState belongs to another call");
  }
  if (is_in_use(request.id())) {
    return refuse(request, rpc::error_code::invalid_request, id_in_use);
  }
  tl::expected<std::vector<InputRounds::Answer>, std::string> answers =
      stateless.rounds.take(params.find("inputResponses"));
  if (!answers) {
    return refused(answers.error());
  }
  stateless.rounds.take_back();
  stateless.envelope.log_level = envelope.log_level;
  std::string token = progress_token(params);
  found->id = request.id();
  found->id_hash = std::hash<std::string>()(request.id().json());
  found->progress = token.empty() ? nullptr : std::make_unique<HostProgress>(std::move(token));
  go_on(*found, *std::move(answers));
}

void ServerSession::go_on(InFlight::Request& request, std::vector<InputRounds::Answer> answers) {
  for (InputRounds::Answer& answer : answers) {
    actions_.emplace_back(
        upward::Answered{.question = answer.question, .answer = std::move(answer.result)});
  }
  if (std::optional<rpc::Outgoing> kept = request.stateless->rounds.take_kept()) {
    const rpc::Id id = request.id;
    kept->answer_instead(id);
    kept->add_to_result(members_of(*request.stateless->method));
    free(request.key);
    reply(id, std::move(kept));
    begin_waiting();
  } else if (request.stateless->rounds.has_questions()) {
    put(request);  // what it did not answer, and what was asked meanwhile
  }
}

// True: the call has ended before its host came back. Else what `reply` says besides its content.
bool ServerSession::keep_reply(InFlight::Request& request, rpc::Outgoing& reply) {
  if (request.is_cancelled) {
    return false;
  }
  if (!request.is_put()) {
    reply.add_to_result(members_of(*request.stateless->method));
    reply.answer_instead(request.id);
    return false;
  }
  if (in_flight_.rounds_bytes() + reply.bytes() > options_.limits.rounds_bytes_max) {
    reply = rpc::failure(rpc::Id(0),
                         rpc::error_code::internal_error,
                         "the call has ended while the host was asked, and its result was too "
                         "large to be kept; call again");
  }
  request.stateless->rounds.keep(std::move(reply));
  return true;
}

void ServerSession::expire(TimePoint now) {
  now_ = std::max(now_, now);
  std::size_t freed = 0;
  for (InFlight::Request& request : in_flight_.running) {
    if (!request.is_put() || now - request.stateless->rounds.since() < options_.limits.round_max) {
      continue;
    }
    request.stateless->rounds.take_back();
    request.is_cancelled = true;
    if (request.stateless->rounds.has_kept()) {
      free(request.key);
      ++freed;
    } else {
      actions_.emplace_back(upward::Cancel{
          .key = request.key, .reason = "the host did not come back with what it was asked"});
    }
  }
  for (; freed > 0; --freed) {
    begin_waiting();
  }
  if (in_flight_.put() > 0) {
    actions_.emplace_back(upward::ExpireLater());
  }
}

}  // namespace pi_mcp::mcp

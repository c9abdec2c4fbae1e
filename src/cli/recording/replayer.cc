#include "cli/recording/replayer.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/canonical.h"
#include "json/writer.h"
#include "mcp/methods.h"
#include "rpc/outgoing.h"
#include "secrets/mask.h"
#include "secrets/message.h"

namespace pi_mcp::cli {
namespace {

constexpr std::size_t shown_characters = 200;
// How much of two requests is compared to find the nearest.
constexpr std::size_t compared_head = 120;
constexpr std::size_t compared_tail = 60;  // where the name of a tool stands

// What of a request or an answer has to be the same: not its _meta, nor the secrets that a
// recording does not have.
std::string key_of(const rpc::Message& message) {
  if (message.method() == mcp::method::initialize) {
    return "{}";  // another version of a host is the same host
  }
  const Result<json::Document> masked =
      json::Document::parse(secrets::mask_message(message.root(), secrets::Secrets()));
  if (!masked) {
    return "";
  }
  const json::Value root = masked->root();
  json::Value body;
  for (const std::string_view name : {"params", "result", "error"}) {
    body = root.find(name) ? root.find(name) : body;
  }
  json::Writer out;
  out.begin_object();
  for (const json::Member member : body.members()) {
    if (member.name() != "_meta") {
      out.member_raw(member.name(), json::canonical(member.value));
    }
  }
  const Result<json::Document> plain = json::Document::parse(out.end_object().take());
  return plain ? json::canonical(plain->root()) : "";
}

// "***" in a recording stands for anything: a secret that only pi-mcp knew.
bool matches(std::string_view recorded, std::string_view asked) {
  std::size_t star = recorded.find(secrets::masked);
  if (star == std::string_view::npos) {
    return recorded == asked;
  }
  if (!asked.starts_with(recorded.substr(0, star))) {
    return false;
  }
  asked.remove_prefix(star);
  while (star != std::string_view::npos) {
    recorded.remove_prefix(star + secrets::masked.size());
    star = recorded.find(secrets::masked);
    const std::string_view between = recorded.substr(0, star);
    const std::size_t at = star == std::string_view::npos
                               ? asked.size() - std::min(between.size(), asked.size())
                               : asked.find(between);
    if (at == std::string_view::npos || asked.substr(at, between.size()) != between) {
      return false;
    }
    asked.remove_prefix(at + between.size());
  }
  return true;
}

std::string shown(std::string_view method, std::string_view key) {
  return std::string(method) + " " + text::shortened(text::printable_line(key), shown_characters);
}

std::string compared(const std::string& key) {
  return key.size() <= compared_head + compared_tail
             ? key
             : key.substr(0, compared_head) + key.substr(key.size() - compared_tail);
}

std::string token_of(const rpc::Message& request) {
  return std::string(request.params().at({"_meta", "progressToken"}).raw());
}

// The message with other values of some members.
std::string with(json::Value object, std::string_view name, std::string_view value) {
  json::Writer out;
  out.begin_object();
  for (const json::Member member : object.members()) {
    if (member.name() != name) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  return out.member_raw(name, value).end_object().take();
}

bool is_repeatable(std::string_view method) {
  return method != mcp::method::tools_call;
}

bool is_own_business(std::string_view method) {
  return method == mcp::method::initialize || method == mcp::method::ping;
}

}  // namespace

Replayer::Replayer(std::vector<RecordedMessage> messages) {
  for (RecordedMessage& message : messages) {
    add(std::move(message));
  }
}

void Replayer::add(RecordedMessage recorded) {
  if (recorded.from == Speaker::host) {
    add_from_host(recorded);
  } else {
    add_from_server(std::move(recorded));
  }
}

void Replayer::add_from_host(const RecordedMessage& recorded) {
  const rpc::Message& message = recorded.message;
  if (message.kind() == rpc::Message::Kind::request) {
    open_[message.id().json()] = exchanges_.size();
    order_.push_back(exchanges_.size());
    exchanges_.push_back({.line = recorded.line,
                          .method = message.method(),
                          .key = key_of(message),
                          .steps = {},
                          .answered = false,
                          .cancelled = false,
                          .used = false});
  } else if (message.kind() == rpc::Message::Kind::notification) {
    const auto found = open_.find(std::string(message.params().find("requestId").raw()));
    if (message.method() == mcp::method::cancelled && found != open_.end()) {
      exchanges_[found->second].cancelled = true;
    }
  } else if (const auto found = questions_.find(message.id().json()); found != questions_.end()) {
    Step& question = exchanges_[found->second.first].steps[found->second.second];
    question.expected = key_of(message);
    question.line = recorded.line;
    questions_.erase(found);
  }
}

// What belongs to no request in particular belongs to the newest one without an answer, else to the
// one before.
void Replayer::add_from_server(RecordedMessage recorded) {
  rpc::Message& message = recorded.message;
  const bool is_answer =
      message.kind() == rpc::Message::Kind::result || message.kind() == rpc::Message::Kind::failure;
  if (exchanges_.empty()) {
    return;
  }
  std::size_t place = order_.empty() ? exchanges_.size() - 1 : order_.back();
  if (is_answer) {
    const auto found = open_.find(message.id().json());
    if (found == open_.end()) {
      return;
    }
    place = found->second;
    open_.erase(found);
    std::erase(order_, place);
    exchanges_[place].answered = true;
  }
  if (message.kind() == rpc::Message::Kind::request) {
    questions_[message.id().json()] = {place, exchanges_[place].steps.size()};
  }
  const bool is_progress = message.method() == mcp::method::progress;
  exchanges_[place].steps.push_back({.message = std::move(message),
                                     .is_progress = is_progress,
                                     .expected = {},
                                     .line = recorded.line});
}

std::vector<std::string> Replayer::on_message(const rpc::Message& message) {
  switch (message.kind()) {
    case rpc::Message::Kind::request:
      return on_request(message);
    case rpc::Message::Kind::result:
    case rpc::Message::Kind::failure:
      return on_answer(message);
    default:
      break;
  }
  if (message.method() == mcp::method::cancelled) {
    const std::string id(message.params().find("requestId").raw());
    std::erase_if(waiting_, [&id](const auto& entry) { return entry.second.id.json() == id; });
  }
  return {};
}

std::vector<std::string> Replayer::on_request(const rpc::Message& request) {
  const std::string key = key_of(request);
  const std::optional<std::size_t> found = find(request.method(), key);
  if (!found && request.method() == mcp::method::ping) {
    return {rpc::result(request.id(), rpc::Outgoing("{}")).flat()};
  }
  if (!found) {
    return {refuse(request, key)};
  }
  Exchange& exchange = exchanges_[*found];
  exchange.used = true;
  if (!exchange.answered && !exchange.cancelled) {
    const std::string why = shown(exchange.method, key) + " has no answer in the recording (line " +
                            std::to_string(exchange.line) + ")";
    mismatches_.push_back(why);
    return {rpc::failure(request.id(), rpc::error_code::internal_error, why).flat()};
  }
  return go_on({.id = request.id(), .token = token_of(request), .exchange = *found, .step = 0});
}

std::vector<std::string> Replayer::go_on(Waiting at) {
  std::vector<std::string> out;
  const std::vector<Step>& steps = exchanges_[at.exchange].steps;
  for (; at.step < steps.size(); ++at.step) {
    const Step& step = steps[at.step];
    const json::Value root = step.message.root();
    if (step.message.kind() == rpc::Message::Kind::request) {
      const std::string id = json::quoted("replay-" + std::to_string(++last_question_));
      out.push_back(with(root, "id", id));
      if (!step.expected.empty()) {
        waiting_[id] = at;
        return out;
      }
    } else if (!step.is_progress) {
      out.push_back(step.message.id().exists() ? with(root, "id", at.id.json())
                                               : std::string(root.raw()));
    } else if (!at.token.empty()) {
      out.push_back(with(root, "params", with(step.message.params(), "progressToken", at.token)));
    }
  }
  return out;
}

std::vector<std::string> Replayer::on_answer(const rpc::Message& answer) {
  const auto found = waiting_.find(answer.id().json());
  if (found == waiting_.end()) {
    return {};
  }
  Waiting at = found->second;
  waiting_.erase(found);
  const Step& step = exchanges_[at.exchange].steps[at.step];
  const std::string key = key_of(answer);
  if (!matches(step.expected, key)) {
    mismatches_.push_back("the host answered " + shown(step.message.method(), key) +
                          "; recorded is line " + std::to_string(step.line) + ": " +
                          shown(step.message.method(), step.expected));
  }
  ++at.step;
  return go_on(at);
}

// The first one of those like it that nobody has asked for; the last one again where asking twice
// changes nothing.
std::optional<std::size_t> Replayer::find(const std::string& method, const std::string& key) {
  std::optional<std::size_t> again;
  for (const bool exact : {true, false}) {
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
      const Exchange& exchange = exchanges_[i];
      const bool is_same = exact ? exchange.key == key : matches(exchange.key, key);
      if (exchange.method != method || !is_same) {
        continue;
      }
      if (!exchange.used) {
        return i;
      }
      again = i;
    }
  }
  return is_repeatable(method) ? again : std::nullopt;
}

std::string Replayer::refuse(const rpc::Message& request, const std::string& key) {
  const std::string& method = request.method();
  const auto times = std::ranges::count_if(exchanges_, [&](const Exchange& exchange) {
    return exchange.method == method && matches(exchange.key, key);
  });
  const bool knows_method =
      std::ranges::find(exchanges_, method, &Exchange::method) != exchanges_.end();
  const std::string near = times > 0 ? "" : nearest(method, key);
  const std::string why = times > 0
                              ? shown(method, key) + " was recorded " + std::to_string(times) +
                                    (times == 1 ? " time" : " times") + ", and this is one more"
                              : shown(method, key) + " is not in the recording" +
                                    (near.empty() ? "" : "; the nearest is " + near);
  mismatches_.push_back(why);
  return rpc::failure(
             request.id(),
             knows_method ? rpc::error_code::invalid_params : rpc::error_code::method_not_found,
             why)
      .flat();
}

// "line 5: tools/call {...}": of the same method if there is one, then by what they say.
std::string Replayer::nearest(const std::string& method, const std::string& key) const {
  const Exchange* best = nullptr;
  std::size_t least = SIZE_MAX;
  for (const Exchange& exchange : exchanges_) {
    if (is_own_business(exchange.method)) {
      continue;
    }
    const std::size_t distance =
        (exchange.method == method ? 0 : 4 * (compared_head + compared_tail)) +
        text::edit_distance(compared(exchange.key), compared(key));
    if (distance < least) {
      least = distance;
      best = &exchange;
    }
  }
  return best == nullptr
             ? ""
             : "line " + std::to_string(best->line) + ": " + shown(best->method, best->key);
}

std::vector<std::string> Replayer::take_mismatches() {
  return std::exchange(mismatches_, {});
}

std::vector<std::string> Replayer::unused() const {
  std::vector<std::string> out;
  for (const Exchange& exchange : exchanges_) {
    if (!exchange.used && !is_own_business(exchange.method)) {
      out.push_back("line " + std::to_string(exchange.line) + ": " +
                    shown(exchange.method, exchange.key));
    }
  }
  return out;
}

}  // namespace pi_mcp::cli

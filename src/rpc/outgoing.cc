#include "rpc/outgoing.h"

#include <algorithm>

#include "json/writer.h"

namespace pi_mcp::rpc {
namespace {

// More than the members of an envelope around small params need.
constexpr std::size_t envelope_bytes = 96;

// What follows the params or the result.
constexpr std::string_view end = "}";

// How every answer begins.
constexpr std::string_view answer_head = R"({"jsonrpc":"2.0","id":)";
// What stands between the id and the result of one that is no failure.
constexpr std::string_view result_key = R"(,"result":)";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::size_t copied_bytes(std::size_t bytes) {
  return bytes < Outgoing::shared_bytes_min ? bytes : 0;
}

std::string_view id_or_null(const Id& id) {
  return id.exists() ? std::string_view(id.json()) : "null";
}

template <class Params>
void add_params(Outgoing& message, const Params& params, std::size_t bytes) {
  if (bytes > 0) {
    message.add(R"(,"params":)");
    message.add(params);
  }
  message.add(end);
}

template <class Params>
Outgoing request_with(const Id& id,
                      std::string_view method,
                      const Params& params,
                      std::size_t params_bytes) {
  std::string head;
  head.reserve(envelope_bytes + method.size() + copied_bytes(params_bytes));
  head += R"({"jsonrpc":"2.0","id":)";
  head += id_or_null(id);
  head += R"(,"method":)";
  json::append_quoted(head, method);
  Outgoing message(std::move(head));
  add_params(message, params, params_bytes);
  return message;
}

}  // namespace

void Outgoing::add(const SharedText& text) {
  if (text.size() < shared_bytes_min) {
    own_ += text.view();
    return;
  }
  shared_.push_back({.position = own_.size(), .text = text});
  shared_bytes_ += text.size();
}

void Outgoing::add(const Outgoing& other) {
  for (const Shared& shared : other.shared_) {
    shared_.push_back({.position = own_.size() + shared.position, .text = shared.text});
  }
  own_ += other.own_;
  shared_bytes_ += other.shared_bytes_;
  other.for_each_answered([this](const Id& id) { note_answered(id); });
}

void Outgoing::note_answered(const Id& id) {
  if (!id.exists()) {
    return;
  }
  if (!answers_.exists()) {
    answers_ = id;
  } else {
    answers_too_.push_back(id);
  }
}

void Outgoing::insert(std::size_t position, std::string_view text) {
  own_.insert(position, text);
  for (Shared& shared : shared_) {
    shared.position += shared.position >= position ? text.size() : 0;
  }
}

// In own_; 0: it is no answer with a result.
std::size_t Outgoing::result_begin() const {
  const std::size_t key = answer_head.size() + id_or_null(answers_).size();
  return own_.starts_with(answer_head) && own_.size() > key &&
                 own_.compare(key, result_key.size(), result_key) == 0
             ? key + result_key.size()
             : 0;
}

void Outgoing::answer_instead(const Id& id) {
  if (!id.exists() || id == answers_ || !own_.starts_with(answer_head)) {
    return;
  }
  const std::size_t before = id_or_null(answers_).size();
  own_.replace(answer_head.size(), before, id.json());
  for (Shared& shared : shared_) {
    shared.position += id.json().size() - before;
  }
  answers_ = id;
}

void Outgoing::add_to_result(std::string_view members) {
  const std::size_t result_at = result_begin();
  if (result_at == 0 || members.empty()) {
    return;
  }
  const std::string text = "{" + std::string(members);
  const auto first = std::ranges::find(shared_, result_at, &Shared::position);
  if (first != shared_.end()) {
    if (!first->text.view().starts_with('{')) {
      return;
    }
    const std::string_view rest = first->text.view().substr(1);
    const auto next = std::ranges::find_if_not(rest, is_space);
    first->text = first->text.sub(1);
    --shared_bytes_;
    insert(result_at, text + (next != rest.end() && *next == '}' ? "" : ","));
    return;
  }
  if (own_[result_at] != '{') {
    return;
  }
  std::size_t next = result_at + 1;
  while (next < own_.size() && is_space(own_[next])) {
    ++next;
  }
  // Where a shared piece comes first, it has members.
  const bool is_empty = next < own_.size() && own_[next] == '}' &&
                        std::ranges::none_of(
                            shared_,
                            [&](const Shared& shared) {
                              return shared.position > result_at && shared.position <= next;
                            });
  own_.erase(result_at, 1);
  for (Shared& shared : shared_) {
    shared.position -= shared.position > result_at ? 1 : 0;
  }
  insert(result_at, text + (is_empty ? "" : ","));
}

std::vector<std::string_view> Outgoing::pieces() const {
  std::vector<std::string_view> pieces;
  pieces.reserve(shared_.size() * 2 + 1);
  for_each_piece([&pieces](std::string_view piece) { pieces.push_back(piece); });
  return pieces;
}

std::string Outgoing::flat() const {
  std::string text;
  text.reserve(bytes());
  for_each_piece([&text](std::string_view piece) { text += piece; });
  return text;
}

std::vector<SharedText> Outgoing::release() && {
  std::vector<SharedText> pieces;
  pieces.reserve(shared_.size() * 2 + 1);
  const SharedText own(std::move(own_));
  std::size_t taken = 0;
  const auto take_own = [&](std::size_t until) {
    if (until > taken) {
      pieces.push_back(own.sub(taken, until - taken));
    }
    taken = until;
  };
  for (Shared& shared : shared_) {
    take_own(shared.position);
    pieces.push_back(std::move(shared.text));
  }
  take_own(own.size());
  return pieces;
}

Outgoing request(const Id& id, std::string_view method, const SharedText& params) {
  return request_with(id, method, params, params.size());
}

Outgoing request(const Id& id, std::string_view method, const Outgoing& params) {
  return request_with(id, method, params, params.bytes());
}

Outgoing notification(std::string_view method, const SharedText& params) {
  std::string head;
  head.reserve(envelope_bytes + method.size() + copied_bytes(params.size()));
  head += R"({"jsonrpc":"2.0","method":)";
  json::append_quoted(head, method);
  Outgoing message(std::move(head));
  add_params(message, params, params.size());
  return message;
}

Outgoing result(const Id& id, const Outgoing& result) {
  std::string head;
  head.reserve(envelope_bytes + id.json().size() + copied_bytes(result.bytes()));
  head += answer_head;
  head += id_or_null(id);
  head += result_key;
  Outgoing message(std::move(head));
  message.add(result);
  message.add(end);
  message.note_answered(id);
  return message;
}

Outgoing failure(const Id& id, std::int64_t code, std::string_view message, std::string_view data) {
  json::Writer writer;
  writer.begin_object()
      .member("jsonrpc", "2.0")
      .member_raw("id", id_or_null(id))
      .key("error")
      .begin_object()
      .member("code", code)
      .member("message", message);
  if (!data.empty()) {
    writer.member_raw("data", data);
  }
  writer.end_object().end_object();
  Outgoing answer(writer.take());
  answer.note_answered(id);
  answer.note_failure(code);
  return answer;
}

Outgoing failure(const Id& id, const SharedText& error) {
  Outgoing message(std::string(answer_head) + std::string(id_or_null(id)) + R"(,"error":)");
  message.add(error);
  message.add(end);
  message.note_answered(id);
  return message;
}

Outgoing answer_to_unreadable(std::string_view line, const Error& error) {
  const PartialMessage found = read_partial(line, line);
  if (found.id.exists() && !found.is_request) {
    return {};
  }
  const bool is_json = json::Document::parse_view(line).has_value();
  return failure(
      found.id, is_json ? error_code::invalid_request : error_code::parse_error, error.message());
}

}  // namespace pi_mcp::rpc

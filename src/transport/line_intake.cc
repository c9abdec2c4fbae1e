#include "transport/line_intake.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace pi_mcp::transport {
namespace {

// Log lines are JSON too, with an "id" of their own; only what claims to be JSON-RPC is believed.
bool claims_to_be_rpc(std::string_view text) {
  return text.find(R"("jsonrpc")") != std::string_view::npos;
}

std::optional<rpc::Message> substitute(const rpc::Id& id, const std::string& why) {
  auto message = rpc::Message::parse(rpc::failure(id, rpc::error_code::internal_error, why).flat());
  if (!message) {
    return std::nullopt;
  }
  message->stands_for_unreadable();
  return std::move(*message);
}

// The longest id of a request in this line.
std::size_t id_bytes(const rpc::Message& message) {
  using Kind = rpc::Message::Kind;
  if (message.kind() == Kind::request) {
    return message.id().json().size();
  }
  std::size_t longest = 0;
  if (message.kind() == Kind::batch) {
    for (const json::Value element : message.root().elements()) {
      longest = std::max(longest, element.find("id").raw().size());
    }
  }
  return longest;
}

rpc::Outgoing refusal_of_id(const rpc::Message& message, std::size_t bytes) {
  const std::string why = "the id of a request has " + std::to_string(bytes) + " bytes, at most " +
                          std::to_string(host_id_bytes_max) +
                          " are taken. Nothing was done; send it again with a shorter one";
  const bool is_batch = message.kind() == rpc::Message::Kind::batch;
  return rpc::failure(is_batch ? rpc::Id() : message.id(), rpc::error_code::invalid_request, why);
}

}  // namespace

LineIntake::Taken LineIntake::take(const rpc::LineFramer::Line& line, std::size_t line_bytes_max) {
  if (line.oversized) {
    ++counters_.oversized_lines;
    return take_broken(line,
                       {ErrorCode::protocol,
                        "the message has " + text::size_text(line.bytes) + ", the limit is " +
                            text::size_text(line_bytes_max)});
  }
  auto message =
      peer_ == Peer::host ? rpc::Message::parse_any(line.text) : rpc::Message::parse(line.text);
  if (!message) {
    return take_broken(line, message.error());
  }
  if (peer_ == Peer::host) {
    if (const std::size_t bytes = id_bytes(*message); bytes > host_id_bytes_max) {
      return {.message = std::nullopt, .answer = refusal_of_id(*message, bytes)};
    }
  }
  return {.message = std::move(*message), .answer = {}};
}

std::optional<rpc::Message> LineIntake::take_last(const rpc::LineFramer::Line& line) {
  auto message = rpc::Message::parse(line.text);
  if (message && !line.oversized) {
    return std::move(*message);
  }
  note_junk(line.text.view());
  return std::nullopt;
}

LineIntake::Taken LineIntake::take_broken(const rpc::LineFramer::Line& line, const Error& error) {
  const std::string_view head = line.text.view();
  const std::string_view tail = line.oversized ? std::string_view(line.tail) : head;
  rpc::PartialMessage found;
  if (claims_to_be_rpc(head) || claims_to_be_rpc(tail)) {
    found = rpc::read_partial(head, tail);
  }
  if (found.id.exists() && !found.is_request) {
    return {.message = substitute(found.id, name_ + " sent a broken answer: " + error.message()),
            .answer = {}};
  }
  if (!line.oversized) {
    note_junk(head);
  }
  if (found.id.exists()) {
    return {.message = std::nullopt,
            .answer = rpc::failure(found.id, rpc::error_code::invalid_request, error.message())};
  }
  if (peer_ == Peer::host) {
    return {.message = std::nullopt, .answer = rpc::answer_to_unreadable(head, error)};
  }
  return {};
}

void LineIntake::note_junk(std::string_view line) {
  ++counters_.junk_lines;
  junk_.append(line.substr(0, junk_bytes_max)).push_back('\n');
  if (junk_.size() > 2 * junk_bytes_max) {
    junk_.erase(0, junk_.size() - junk_bytes_max);
  }
  if (counters_.junk_lines == 1 && log::enabled(log::Level::debug)) {
    constexpr std::size_t shown_bytes = 100;
    log::debug(name_ + " writes lines that are not messages, the first is: " +
               text::printable(secrets_.hidden_in(std::string(line)).substr(0, shown_bytes)));
  }
}

}  // namespace pi_mcp::transport

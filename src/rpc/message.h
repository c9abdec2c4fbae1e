// One JSON-RPC 2.0 message: its envelope is read, everything inside stays the bytes that arrived.
// Pure: no I/O, no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/shared_text.h"
#include "json/document.h"

namespace pi_mcp::rpc {

// A request id as its sender wrote it: the JSON text of a string or an integer. Kept as text so
// that "1" and 1 stay different, as MCP requires of an echo (basic, "Requests"). On a link that
// carries requests of several clients, equal ids of two of them are told apart by the sender.
class Id {
 public:
  Id() = default;  // no id: what a notification has
  explicit Id(std::int64_t number) : json_(std::to_string(number)) {}
  static Id from_json(std::string_view json) {
    Id id;
    id.json_ = std::string(json);
    return id;
  }

  [[nodiscard]] bool exists() const { return !json_.empty(); }
  [[nodiscard]] const std::string& json() const { return json_; }
  // The value of an integer id that fits; also of 7.0, which is how a server that keeps all numbers
  // as doubles may echo our 7.
  [[nodiscard]] std::optional<std::int64_t> number() const;
  // Of its link; 0: the link has one.
  [[nodiscard]] std::uint32_t sender() const { return sender_; }
  void set_sender(std::uint32_t sender) { sender_ = sender; }
  auto operator<=>(const Id&) const = default;

 private:
  std::string json_;
  std::uint32_t sender_ = 0;
};

// JSON-RPC and MCP error codes that we send or look at.
namespace error_code {
constexpr std::int64_t parse_error = -32700;
constexpr std::int64_t invalid_request = -32600;
constexpr std::int64_t method_not_found = -32601;
constexpr std::int64_t invalid_params = -32602;
constexpr std::int64_t internal_error = -32603;
constexpr std::int64_t resource_not_found = -32002;  // MCP up to 2025-11-25
}  // namespace error_code

// Moves only: the values it hands out point into it (and stay valid when it moves).
class Message {
 public:
  // failure: a response whose member is `error` instead of `result`. batch: root() is an array of
  // messages (2025-03-26, JSON-RPC 2.0 section 6); only parse_any() gives it.
  enum class Kind : std::uint8_t { request, notification, result, failure, batch };

  // `line` is one message without its line feed. invalid_argument says what is wrong: not JSON, not
  // an object, a batch, no method and no result, an
  // id that is neither string nor integer. A missing "jsonrpc" member is tolerated, a wrong one is
  // not. Text that is JSON but for invalid UTF-8 is read with U+FFFD in place of the bad bytes, so
  // that the one call it belongs to can be answered; `repaired()` says so. A byte order mark is
  // skipped.
  static Result<Message> parse(SharedText line, json::ParseOptions options = {});
  static Result<Message> parse(std::string line, json::ParseOptions options = {}) {
    return parse(SharedText(std::move(line)), options);
  }

  // The same, but a batch is a message too.
  static Result<Message> parse_any(SharedText line);

  Message(Message&&) = default;
  Message& operator=(Message&&) = default;
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message() = default;

  [[nodiscard]] Kind kind() const { return kind_; }
  // Absent for notifications, and for a failure that answers something unreadable (its id is null).
  [[nodiscard]] const Id& id() const { return id_; }
  // Requests and notifications have a method; it is empty for responses.
  [[nodiscard]] const std::string& method() const { return method_; }
  [[nodiscard]] json::Value params() const { return params_; }
  [[nodiscard]] json::Value result() const { return result_; }
  [[nodiscard]] json::Value error() const { return error_; }
  [[nodiscard]] json::Value root() const { return document_.root(); }
  [[nodiscard]] bool repaired() const { return repaired_; }
  // The request on whose own stream this message arrived; absent where a link has one stream for
  // everything. Set by its transport.
  [[nodiscard]] const Id& during() const { return during_; }
  void arrived_during(Id request) { during_ = std::move(request); }
  // A failure that a transport wrote in place of an answer that could not be read.
  [[nodiscard]] bool is_substitute() const { return is_substitute_; }
  void stands_for_unreadable() { is_substitute_ = true; }
  // Set by a transport of several clients.
  void arrived_from(std::uint32_t sender) { id_.set_sender(sender); }

  // The bytes of a part of this message, kept alive without the message.
  [[nodiscard]] SharedText share(json::Value part) const { return document_.share(part); }

 private:
  Message() = default;
  std::optional<Error> read_envelope();
  std::optional<Error> classify(json::Value method);

  json::Document document_;
  Kind kind_ = Kind::notification;
  Id id_;
  std::string method_;
  json::Value params_;
  json::Value result_;
  json::Value error_;
  bool repaired_ = false;
  bool is_substitute_ = false;
  Id during_;
};

// What can still be seen of a message that could not be read. `head` and `tail` are the beginning
// and the end of its line; they may overlap or be the same text. An id inside the result or the
// params is never taken for the message's own.
struct PartialMessage {
  Id id;                    // absent when none is left
  bool is_request = false;  // it shows a method
};
PartialMessage read_partial(std::string_view head, std::string_view tail);

// The id of a broken answer, so that an oversized or broken answer can fail its own call; absent
// for a broken request.
Id partial_id(std::string_view head, std::string_view tail);
inline Id partial_id(std::string_view broken) {
  return partial_id(broken, broken);
}

}  // namespace pi_mcp::rpc

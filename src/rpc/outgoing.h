// A message on its way out: a few pieces of text written one after another. Large parts are shared
// with the message they came from, never copied. Pure: no I/O, no clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_text.h"
#include "rpc/message.h"

namespace pi_mcp::rpc {

class Outgoing {
 public:
  Outgoing() = default;
  explicit Outgoing(std::string text) : own_(std::move(text)) {}

  void add(std::string_view text) { own_ += text; }
  // Pieces under shared_bytes_min are copied: one longer write is cheaper than one more piece.
  void add(const SharedText& text);
  void add(const Outgoing& other);
  // Room for small pieces that are about to be added.
  void reserve(std::size_t bytes) { own_.reserve(own_.size() + bytes); }

  // Every piece in order, none of them empty. Valid until the next add() or move.
  [[nodiscard]] std::vector<std::string_view> pieces() const;
  // The same without a vector: calls `take(std::string_view)` for each.
  template <class Take>
  void for_each_piece(Take take) const;
  [[nodiscard]] std::size_t bytes() const { return own_.size() + shared_bytes_; }
  // All pieces in one string; for tests and small messages.
  [[nodiscard]] std::string flat() const;
  // The pieces, each of which keeps alive what it needs.
  [[nodiscard]] std::vector<SharedText> release() &&;

  static constexpr std::size_t shared_bytes_min = 4096;

  // The requests that this message answers; a batch answers several.
  template <class Take>
  void for_each_answered(Take take) const {
    if (answers_.exists()) {
      take(answers_);
      for (const Id& id : answers_too_) {
        take(id);
      }
    }
  }
  void note_answered(const Id& id);
  // Of a failure of our own, not of one that is passed on; 0: it is none.
  [[nodiscard]] std::int64_t failed_with() const { return failed_with_; }
  void note_failure(std::int64_t code) { failed_with_ = code; }

  // ---- an answer of result() or failure(), whole
  [[nodiscard]] bool is_result() const { return result_begin() != 0; }
  // It answers this request instead, also where it has answered none (null).
  void answer_instead(const Id& id);
  // `members` ("name":value,...) come before those of the result; a failure has none.
  void add_to_result(std::string_view members);

 private:
  struct Shared {
    std::size_t position = 0;  // in own_: what stands before it
    SharedText text;
  };
  void insert(std::size_t position, std::string_view text);
  [[nodiscard]] std::size_t result_begin() const;

  std::string own_;  // all small pieces in a row
  std::vector<Shared> shared_;
  std::size_t shared_bytes_ = 0;
  Id answers_;                   // absent: none
  std::vector<Id> answers_too_;  // of a batch
  std::int64_t failed_with_ = 0;
};

template <class Take>
void Outgoing::for_each_piece(Take take) const {
  const std::string_view own = own_;
  std::size_t taken = 0;
  for (const Shared& shared : shared_) {
    if (shared.position > taken) {
      take(own.substr(taken, shared.position - taken));
    }
    taken = shared.position;
    take(shared.text.view());
  }
  if (taken < own.size()) {
    take(own.substr(taken));
  }
}

// `params` and `result` are complete JSON values; empty params are left out.
Outgoing request(const Id& id, std::string_view method, const SharedText& params);
Outgoing request(const Id& id, std::string_view method, const Outgoing& params);
Outgoing notification(std::string_view method, const SharedText& params);
Outgoing result(const Id& id, const Outgoing& result);
// `data` is a JSON value or empty. An absent id is written as null.
Outgoing failure(const Id& id,
                 std::int64_t code,
                 std::string_view message,
                 std::string_view data = {});
// The same with a whole error object, JSON.
Outgoing failure(const Id& id, const SharedText& error);
// What a line deserves that Message::parse refused with `error`: a parse error when it is not JSON,
// else an invalid request, with its id if that can still be seen. Empty when the line looks like a
// broken answer: those are not answered.
Outgoing answer_to_unreadable(std::string_view line, const Error& error);

}  // namespace pi_mcp::rpc

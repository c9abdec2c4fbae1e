// What a mode answers: a value. It becomes text for a model, text for a shell, or details for
// programs when it is written, and nobody reads those texts back. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/shared_text.h"
#include "json/writer.h"
#include "render/meta_slot.h"
#include "tool/message.h"
#include "tool/modes.h"

namespace pi_mcp::tool {

// Why there is no answer, for the exit status of the shell.
enum class Failure : std::uint8_t {
  none,
  tool_error,
  usage,
  not_found,
  unavailable,
  unauthorized,
  timed_out,
  cancelled
};

// What was found; each mode has its own kind. Holds copies, so it outlives the catalog's content.
class Facts {
 public:
  Facts() = default;
  Facts(const Facts&) = default;
  Facts& operator=(const Facts&) = default;
  Facts(Facts&&) = default;
  Facts& operator=(Facts&&) = default;
  virtual ~Facts() = default;

  // Empty where the answer is a server's own result.
  [[nodiscard]] virtual Message text() const = 0;
  // Its members of the details object (compat.md section 2).
  virtual void write_details(json::Writer& out) const = 0;
  // About how many bytes they have: every call has details, so they are written without growing.
  [[nodiscard]] virtual std::size_t details_bytes() const { return 0; }
};

struct Answer {
  std::optional<Mode> mode;  // nullopt: the request has none
  Failure failure = Failure::none;
  std::string_view code;               // details.error, a literal; empty: none
  std::shared_ptr<const Facts> facts;  // not null
  // A server's CallToolResult, as it arrived or as the output guard rewrote it; else empty.
  SharedText passed;
  render::MetaSlot meta_slot;  // where details go into `passed`
  SharedText error_data;       // of a server's JSON-RPC error, JSON; empty: there is none

  [[nodiscard]] bool is_error() const { return failure != Failure::none; }
  // Null when the answer is of another kind.
  template <class Kind>
  [[nodiscard]] const Kind* get() const {
    return dynamic_cast<const Kind*>(facts.get());
  }
};

template <class Kind>
Answer answer_of(Mode mode, Kind facts) {
  Answer answer;
  answer.mode = mode;
  answer.facts = std::make_shared<const Kind>(std::move(facts));
  return answer;
}

// Our own text for this reader; empty where the answer is a server's own result.
std::string text_of(const Answer& answer, Reader reader);
// The details object, JSON: `mode`, for a failure also `error` and `message` as the reader is told
// it, and the members of the facts.
std::string details_of(const Answer& answer, Reader reader);

// An answer that is one message, with members for programs: a failure, or all a mode has to say.
class Reply {
 public:
  Reply(std::optional<Mode> mode, Message text);
  Reply(std::optional<Mode> mode, Failure failure, std::string_view code, Message text);

  Reply& with(std::string_view key, std::string_view value) {
    return with_json(key, json::quoted(value));
  }
  Reply& with(std::string_view key, const char* value) {
    return with(key, std::string_view(value));
  }
  Reply& with(std::string_view key, const std::string& value) {
    return with(key, std::string_view(value));
  }
  Reply& with(std::string_view key, bool value) { return with_json(key, value ? "true" : "false"); }
  Reply& with(std::string_view key, std::size_t value) {
    return with_json(key, std::to_string(value));
  }
  Reply& with_json(std::string_view key, std::string json);

  // Ends the reply; nothing may be added after it.
  Answer take();

 private:
  class Said;
  Answer answer_;
  std::shared_ptr<Said> said_;
};

}  // namespace pi_mcp::tool

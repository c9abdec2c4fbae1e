// Builds the ToolResult of a mode: text for the model, made printable, and details for programs.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "gateway/tool_request.h"
#include "gateway/tool_result.h"
#include "json/writer.h"

namespace pi_mcp::gateway {

// The details begin with the mode; a failure's details also have `error` and, as `message`, the
// text.
class Answer {
 public:
  Answer(Mode mode, std::string text);
  // `code` is details.error.
  Answer(Mode mode, ToolResult::Failure failure, std::string_view code, std::string text);

  template <class T>
  Answer& with(std::string_view key, const T& value) {
    details_.member(key, value);
    return *this;
  }
  Answer& with_json(std::string_view key, std::string_view json) {
    details_.member_raw(key, json);
    return *this;
  }

  // Ends the answer; nothing may be added after it.
  ToolResult take();

 private:
  ToolResult result_;
  json::Writer details_;
};

}  // namespace pi_mcp::gateway

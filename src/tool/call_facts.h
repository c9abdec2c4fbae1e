// What is known of a call whose server has answered, for the details of its answer. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "base/shared_text.h"
#include "tool/answer.h"

namespace pi_mcp::tool {

struct CallFacts final : Facts {
  std::string server;
  std::string tool;          // empty: a resource was read by its uri
  std::string name;          // displayed
  std::string resource_uri;  // not empty: a resource that was read
  SharedText raw;            // the result as it arrived; empty: it is omitted
  // Set for a result that is too large for the details.
  struct Omitted {
    std::size_t bytes_max = 0;
    std::size_t bytes = 0;
    std::size_t blocks = 0;
    bool is_error = false;
  };
  Omitted omitted;
  std::string guard_json;  // what the output guard did; empty: nothing

  [[nodiscard]] Message text() const override { return {}; }
  void write_details(json::Writer& out) const override;
  [[nodiscard]] std::size_t details_bytes() const override;
};

}  // namespace pi_mcp::tool

// Who shares this process, for people: what `pi-mcp status` shows of it.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "tool/answer.h"

namespace pi_mcp::tool {

struct SharedView {
  struct Session {
    std::string client;  // "claude-code 2.1.0"; empty: it has not said
    std::string folder;
    Milliseconds age{0};
    std::vector<std::string> servers;  // whose connections it has
  };
  int process_id = 0;
  std::vector<Session> sessions;
  std::vector<std::string> resting;  // servers that run and that no session uses now
};

// In lines for a shell, and as details `process` and `sessions`.
Answer shared_answer(const SharedView& view);

}  // namespace pi_mcp::tool

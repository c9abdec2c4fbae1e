// Who shares this process and what it runs: what `pi-mcp status`, `logs` and `doctor` show of it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "json/document.h"
#include "json/writer.h"
#include "runs/run_record.h"
#include "servers/share/parting.h"
#include "tool/answer.h"

namespace pi_mcp::tool {

struct SharedView {
  struct Session {
    std::string client;  // "claude-code 2.1.0"; empty: it has not said
    std::string folder;
    Milliseconds age{0};
    std::vector<std::string> servers;  // whose connections it has

    bool operator==(const Session&) const = default;
  };
  int process_id = 0;
  std::vector<Session> sessions;
  std::vector<std::string> resting;  // servers that run and that no session uses now
  std::vector<servers::Copies> copies;

  bool operator==(const SharedView&) const = default;
};

// Its members, for programs: process, sessions, resting, copies.
void write_shared_view(json::Writer& out, const SharedView& view);

// The member `copies` of it, or of several.
void write_copies(json::Writer& out, const std::vector<servers::Copies>& all);

// An answer with these details, from which a command in another process makes the value again.
Answer shared_answer(const SharedView& view);
// protocol: this is no such answer.
Result<SharedView> take_shared_view(const Answer& answer);

// The same of what each session runs; ages are carried as points in time.
Answer runs_answer(const std::vector<runs::RunRecord>& runs, EpochMs now);
Result<std::vector<runs::RunRecord>> take_runs(const Answer& answer, EpochMs now);

}  // namespace pi_mcp::tool

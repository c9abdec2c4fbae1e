// Gathers what can be known without starting anything: files, entries, programs, variables, logins,
// and what runs in processes of ours.
#pragma once

#include <vector>

#include "base/time.h"
#include "config/environment.h"
#include "config/load.h"
#include "config/settings.h"
#include "doctor/facts.h"
#include "runs/run_record.h"

namespace pi_mcp::doctor {

struct Place {
  const config::Settings& settings;
  const config::Environment& environment;
  const config::FileSource& files;
  const config::LoadOptions& options;
  const std::vector<runs::RunRecord>& shared_runs;  // what the shared process says of its sessions
};

// Of the servers with these names; empty: of all, and what is known of files and projects, too.
Facts gather(const Place& place, const std::vector<std::string>& servers, EpochMs now);

}  // namespace pi_mcp::doctor

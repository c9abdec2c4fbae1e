// The run record of a process whose sessions are not told apart outside of it: one that serves
// agents over HTTP. It has one record of all that runs in it, and writes how each run ended.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/gateway.h"
#include "runs/run_folder.h"

namespace pi_mcp::gateway {

class GatewayRuns {
 public:
  // `gateway` outlives it. `client` and `cwd` are what people are told that it runs for.
  GatewayRuns(const Gateway* gateway,
              std::string_view agent_dir,
              std::string client,
              std::string cwd);

  // Writes what has changed since the last time; nothing before the first server is used.
  void look();
  // Once every server has ended: stores their last words and removes the record.
  void bury();

 private:
  struct Known {
    runs::RunServer server;
    std::string raw_words;  // of which its words are made
    bool is_users = true;   // and not of somebody who came with a token
    bool is_there = true;
    bool has_new_words = false;
  };

  void take(const servers::PoolRun& run);
  void write();
  void save(const Known& known) const;

  const Gateway* gateway_;
  runs::RunFolder folder_;
  runs::RunRecord facts_;  // without servers
  std::optional<runs::OwnRun> own_;
  bool failed_ = false;                 // nobody can be told; said once
  std::map<std::string, Known> known_;  // by launch key
  std::size_t logs_ = 0;
  std::string told_;  // of the record that was written last, without ages
};

}  // namespace pi_mcp::gateway

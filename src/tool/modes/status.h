// mcp({}): one line for every configured server. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "servers/server_status.h"
#include "tool/answer.h"
#include "tool/consent/trust_note.h"

namespace pi_mcp::tool {

struct StatusFacts : Facts {
  std::vector<servers::ServerStatus> servers;
  std::vector<config::Warning> warnings;
  TrustNote trust;

  // The lines alone, without what to do next, for people.
  [[nodiscard]] std::string lines() const;
  [[nodiscard]] Message text() const override;
  void write_details(json::Writer& out) const override;
};

StatusFacts status_facts(std::vector<servers::ServerStatus> servers,
                         const config::Settings& settings,
                         TrustStep step);

}  // namespace pi_mcp::tool

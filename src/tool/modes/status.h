// mcp({}): one line for every configured server. Pure but for note_missing_programs() and
// note_ending_logins().
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "catalog/catalog.h"
#include "config/environment.h"
#include "config/settings.h"
#include "servers/server_status.h"
#include "tool/answer.h"
#include "tool/consent/trust_note.h"

namespace pi_mcp::tool {

struct StatusFacts : Facts {
  std::vector<servers::ServerStatus> servers;
  std::vector<config::Warning> warnings;
  TrustNote trust;
  Message no_servers;  // said where there are none; empty: the warnings say why
  std::string whose;   // Settings::principal_name

  // The lines alone, without what to do next, for people.
  [[nodiscard]] Message lines() const;
  [[nodiscard]] Message text() const override;
  void write_details(json::Writer& out) const override;

 private:
  enum class Audience : std::uint8_t { people, anybody };
  [[nodiscard]] Message lines_for(Audience audience) const;
};

StatusFacts status_facts(std::vector<servers::ServerStatus> servers,
                         const config::Settings& settings,
                         TrustNote trust);

// Names in directTools that no tool of the server has; nothing while its tools are not known.
void note_unknown_tools(std::vector<servers::ServerStatus>& servers,
                        const config::Settings& settings,
                        const catalog::Catalog& catalog);

// Logins that have ended, or end within a day: a person has to renew them.
void note_ending_logins(std::vector<servers::ServerStatus>& servers,
                        const config::Settings& settings,
                        const config::Environment& environment,
                        EpochMs now);

// Looks up the programs of servers that do not run. One that could not be started is not ready.
void note_missing_programs(std::vector<servers::ServerStatus>& servers,
                           const config::Settings& settings,
                           const config::Environment& environment);

}  // namespace pi_mcp::tool

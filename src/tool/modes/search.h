// mcp({ search }): finds tools by words or by a pattern. Offline: starts only servers that nobody
// knows yet, when nothing else was found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tool/answer.h"
#include "tool/consent/trust_note.h"
#include "tool/first_use.h"
#include "tool/search_view.h"
#include "tool/text.h"

namespace pi_mcp::tool {

struct SearchFacts final : Facts {
  // One hit of the page.
  struct Match {
    std::string server;
    std::string tool;  // displayed name
    // The reference adapter's score, and the one that orders the hits; nullopt: nothing is scored.
    struct Score {
      double reference = 0;
      double relevance = 0;
    };
    std::optional<Score> score;
    std::vector<std::string> explanation;  // of the score; empty unless it was asked for
    ToolMarks marks;
    std::optional<ToolDefinition> definition;  // when it was asked for
  };
  std::string query;
  SearchPage page;
  std::vector<Match> matches;
  std::optional<bool> confident;  // nullopt: nothing is scored
  std::vector<UnknownServer> unsearched;
  Message unsearched_text;  // why, and what to do
  Message without_hits;     // what else to do when nothing, or nothing that fits, was found
  TrustNote trust;

  [[nodiscard]] Message text() const override;
  void write_details(json::Writer& out) const override;
};

}  // namespace pi_mcp::tool

#include "mcp/revisions.h"

#include <algorithm>

#include "json/writer.h"

namespace pi_mcp::mcp {

const RevisionTraits& traits(Revision revision) {
  switch (revision) {
    case Revision::r2024_11_05:
      return revision_2024_11_05;
    case Revision::r2025_03_26:
      return revision_2025_03_26;
    case Revision::r2025_06_18:
      return revision_2025_06_18;
    case Revision::r2025_11_25:
      return revision_2025_11_25;
  }
  return revision_2025_11_25;
}

std::optional<Revision> parse_revision(std::string_view name) {
  const auto* const found =
      std::find_if(all_revisions.begin(), all_revisions.end(), [name](Revision revision) {
        return mcp::name(revision) == name;
      });
  return found == all_revisions.end() ? std::nullopt : std::optional(*found);
}

Revision answer_revision(std::string_view asked) {
  return parse_revision(asked).value_or(newest_revision);
}

Result<Revision> accept_revision(std::string_view answered) {
  const std::optional<Revision> revision = parse_revision(answered);
  if (!revision) {
    return fail(ErrorCode::protocol,
                "the server speaks protocol version " + json::quoted(answered.substr(0, 64)) +
                    ", pi-mcp speaks " + std::string(name(all_revisions.front())) + " to " +
                    std::string(name(newest_revision)));
  }
  return *revision;
}

std::string revisions_json() {
  json::Writer writer;
  writer.begin_array();
  for (const Revision revision : all_revisions) {
    writer.string(name(revision));
  }
  writer.end_array();
  return writer.take();
}

}  // namespace pi_mcp::mcp

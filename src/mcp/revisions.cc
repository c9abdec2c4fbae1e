#include "mcp/revisions.h"

#include "json/writer.h"

namespace pi_mcp::mcp {
namespace {

static_assert(std::all_of(revisions.begin(), revisions.end(), [](const RevisionTraits& row) {
  return &traits(row.revision) == &row;
}));

static_assert(protocol_choices.ends_with(name(newest_by_discovery)));

}  // namespace

std::optional<Revision> parse_revision(std::string_view name) {
  const auto* const found = std::ranges::find(revisions, name, &RevisionTraits::name);
  return found == revisions.end() ? std::nullopt : std::optional(found->revision);
}

std::optional<Revision> parse_handshake_revision(std::string_view name) {
  const std::optional<Revision> revision = parse_revision(name);
  return revision && traits(*revision).has_handshake ? revision : std::nullopt;
}

Revision answer_revision(std::string_view asked) {
  return parse_handshake_revision(asked).value_or(newest_by_handshake);
}

Result<Revision> accept_revision(std::string_view answered) {
  const std::optional<Revision> revision = parse_handshake_revision(answered);
  if (!revision) {
    return fail(ErrorCode::protocol,
                "the server speaks protocol version " + json::quoted(answered.substr(0, 64)) +
                    ", pi-mcp speaks " + handshake_revisions_text());
  }
  return *revision;
}

std::string handshake_revisions_text() {
  return std::string(revisions.front().name) + " to " + std::string(name(newest_by_handshake));
}

std::string revisions_json() {
  json::Writer writer;
  writer.begin_array();
  std::for_each(revisions.rbegin(), revisions.rend(), [&writer](const RevisionTraits& revision) {
    writer.string(revision.name);
  });
  writer.end_array();
  return writer.take();
}

Protocol parse_protocol(std::string_view choice) {
  if (choice == "legacy") {
    return Protocol::handshake;
  }
  const std::optional<Revision> revision = parse_revision(choice);
  return revision && !traits(*revision).has_handshake ? Protocol::discovery : Protocol::automatic;
}

}  // namespace pi_mcp::mcp

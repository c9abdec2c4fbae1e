// The protocol revisions this program speaks, what differs between them, and how two sides agree on
// one. Each revision is one table in a file of its own. Pure.
//
// 2026-07-28 has no handshake and is not here: see revision_2026_07_28.h and era.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pi_mcp::mcp {

// Ordered from old to new.
enum class Revision : std::uint8_t { r2024_11_05, r2025_03_26, r2025_06_18, r2025_11_25 };

constexpr Revision newest_revision = Revision::r2025_11_25;

// What a peer of that revision understands. Each is true from one revision on, but for batches.
struct RevisionTraits {
  std::string_view name;              // as it travels
  bool batches = false;               // JSON-RPC arrays; 2025-03-26 only
  bool audio = false;                 // audio content
  bool tool_annotations = false;      // readOnlyHint and its family
  bool progress_message = false;      // `message` in notifications/progress
  bool completions_declared = false;  // servers declare `completions`; before, they just had it
  bool structured_content = false;    // structuredContent and outputSchema
  bool resource_links = false;        // resource_link content
  bool titles = false;                // `title` beside `name`
  bool elicitation = false;           // elicitation/create, by form
  bool elicitation_url = false;       // by url
  bool sampling_tools = false;        // tools in sampling/createMessage
  bool icons = false;
};

// One file each: revision_<date>.cc.
extern const RevisionTraits revision_2024_11_05;
extern const RevisionTraits revision_2025_03_26;
extern const RevisionTraits revision_2025_06_18;
extern const RevisionTraits revision_2025_11_25;

constexpr std::array all_revisions = {
    Revision::r2024_11_05, Revision::r2025_03_26, Revision::r2025_06_18, Revision::r2025_11_25};

const RevisionTraits& traits(Revision revision);
inline std::string_view name(Revision revision) {
  return traits(revision).name;
}

// nullopt for a text that is none of ours.
std::optional<Revision> parse_revision(std::string_view name);

// As a server, the answer to a version that was asked for: that one when we speak it, else our
// newest (basic/lifecycle, "Version Negotiation").
Revision answer_revision(std::string_view asked);

// As a client, the version that a server answered. protocol: one we cannot speak; the message names
// it and ours.
Result<Revision> accept_revision(std::string_view answered);

// `["2024-11-05",...]`, oldest first.
std::string revisions_json();

}  // namespace pi_mcp::mcp

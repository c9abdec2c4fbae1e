// The protocol revisions this program speaks, what differs between them, and how two sides agree on
// one. A revision is a value of `Revision` and a row of `revisions`; what the rest of the program
// does otherwise for one of them, it does because of a flag of that row. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pi_mcp::mcp {

// Ordered from old to new.
enum class Revision : std::uint8_t {
  r2024_11_05,
  r2025_03_26,
  r2025_06_18,
  r2025_11_25,
  r2026_07_28,
};

// Only what the program reads: a difference that nothing depends on has no flag.
struct RevisionTraits {
  Revision revision = {};
  std::string_view name;  // as it travels
  // A connection begins with initialize and has ping. Else with server/discover, and every request
  // says who asks (mcp/discovery.h).
  bool has_handshake = false;
  bool has_titles = false;          // `title` beside `name`
  bool has_batches = false;         // JSON arrays of messages
  bool takes_notices = false;       // of a client, as that its roots have changed
  bool asks_by_result = false;      // of calls, which may also become tasks; else by own requests
  bool makes_tasks = false;         // of tools/call that ask for it (tasks/get, tasks/result)
  bool has_empty_cursors = false;   // only a page without a cursor is the last one
  bool lists_have_ttl = false;      // they say for how long and for whom they are good
  bool has_subscription = false;    // subscriptions/listen tells what changes
  bool repeats_in_headers = false;  // over HTTP: parts of the body (mcp/header_params.h)
  bool has_not_found = false;       // an error of its own (-32002) for unknown resources
  bool begins_streams = false;      // over HTTP: with an event without data, so that all can resume
};

// In the order of `Revision`.
constexpr std::array revisions = {
    RevisionTraits{.revision = Revision::r2024_11_05,
                   .name = "2024-11-05",
                   .has_handshake = true,
                   .takes_notices = true,
                   .has_not_found = true},
    RevisionTraits{.revision = Revision::r2025_03_26,
                   .name = "2025-03-26",
                   .has_handshake = true,
                   .has_batches = true,
                   .takes_notices = true,
                   .has_not_found = true},
    RevisionTraits{.revision = Revision::r2025_06_18,
                   .name = "2025-06-18",
                   .has_handshake = true,
                   .has_titles = true,
                   .takes_notices = true,
                   .has_not_found = true},
    RevisionTraits{.revision = Revision::r2025_11_25,
                   .name = "2025-11-25",
                   .has_handshake = true,
                   .has_titles = true,
                   .takes_notices = true,
                   .makes_tasks = true,
                   .has_not_found = true,
                   .begins_streams = true},
    RevisionTraits{.revision = Revision::r2026_07_28,
                   .name = "2026-07-28",
                   .has_titles = true,
                   .asks_by_result = true,
                   .has_empty_cursors = true,
                   .lists_have_ttl = true,
                   .has_subscription = true,
                   .repeats_in_headers = true},
};

constexpr const RevisionTraits& traits(Revision revision) {
  return revisions.at(static_cast<std::size_t>(revision));
}
constexpr std::string_view name(Revision revision) {
  return traits(revision).name;
}

constexpr Revision newest_revision(bool has_handshake) {
  const auto newest = std::find_if(
      revisions.rbegin(), revisions.rend(), [has_handshake](const RevisionTraits& revision) {
        return revision.has_handshake == has_handshake;
      });
  return newest->revision;
}
constexpr Revision newest_by_handshake = newest_revision(true);
constexpr Revision newest_by_discovery = newest_revision(false);

// nullopt for a text that is none of ours.
std::optional<Revision> parse_revision(std::string_view name);
// The same for revisions with a handshake only.
std::optional<Revision> parse_handshake_revision(std::string_view name);

// As a server, the answer to a version that was asked for: that one when we speak it, else our
// newest (basic/lifecycle, "Version Negotiation").
Revision answer_revision(std::string_view asked);

// As a client, the version that a server answered. protocol: one we cannot speak; the message names
// it and ours.
Result<Revision> accept_revision(std::string_view answered);

// Those with a handshake: "2024-11-05 to 2025-11-25".
std::string handshake_revisions_text();
// All: `["2026-07-28",...]`, newest first.
std::string revisions_json();

// What was found out about a server that might have been spoken to in several ways.
struct Era {
  Revision revision = {};
  bool has_session = false;      // it keeps state for us under an Mcp-Session-Id
  bool tried_handshake = false;  // else it was only discovered
  std::string server;            // its name and version then: another one may have learnt more
};

// What is to be spoken: the setting `protocolVersion`, but for `newest`.
enum class Protocol : std::uint8_t {
  automatic,  // whatever the server speaks, and of two the one it works in
  newest,     // the same, and of two the newer one: for a host that speaks that itself
  handshake,  // a revision that has one
  discovery,  // one that has none
};
constexpr std::string_view protocol_choices = "auto|legacy|2026-07-28";
// automatic for a text that is none of the choices.
Protocol parse_protocol(std::string_view choice);

}  // namespace pi_mcp::mcp

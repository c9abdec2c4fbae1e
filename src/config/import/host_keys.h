// What becomes of the keys that a host has of its own: a table for each host. Internal to config/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "config/import/reader.h"
#include "config/raw.h"

namespace pi_mcp::config {

enum class Becomes : std::uint8_t {
  key,           // `to`, with the same value
  milliseconds,  // `to`; the host counts in seconds
  tools,         // the only tools that there are: "*" is all of them, an empty list none
  oauth,         // the member `to` of `oauth`
  listener,      // `oauth`, where redirectUri may be no more than an address to listen at
  members,       // its members are those of the entry
  approval,      // tools that the host does not ask about: "*" is approveTools: false
  nothing,       // only the host can do something with it: noted
  warning,       // it is not honoured, which changes something; `to`: what to do instead
};

struct HostKey {
  std::string_view from;
  Becomes becomes;
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string_view to = {};
};

// Keys that are in no table are called with us as there.
void translate_keys(ImportReader& reader, RawServer& server, std::span<const HostKey> keys);

// $NAME, which many hosts take for ${NAME}, in every string of the entry. On Windows %NAME% too.
void translate_dollar_names(RawObject& fields, const Environment& environment);

// What Gemini CLI, Qwen Code and others say about `oauth`: whether it is used at all, and addresses
// that we find ourselves.
void translate_oauth_object(ImportReader& reader, RawServer& server);

}  // namespace pi_mcp::config

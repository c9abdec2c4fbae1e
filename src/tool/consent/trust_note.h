// What answers about all servers say of the servers that need the user's trust. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "tool/message.h"

namespace pi_mcp::tool {

// What a model can do about servers without trust. A person always runs a command.
enum class TrustStep : std::uint8_t {
  connect,  // connecting asks the user
  tell,     // the user cannot be asked here, only told
};

// A stranger chose the name of a server without trust. A model is told of it only what can be no
// sentence: up to 64 letters, digits and "._/@-". A person sees each, in one line.
[[nodiscard]] bool is_told_before_trust(std::string_view server);

struct TrustNote {
  std::size_t servers = 0;  // that need trust
  std::string first;        // the first of these that the user may still be asked about
  std::size_t changed = 0;  // of these: since they were trusted
  bool refused = false;     // all of these, by the user, in this session
  bool forbidden = false;   // by the host, so nothing here can allow them
  TrustStep step = TrustStep::tell;

  // A paragraph of its own, behind an empty line; empty when no server needs trust.
  [[nodiscard]] Message text() const;
};
// `refused`: folders about which the user has said no in this session.
TrustNote trust_note(const config::Settings& settings,
                     TrustStep step,
                     const std::set<std::string>& refused = {});

// What a person can do who has said no.
Message undo_refusal();

// Behind what names a server without trust: why it has none.
[[nodiscard]] std::string_view untrusted_words(bool changed);

// What one server without trust says instead of an answer.
Message trust_advice(const config::TrustRequest& request, TrustStep step);

}  // namespace pi_mcp::tool

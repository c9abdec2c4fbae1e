// What answers about all servers say of the servers that need the user's trust. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "config/settings.h"
#include "tool/message.h"

namespace pi_mcp::tool {

// What a model can do about servers without trust. A person always runs a command.
enum class TrustStep : std::uint8_t {
  connect,  // connecting asks the user
  tell,     // the user cannot be asked here, only told
};

struct TrustNote {
  std::size_t servers = 0;  // that need trust
  std::string first;        // the first of these
  bool forbidden = false;   // by the host, so nothing here can allow them
  TrustStep step = TrustStep::tell;

  // A paragraph of its own, behind an empty line; empty when no server needs trust.
  [[nodiscard]] Message text() const;
};
TrustNote trust_note(const config::Settings& settings, TrustStep step);

// What one server without trust says instead of an answer.
Message trust_advice(const config::TrustRequest& request, TrustStep step);

}  // namespace pi_mcp::tool

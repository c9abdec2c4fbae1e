// What people do about an error, as a value: the words for it differ between a shell and the hosts
// that have commands of their own. Whoever shows the error says it (tool::step_of()).
#pragma once

#include <cstdint>
#include <string>

namespace pi_mcp {

struct Remedy {
  enum class Kind : std::uint8_t {
    log_in,                // to a server, again
    store_secret,          // under a name
    store_secret_in_file,  // the same, where there is no keyring
    trust_folder,          // of the session
    bypass_proxy,          // by naming a host in NO_PROXY
  };
  Kind kind = Kind::log_in;
  std::string subject;  // the server, the name of the secret, the host; empty of a folder

  bool operator==(const Remedy&) const = default;
};

}  // namespace pi_mcp

#include "servers/server_status.h"

namespace pi_mcp::servers {

std::string_view state_name(ServerStatus::State state) {
  switch (state) {
    case ServerStatus::State::connected:
      return "connected";
    case ServerStatus::State::connecting:
      return "connecting";
    case ServerStatus::State::cached:
      return "cached";
    case ServerStatus::State::not_connected:
      return "not connected";
    case ServerStatus::State::failed:
      return "failed";
    case ServerStatus::State::needs_auth:
      return "needs auth";
    case ServerStatus::State::disabled:
      return "disabled";
    case ServerStatus::State::needs_trust:
      return "needs trust";
  }
  return "";
}

}  // namespace pi_mcp::servers

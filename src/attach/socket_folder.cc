#include "attach/socket_folder.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "io/files/file.h"
#include "io/files/own_folder.h"
#include "io/loop/random.h"
#include "io/net/local_socket.h"
#include "io/process/kernel.h"

namespace pi_mcp::attach {
namespace {

constexpr const char* folder_name = "/pi-mcp";

// Where folders of users stand that live as long as their logins.
std::optional<std::string> runtime_folder(const std::string& named) {
  if (named.starts_with('/') && io::is_directory(named) && io::is_own(named)) {
    return named;
  }
  return io::own_folder_in("/run/user");
}

// A name is VERSION-BUILD-PLACE-LIMITS: the digests of the program, of folder of settings and
// standing, and of the hard limits.
std::string_view all_but_limits(std::string_view name) {
  return name.substr(0, name.rfind('-') + 1);
}

std::string_view place_in(std::string_view name) {
  const std::string_view front = all_but_limits(name);
  return front.empty() ? front : front.substr(front.rfind('-', front.size() - 2) + 1);
}

std::string digest(std::string_view text, std::size_t digits) {
  return sha256_hex(text).substr(0, digits);
}

}  // namespace

std::string socket_folder_path(const MeetingPlace& place) {
  const std::optional<std::string> runtime = runtime_folder(place.runtime_folder);
  return runtime ? *runtime + folder_name : place.agent_folder + "/run";
}

bool has_socket_folder(const MeetingPlace& place) {
  return io::is_directory(socket_folder_path(place));
}

Result<SocketFolder> open_socket_folder(const MeetingPlace& place) {
  SocketFolder found{.folder = {}, .path = socket_folder_path(place)};
  if (found.path.starts_with(place.agent_folder + "/")) {
    if (Result<void> made = io::make_folders(place.agent_folder); !made) {
      return fail(std::move(made).error());
    }
  }
  Result<io::Fd> folder = io::open_own_folder(found.path);
  if (!folder) {
    return fail(std::move(folder).error());
  }
  found.folder = std::move(*folder);
  return found;
}

std::string name_beside(const std::string& name) {
  constexpr std::size_t bytes = 4;
  return std::string(all_but_limits(name)) + io::random_hex(bytes);
}

std::string socket_name(const std::string& agent_folder,
                        const io::Standing& standing,
                        const io::ProcessTraits& traits) {
  constexpr std::size_t build_digits = 16;
  constexpr std::size_t place_digits = 16;
  constexpr std::size_t limit_digits = 8;
  std::string limits;
  for (const io::ResourceLimit& limit : traits.limits) {
    limits += std::to_string(limit.hard) + ' ';
  }
  return PI_MCP_VERSION "-" + digest(io::own_program_stamp(), build_digits) + '-' +
         digest(io::canonical_path(agent_folder) + '\n' + io::standing_digest(standing),
                place_digits) +
         '-' + digest(limits, limit_digits);
}

std::vector<std::string> sockets_beside(const io::Fd& folder, const std::string& name) {
  std::vector<std::string> others = io::sockets_in(folder);
  std::erase_if(others, [&](const std::string& other) {
    return other == name || all_but_limits(other) != all_but_limits(name);
  });
  std::ranges::sort(others);
  return others;
}

std::vector<std::string> sockets_to_see(const MeetingPlace& place,
                                        const io::ProcessTraits& traits) {
  std::vector<std::string> names = {socket_name(place.agent_folder, io::own_standing(), traits)};
  if (has_socket_folder(place)) {
    if (const Result<SocketFolder> folder = open_socket_folder(place)) {
      for (std::string& name : sockets_beside(folder->folder, names.front())) {
        names.push_back(std::move(name));
      }
    }
  }
  return names;
}

std::vector<std::string> sockets_of_other_builds(const MeetingPlace& place) {
  const Result<SocketFolder> folder =
      has_socket_folder(place) ? open_socket_folder(place)
                               : fail(ErrorCode::not_found, "there is no folder for sockets");
  if (!folder) {
    return {};
  }
  const std::string own = socket_name(place.agent_folder, io::own_standing(), io::own_traits());
  std::vector<std::string> others = io::sockets_in(folder->folder);
  std::erase_if(others, [&own](const std::string& other) {
    return place_in(other) != place_in(own) || all_but_limits(other) == all_but_limits(own);
  });
  std::ranges::sort(others);
  return others;
}

}  // namespace pi_mcp::attach

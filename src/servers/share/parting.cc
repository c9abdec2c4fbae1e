#include "servers/share/parting.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "servers/launch/shared_child.h"

namespace pi_mcp::servers {
namespace {

using Texts = std::map<std::string, std::string>;

class Comparison {
 public:
  void add(bool differs, PartedBy by) {
    if (differs) {
      found_.push_back({.by = by});
    }
  }
  void add(const Parting& parting) { found_.push_back(parting); }

  // Names that only one has, or with another value.
  template <class Kind>
  void add_names(const Texts& one, const Texts& other, Kind kind) {
    Texts all = one;
    all.insert(other.begin(), other.end());
    for (const auto& [name, value] : all) {
      const auto mine = one.find(name);
      const auto theirs = other.find(name);
      const bool same =
          mine != one.end() && theirs != other.end() && mine->second == theirs->second;
      if (!same) {
        found_.push_back({.by = kind(name), .name = name});
      }
    }
  }

  std::vector<Parting> take() { return std::move(found_); }

 private:
  std::vector<Parting> found_;
};

Texts keyed(const Launch& launch) {
  Texts env = launch.env;
  std::erase_if(env,
                [&launch](const auto& each) { return launch.not_in_key.contains(each.first); });
  return env;
}

void compare(const ProcessTraits& one, const ProcessTraits& other, Comparison& found) {
  found.add(one.umask != other.umask, PartedBy::umask);
  found.add(one.niceness != other.niceness, PartedBy::niceness);
  const auto keyed = [](ProcessTraits traits) {
    traits.limits.at(open_files_resource).soft = 0;
    return traits.limits;
  };
  found.add(keyed(one) != keyed(other), PartedBy::limits);
}

bool is_same(const std::optional<CredentialCommand>& one,
             const std::optional<CredentialCommand>& other) {
  const auto tied = [](const CredentialCommand& command) {
    return std::tie(command.program, command.args, command.env, command.cwd, command.time_max);
  };
  return one.has_value() == other.has_value() && (!one || tied(*one) == tied(*other));
}

bool is_same(const std::optional<auth::Access>& one, const std::optional<auth::Access>& other) {
  return one.has_value() == other.has_value() &&
         (!one || (one->agent_dir == other->agent_dir && one->server == other->server &&
                   one->settings.client_id == other->settings.client_id &&
                   one->settings.scope == other->settings.scope));
}

void compare(const RemoteLaunch& one, const RemoteLaunch& other, Comparison& found) {
  found.add(one.url != other.url || one.kind != other.kind, PartedBy::address);
  found.add_names(
      one.headers, other.headers, [](const std::string& /*name*/) { return PartedBy::header; });
  found.add(!is_same(one.token_command, other.token_command) ||
                !is_same(one.headers_command, other.headers_command) ||
                !is_same(one.access, other.access),
            PartedBy::login);
  found.add(one.ca_file != other.ca_file, PartedBy::certificates);
  found.add_names(one.environment, other.environment, [](const std::string& /*name*/) {
    return PartedBy::network;
  });
}

void compare_children(const config::Server& server,
                      const Launch& one,
                      const Launch& other,
                      Comparison& found) {
  found.add(one.command != other.command || one.args != other.args, PartedBy::command);
  // What a short list lacks is one reason, not one for each variable.
  if (one.short_list != other.short_list) {
    found.add({.by = PartedBy::short_list});
  } else {
    found.add_names(keyed(one), keyed(other), [&server](const std::string& name) {
      return server.env.contains(name) ? PartedBy::configured
             : name == "PATH"          ? PartedBy::path
                                       : PartedBy::variable;
    });
  }
  found.add(one.leads_to != other.leads_to, PartedBy::path);
  found.add(one.cwd != other.cwd || one.cwd_identity != other.cwd_identity, PartedBy::folder);
  found.add(one.kept_out != other.kept_out, PartedBy::trust);
  if (one.process && other.process) {
    compare(*one.process, *other.process, found);
  }
}

struct Words {
  constexpr Words(PartedBy what, std::string_view word, std::string_view words)
      : by(what), name(word), text(words) {}

  PartedBy by;
  std::string_view name;
  std::string_view text;  // the name follows a space at its end
};

constexpr std::array all_words = {
    Words(PartedBy::variable, "variable", "the variable "),
    Words(PartedBy::configured, "configured", "the configured variable "),
    Words(PartedBy::path, "path", "what PATH leads to"),
    Words(PartedBy::folder, "folder", "the folder"),
    Words(PartedBy::command, "command", "the command"),
    Words(PartedBy::trust, "trust", "the trust in the folder"),
    Words(PartedBy::short_list, "shortList", "a host that hands on few variables"),
    Words(PartedBy::umask, "umask", "the umask"),
    Words(PartedBy::niceness, "niceness", "the niceness"),
    Words(PartedBy::limits, "limits", "the limits of the process"),
    Words(PartedBy::address, "address", "the address"),
    Words(PartedBy::header, "header", "the header "),
    Words(PartedBy::login, "login", "the login"),
    Words(PartedBy::principal, "principal", "who uses it"),
    Words(PartedBy::certificates, "certificates", "the file of certificates"),
    Words(PartedBy::network, "network", "the variable "),
    Words(PartedBy::protocol, "protocol", "the protocol"),
    Words(PartedBy::capabilities, "capabilities", "what the hosts can do"),
    Words(PartedBy::roots, "roots", "the roots of the hosts"),
    Words(PartedBy::session, "session", "the session, for which it keeps a state"),
};

bool are_only(const std::vector<Parting>& partings, std::initializer_list<PartedBy> allowed) {
  return !partings.empty() && std::ranges::all_of(partings, [&allowed](const Parting& parting) {
    return std::ranges::find(allowed, parting.by) != allowed.end();
  });
}

// Whether all would have the same variables.
bool would_join(const config::Server& server,
                Entry changed,
                std::span<const Launch* const> launches) {
  return std::ranges::all_of(launches, [&](const Launch* launch) {
    return would_have_same_variables(server, changed, *launches.front(), *launch);
  });
}

// See Copies::join.
std::string joining_member(const config::Server& server,
                           std::span<const Launch* const> launches,
                           const std::vector<Parting>& parted_by) {
  const auto is_for_one = [](const Launch* launch) {
    return !launch->session.empty();
  };
  if (are_only(parted_by, {PartedBy::session})) {
    return std::ranges::any_of(launches, is_for_one) ? R"("share": "folder")" : "";
  }
  const bool is_for_all = std::ranges::any_of(
      launches, [](const Launch* launch) { return launch->not_in_key.contains("PATH"); });
  if (is_for_all || std::ranges::any_of(launches, is_for_one)) {
    return "";  // what is left is wanted of it
  }
  if (server.inherit_env && are_only(parted_by, {PartedBy::variable, PartedBy::short_list}) &&
      would_join(server, Entry::inherits_nothing, launches)) {
    return R"("inheritEnv": false)";
  }
  // With a folder of its own it keeps that.
  const bool has_same_folder =
      !server.cwd ||
      std::ranges::find(parted_by, PartedBy::folder, &Parting::by) == parted_by.end();
  const bool joins =
      has_same_folder &&
      are_only(parted_by,
               {PartedBy::variable, PartedBy::short_list, PartedBy::path, PartedBy::folder}) &&
      would_join(server, Entry::share_user, launches);
  return joins ? R"("share": "user")" : "";
}

}  // namespace

std::vector<Parting> partings(const config::Server& server,
                              const Launch& one,
                              const Launch& other) {
  Comparison found;
  found.add(one.principal != other.principal, PartedBy::principal);
  if (one.remote && other.remote) {
    compare(*one.remote, *other.remote, found);
  } else {
    found.add(one.remote.has_value() != other.remote.has_value() || one.socket != other.socket,
              PartedBy::address);
    compare_children(server, one, other, found);
  }
  found.add(one.protocol != other.protocol || one.tasks != other.tasks ||
                one.pages.addresses.private_hosts != other.pages.addresses.private_hosts,
            PartedBy::protocol);
  found.add(one.features != other.features, PartedBy::capabilities);
  found.add(one.roots != other.roots, PartedBy::roots);
  found.add(one.session != other.session || one.copy != other.copy, PartedBy::session);
  return found.take();
}

Copies copies_of(const config::Server& server, std::span<const Launch* const> launches) {
  Copies copies{.server = server.name, .count = launches.size(), .parted_by = {}};
  for (const Launch* const other : launches.subspan(launches.empty() ? 0 : 1)) {
    for (Parting& parting : partings(server, *launches.front(), *other)) {
      if (std::ranges::find(copies.parted_by, parting) == copies.parted_by.end()) {
        copies.parted_by.push_back(std::move(parting));
      }
    }
  }
  copies.join = joining_member(server, launches, copies.parted_by);
  return copies;
}

std::string_view parted_by_name(PartedBy by) {
  return std::ranges::find(all_words, by, &Words::by)->name;
}

std::optional<PartedBy> read_parted_by(std::string_view name) {
  const auto found = std::ranges::find(all_words, name, &Words::name);
  return found == all_words.end() ? std::nullopt : std::optional(found->by);
}

std::string parting_text(const Parting& parting) {
  const auto found = std::ranges::find(all_words, parting.by, &Words::by);
  return std::string(found->text) + (found->text.ends_with(' ') ? parting.name : "");
}

}  // namespace pi_mcp::servers

// What the kernel lets a process do, as another process of the same user sees it. Two processes
// whose standing is equal can do nothing through each other that they cannot do themselves.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::io {

inline constexpr std::array<std::string_view, 10> namespace_names = {"user",
                                                                     "mnt",
                                                                     "pid",
                                                                     "net",
                                                                     "ipc",
                                                                     "uts",
                                                                     "cgroup",
                                                                     "time",
                                                                     "pid_for_children",
                                                                     "time_for_children"};

// A limit that a control group sets for all that is in it.
struct GroupLimit {
  std::string group;  // its path in the hierarchy; empty for a value that counts wherever it is set
  std::string file;   // "memory.max"
  std::string value;
  bool operator==(const GroupLimit&) const = default;
};

struct Standing {
  bool seen = true;                 // false: some of it could not be read
  bool no_new_privileges = false;   // Landlock and the sandboxes of users come with it
  std::vector<std::string> rights;  // lines of /proc/PID/status: ids, capabilities, seccomp
  std::array<std::string, namespace_names.size()> namespaces;
  std::string root;    // path, inode, device and mount
  std::string label;   // of the security module; "unconfined" in any profile's such mode
  std::string groups;  // /proc/PID/cgroup
  // Those of its groups and of all above them; nullopt: not looked at, or they cannot be seen.
  std::optional<std::vector<GroupLimit>> limits;
};

// Without the limits.
Standing standing_of(pid_t process);
Standing own_standing();
// Reads the groups of our own standing again, where they can be read: others can change them, all
// else only we.
void renew_groups(Standing& own);

// What makes it unsafe that one works through the other, in words ("NoNewPrivs is set"); nullopt:
// nothing. Symmetric. Limits count only where the groups differ.
std::optional<std::string> difference(const Standing& own, const Standing& peer);

// difference() from a process, looking at limits where they count.
std::optional<std::string> difference_from(const Standing& own, pid_t peer);

// The same for those who may meet under one name: rights, namespaces, root and label, as 16
// hexadecimal digits. The groups are left out: they differ from terminal to terminal.
std::string standing_digest(const Standing& standing);

// The limits in a text as /proc/PID/cgroup is, of the hierarchies below `mounts` (/sys/fs/cgroup).
std::optional<std::vector<GroupLimit>> group_limits(std::string_view groups,
                                                    const std::string& mounts);

}  // namespace pi_mcp::io

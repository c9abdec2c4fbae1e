// Which processes a server has, and what they take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::io {

struct TreeUse {
  std::size_t processes = 0;
  // Proportional set size: what is shared with other processes counts in parts, so the numbers of
  // several servers may be added.
  std::size_t memory_bytes = 0;
};

// Counts a server's process, everything it started, and the keeper above it with what fell to it.
// nullopt when there is no such process, or the system does not tell (another user's).
std::optional<TreeUse> tree_use(int process_id);

// A number that changes as long as a process or its descendants work: the ticks of the clock they
// have spent and the bytes they have moved by read() and write(). It falls when one of them ends.
std::uint64_t work_of_tree(int process_id);

// A keeper (io/process/keeper.h) that is still there after the process above it has ended.
struct LeftKeeper {
  int process_id = 0;
  std::string program;  // what it keeps, by its short name; empty: nothing any more
};
// Those of this user whose server has this home directory. One whose process has just ended
// is among them until its work is done.
std::vector<LeftKeeper> left_keepers(std::string_view home);
// Kills what is below the keeper, and once nothing is, the keeper. False when there is none of that
// id (any more).
bool kill_keeper(int process_id);

// A process of this user that listens at a local socket whose path ends in "/NAME". 0: none is seen
// (unix(7), /proc/net/unix).
int process_listening_at(std::string_view name);

// The id of this process.
int own_process_id();

// Ids of our own children, those that have ended and were not waited for among them. Empty where
// the kernel does not tell (CONFIG_PROC_CHILDREN).
std::vector<int> own_children();

}  // namespace pi_mcp::io

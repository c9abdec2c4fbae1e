// Files: read whole, write atomically, lock. Errors name the path and the system's reason.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

// nullopt when the file does not exist. io when it cannot be read or is over `bytes_max`.
Result<std::optional<std::string>> read_file(const std::string& path,
                                             std::size_t bytes_max = std::size_t{256} << 20U);

// Standard input to its end, whatever it is: a file, a pipe, a terminal, or a socket, as Node.js
// gives the programs that it starts (/dev/stdin cannot be opened then). Blocks. io as above.
Result<std::string> read_stdin(std::size_t bytes_max = std::size_t{256} << 20U);

// A file for its owner alone. io: it cannot be read, is over `bytes_max`, belongs to somebody else,
// or others may read or write it.
Result<std::string> read_private_file(const std::string& path, std::size_t bytes_max);

enum class Durability { cache, durable };  // durable: fsync of file and folder before and after

struct WriteOptions {
  unsigned mode = 0600;         // of a new file; an existing file keeps its own
  unsigned folder_mode = 0700;  // of folders that have to be made
  Durability durability = Durability::durable;
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string_view like = {};  // a new file gets mode and owner of this one; empty: see `mode`
};

// Like read_file(), for a file that somebody else may have put there: io for anything but a regular
// file or a link to one, which is not opened.
Result<std::optional<std::string>> read_regular_file(const std::string& path,
                                                     std::size_t bytes_max = std::size_t{16}
                                                                             << 20U);

// Writes a temporary file beside the target and renames it over; a symbolic link is followed, so
// the link itself stays. Readers see the old or the new text, never a part.
Result<void> write_file(const std::string& path, std::string_view text, WriteOptions options = {});

// Why write_file() should leave this path alone, as words behind it ("is read-only"): the file is
// nobody's to write, or its folder is not ours to change. Empty when it may be written.
std::string write_refusal(const std::string& path);

// Writes into whatever the path names, a pipe or a device too, as a shell's ">" does; but the text
// of a file stays where the new one cannot be written. Makes no folder.
Result<void> write_output(const std::string& path, std::string_view text);
// Whoever may read the file may run it from now on; nothing for what is no regular file.
Result<void> allow_running(const std::string& path);

// Replaces the text of a file while holding an exclusive lock on `path` + ".lock", so that no
// update of another process is lost. `change` gets the current text ("" when there is none) and
// returns the new one, or nullopt to leave the file alone. timed_out: another process held the lock
// that long.
using FileChange = std::function<std::optional<std::string>(std::string)>;
Result<void> update_file(const std::string& path,
                         const FileChange& change,
                         Milliseconds lock_wait_max,
                         WriteOptions options = {});

// Makes the folder and those above it; nothing when it exists.
Result<void> make_folders(const std::string& path, unsigned mode = 0700);
// Names in a folder, without "." and "..", in no order; none when it cannot be read, any
// `names_max` where there are more.
std::vector<std::string> names_in(const std::string& folder, std::size_t names_max = SIZE_MAX);
// Nothing when it does not exist.
void remove_file(const std::string& path);
// With all that is in it; links are not followed. Nothing when it does not exist.
void remove_folder(const std::string& path);

// Absolute with symbolic links resolved; the path itself when it does not exist.
std::string canonical_path(const std::string& path);
// Of what is open; a path that leads nowhere when it was removed.
std::string path_of(const Fd& opened);
[[nodiscard]] bool is_directory(const std::string& path);
// A regular file, or a link to one.
[[nodiscard]] bool is_file(const std::string& path);
// It belongs to our effective user; a link is followed.
[[nodiscard]] bool is_own(const std::string& path);
[[nodiscard]] bool is_on_same_device(const std::string& one, const std::string& other);
// Which file or folder it is, whatever stands under the path later: no other one has that as long
// as somebody keeps it open. Empty when it cannot be looked at.
std::string identity_of(const std::string& path);
// A symbolic link, wherever it leads.
[[nodiscard]] bool is_link(const std::string& path);
// A socket of this user, and not a link to one.
[[nodiscard]] bool is_own_socket(const std::string& path);
// The folder in `folder` that has the number of this user as its name and belongs to this user;
// nullopt when there is none.
std::optional<std::string> own_folder_in(const std::string& folder);
// When its content was last changed; nullopt when it does not exist.
std::optional<EpochMs> modified_at(const std::string& path);

// Sets that to now, of a folder as well. Nothing when it does not exist.
void touch(const std::string& path);

// Tells the states of a file apart. Its time alone does not: two writes within one tick of the
// kernel's clock (4 ms) leave the same, and copies can keep that of the original.
struct FileStamp {
  std::uint64_t inode = 0;  // of write_file() each time a new one
  std::int64_t bytes = 0;
  std::int64_t modified_ns = 0;  // since the epoch
  std::int64_t changed_ns = 0;   // the same; nobody can set it
  bool operator==(const FileStamp&) const = default;
};
// nullopt when it does not exist.
std::optional<FileStamp> stamp_of(const std::string& path);
// The first bytes of a file, at most `bytes_max`.
Result<std::string> read_head(const std::string& path, std::size_t bytes_max);

}  // namespace pi_mcp::io

#include "io/files/temp_files.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/log.h"
#include "base/text.h"
#include "io/files/fd.h"
#include "io/files/file.h"
#include "io/loop/random.h"

namespace pi_mcp::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_prefix = "pi-mcp-output-";

// The process id in "pi-mcp-output-<pid>-<random>"; 0 for any other name.
pid_t owner_of(std::string_view name) {
  if (!name.starts_with(folder_prefix)) {
    return 0;
  }
  name.remove_prefix(folder_prefix.size());
  pid_t owner = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), owner);
  return error == std::errc() && owner > 0 && end != name.data() + name.size() && *end == '-'
             ? owner
             : 0;
}

bool is_gone(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

bool is_ours(const fs::path& folder) {
  struct stat status{};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

// Best effort: what cannot be read or removed is somebody else's, or is tried again next time.
void remove_stale(const std::string& base) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(base, ignored)) {
    const pid_t owner = owner_of(entry.path().filename().string());
    if (owner != 0 && is_gone(owner) && is_ours(entry.path())) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

TempFiles::~TempFiles() {
  if (!folder_.empty()) {
    std::error_code error;
    fs::remove_all(folder_, error);
    if (error) {
      log::warning("cannot remove " + folder_ + ": " + error.message());
    }
  }
}

Result<void> TempFiles::make_folder() {
  remove_stale(base_);
  const std::string folder =
      base_ + "/" + std::string(folder_prefix) + std::to_string(::getpid()) + "-" + random_hex(8);
  // mkdir fails on anything that exists, a planted link included.
  if (::mkdir(folder.c_str(), 0700) != 0) {
    return fail(ErrorCode::io, "cannot make the folder " + folder + ": " + reason(errno));
  }
  folder_ = folder;
  return {};
}

Result<std::string> TempFiles::write(std::string_view extension, std::string_view bytes) {
  if (files_ >= files_max || bytes.size() > bytes_max - bytes_) {
    return fail(ErrorCode::io,
                "this session has already put " + std::to_string(files_) + " files of " +
                    text::size_text(bytes_) + " into " + folder_);
  }
  if (folder_.empty()) {
    if (Result<void> made = make_folder(); !made) {
      return fail(made.error());
    }
  }
  std::string path =
      folder_ + "/output-" + std::to_string(files_ + 1) + "." + std::string(extension);
  if (Result<void> written = write_file(path, bytes, {.durability = Durability::cache}); !written) {
    return fail(written.error());
  }
  ++files_;
  bytes_ += bytes.size();
  return path;
}

}  // namespace pi_mcp::io

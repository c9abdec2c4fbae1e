#include "io/files/temp_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/text.h"
#include "io/files/fd.h"
#include "io/files/file.h"
#include "io/loop/random.h"

namespace pi_mcp::io {
namespace {

constexpr std::string_view folder_prefix = "pi-mcp-output-";
constexpr std::string_view file_prefix = "output-";
constexpr std::uint64_t kept_parts = 8;  // of which one goes when there is no room

// Of the user, and not a link.
bool is_our_folder(const std::string& path, bool private_too) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (!private_too || (status.st_mode & 0077U) == 0);
}

struct KeptFile {
  std::string path;
  std::int64_t written = 0;  // milliseconds since 1970
  std::uint64_t bytes = 0;   // on the disk
};

void add_files_in(const std::string& folder, std::vector<KeptFile>& files) {
  for (const std::string& name : names_in(folder)) {
    std::string path = folder;
    path.append("/").append(name);
    struct stat status{};
    // With a dot: what a process that was killed had not written to the end.
    const std::string_view visible = std::string_view(name).substr(name.starts_with('.') ? 1 : 0);
    if (visible.starts_with(file_prefix) && ::lstat(path.c_str(), &status) == 0 &&
        S_ISREG(status.st_mode) && status.st_uid == ::geteuid()) {
      constexpr std::uint64_t block_bytes = 512;  // the unit of st_blocks
      files.push_back({.path = std::move(path),
                       .written = std::int64_t{status.st_mtim.tv_sec} * 1000,
                       .bytes = static_cast<std::uint64_t>(status.st_blocks) * block_bytes});
    }
  }
}

}  // namespace

void TempFiles::sweep(EpochMs now, std::uint64_t wanted) {
  std::vector<std::string> folders;
  std::vector<KeptFile> files;
  for (const std::string& name : names_in(base_)) {
    std::string folder = base_ + "/" + name;
    if (name.starts_with(folder_prefix) && is_our_folder(folder, false)) {
      add_files_in(folder, files);
      folders.push_back(std::move(folder));
    }
  }
  std::ranges::sort(files, {}, &KeptFile::written);
  kept_bytes_ = 0;
  for (const KeptFile& file : files) {
    kept_bytes_ += file.bytes;
  }
  // With room for the next ones too, else each would have to look at all that are there.
  const std::uint64_t room = bytes_max_ / kept_parts;
  const bool too_many = kept_bytes_ + wanted > bytes_max_;
  const std::uint64_t bytes_wanted =
      too_many ? bytes_max_ - std::min(bytes_max_, wanted + room) : bytes_max_;
  for (const KeptFile& file : files) {
    const bool old = file.written + kept_for.count() <= now.value;
    if (!old && kept_bytes_ <= bytes_wanted) {
      break;
    }
    remove_file(file.path);
    kept_bytes_ -= file.bytes;
  }
  for (const std::string& folder : folders) {
    if (folder != folder_) {
      (void)::rmdir(folder.c_str());  // one that has files stays
    }
  }
  swept_ = now;
}

Result<void> TempFiles::make_folder() {
  const std::string shared =
      base_ + "/" + std::string(folder_prefix) + "user-" + std::to_string(::geteuid());
  std::string folder = shared;
  // mkdir fails on anything that exists, a planted link included.
  int made = ::mkdir(folder.c_str(), 0700);
  if (made != 0 && errno == EEXIST) {
    if (is_our_folder(shared, true)) {
      made = 0;
    } else {
      folder += "-" + random_hex(8);
      made = ::mkdir(folder.c_str(), 0700);
    }
  }
  if (made != 0) {
    return fail(ErrorCode::io, "cannot make the folder " + folder + ": " + reason(errno));
  }
  folder_ = std::move(folder);
  return {};
}

Result<std::string> TempFiles::write(std::string_view extension,
                                     std::string_view bytes,
                                     EpochMs now) {
  if (bytes.size() > bytes_max_) {
    return fail(ErrorCode::io,
                text::size_text(bytes.size()) + " is more than the " + text::size_text(bytes_max_) +
                    " that outputs may have");
  }
  if (!swept_ || now.value - swept_->value >= sweep_pause.count() ||
      kept_bytes_ + bytes.size() > bytes_max_) {
    sweep(now, bytes.size());
  }
  // Another process may have swept the folder away, or it is the first write.
  if (folder_.empty() || !is_our_folder(folder_, true)) {
    if (Result<void> made = make_folder(); !made) {
      return fail(made.error());
    }
  }
  std::string path =
      folder_ + "/" + std::string(file_prefix) + random_hex(8) + "." + std::string(extension);
  if (Result<void> written = write_file(path, bytes, {.durability = Durability::cache}); !written) {
    return fail(written.error());
  }
  kept_bytes_ += bytes.size();
  return path;
}

}  // namespace pi_mcp::io

#include "io/files/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "io/files/fd.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"

namespace pi_mcp::io {
namespace {

tl::unexpected<Error> refused(std::string_view doing, const std::string& path, int error_number) {
  return fail(ErrorCode::io,
              "cannot " + std::string(doing) + " " + path + ": " + reason(error_number));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// The path a write must go to: links followed by hand, because the last one may point at a file
// that does not exist yet.
std::string follow_links(std::string path) {
  constexpr int links_max = 40;  // the kernel's own limit
  for (int i = 0; i < links_max; ++i) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length < 0) {
      return path;
    }
    std::string next(target.data(), static_cast<std::size_t>(length));
    path = next.starts_with('/') ? std::move(next) : folder_of(path).append("/").append(next);
  }
  return path;
}

// 0 or the errno of the failure.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// Reads until the end, or until there is more than `bytes_max`; 0 or the errno of the failure.
int read_all(int fd, std::size_t expected, std::size_t bytes_max, std::string& text) {
  std::size_t used = 0;
  ssize_t count = 1;
  while (count != 0 && used <= bytes_max) {
    if (used == text.size()) {
      constexpr std::size_t step = 65536;
      text.resize(used == 0 ? expected : used + step);
    }
    count = ::read(fd, text.data() + used, text.size() - used);
    if (count < 0 && errno != EINTR) {
      return errno;
    }
    used += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  text.resize(used);
  return 0;
}

// The whole file, unless it is larger than `bytes_max`.
Result<std::string> read_limited(int fd,
                                 std::size_t expected,
                                 std::size_t bytes_max,
                                 const std::string& path) {
  std::string text;
  const int failed = read_all(fd, std::min(expected, bytes_max + 1), bytes_max, text);
  if (failed != 0) {
    return refused("read", path, failed);
  }
  if (text.size() > bytes_max) {
    return fail(ErrorCode::io, path + " is larger than " + std::to_string(bytes_max) + " bytes");
  }
  return text;
}

Result<void> sync_folder(const std::string& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder (EINVAL); then the rename is as durable as they make it.
  if (fd.is_open() && ::fsync(fd.get()) != 0 && errno != EINVAL) {
    return refused("write", folder, errno);
  }
  return {};
}

// Fills the temporary file; 0 or the errno of the failure.
int fill(int fd, std::string_view text, const struct stat* old, const WriteOptions& options) {
  const mode_t mode = old != nullptr ? old->st_mode & 07777U : options.mode;
  if (old != nullptr && (old->st_uid != ::geteuid() || old->st_gid != ::getegid())) {
    // Only root may give a file away; for everybody else the file becomes the writer's own.
    (void)!::fchown(fd, old->st_uid, old->st_gid);
  }
  if (::fchmod(fd, mode) != 0) {
    return errno;
  }
  if (const int failed = write_all(fd, text); failed != 0) {
    return failed;
  }
  if (options.durability == Durability::durable && ::fsync(fd) != 0) {
    return errno;
  }
  return 0;
}

Result<Fd> take_lock(const std::string& path, Milliseconds wait_max) {
  Fd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.is_open()) {
    return refused("open", path, errno);
  }
  const TimePoint deadline = now() + wait_max;
  std::int64_t pause_ms = 1;
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return refused("lock", path, errno);
    }
    if (now() >= deadline) {
      return fail(ErrorCode::timed_out,
                  path + " is locked by another process for more than " +
                      std::to_string(wait_max.count()) + " ms");
    }
    constexpr std::int64_t pause_ms_max = 16;
    const struct timespec pause{.tv_sec = 0, .tv_nsec = pause_ms * 1'000'000};
    (void)::nanosleep(&pause, nullptr);  // shorter when a signal comes: the loop looks again
    pause_ms = std::min(pause_ms * 2, pause_ms_max);
  }
  return lock;
}

enum class Kind { any, regular };

Result<std::optional<std::string>> read_kind(const std::string& path,
                                             std::size_t bytes_max,
                                             Kind kind) {
  // Non-blocking, so that a named pipe without a writer does not stop the program at open().
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::optional<std::string>();
    }
    return refused("read", path, errno);
  }
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) {
    return refused("read", path, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    if (kind == Kind::regular) {
      return fail(ErrorCode::io, path + " is not a regular file");
    }
    (void)::fcntl(fd.get(), F_SETFL, 0);  // `<(command)` of a shell is a pipe: wait for its text
  }
  // One byte more than the file has, so that its end is seen without growing the text.
  const std::size_t expected = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) + 1;
  return read_limited(fd.get(), expected, bytes_max, path);
}

}  // namespace

Result<void> make_folders(const std::string& path, unsigned mode) {
  if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) {
    return {};
  }
  if (errno != ENOENT || path == "/" || path == ".") {
    return refused("make the folder", path, errno);
  }
  if (auto parent = make_folders(folder_of(path), mode); !parent) {
    return parent;
  }
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
    return refused("make the folder", path, errno);
  }
  return {};
}

std::vector<std::string> names_in(const std::string& folder, std::size_t names_max) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end;
       !error && at != end && names.size() < names_max;
       at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  return names;
}

void remove_file(const std::string& path) {
  (void)::unlink(path.c_str());  // what stays is as harmless as it was
}

void remove_folder(const std::string& path) {
  std::error_code error;  // what stays is as harmless as it was
  std::filesystem::remove_all(path, error);
}

Result<std::optional<std::string>> read_file(const std::string& path, std::size_t bytes_max) {
  return read_kind(path, bytes_max, Kind::any);
}

Result<std::string> read_stdin(std::size_t bytes_max) {
  constexpr std::size_t expected = std::size_t{64} << 10U;
  return read_limited(STDIN_FILENO, expected, bytes_max, "stdin");
}

Result<std::optional<std::string>> read_regular_file(const std::string& path,
                                                     std::size_t bytes_max) {
  // A device can do something when it is opened, so it is looked at before, too.
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::io, path + " is not a regular file");
  }
  return read_kind(path, bytes_max, Kind::regular);
}

Result<std::string> read_private_file(const std::string& path, std::size_t bytes_max) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) {
    return refused("read", path, errno);
  }
  constexpr mode_t others = 077;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & others) != 0) {
    return fail(ErrorCode::io,
                path + " is not a file for you alone; make it yours and run: chmod 600 " + path);
  }
  return read_limited(fd.get(), bytes_max + 1, bytes_max, path);
}

Result<void> write_file(const std::string& path, std::string_view text, WriteOptions options) {
  const std::string target = follow_links(path);
  const std::string folder = folder_of(target);
  if (auto made = make_folders(folder, options.folder_mode); !made) {
    return made;
  }
  struct stat old{};
  const bool exists =
      ::stat(target.c_str(), &old) == 0 || ::stat(std::string(options.like).c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) {
    return refused("write", path, EISDIR);
  }
  const std::string temporary = folder + "/." + name_of(target) + "." + random_hex(8) + ".tmp";
  Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.is_open()) {
    return refused("write", path, errno);
  }
  int failed = fill(fd.get(), text, exists ? &old : nullptr, options);
  fd.reset();
  if (failed == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) {
    failed = errno;
  }
  if (failed != 0) {
    (void)::unlink(temporary.c_str());  // what matters to the caller is the first failure
    return refused("write", path, failed);
  }
  if (options.durability == Durability::durable) {
    return sync_folder(folder);
  }
  return {};
}

std::string write_refusal(const std::string& path) {
  const std::string target = follow_links(path);
  std::string folder = folder_of(target);
  struct stat status{};
  if (::stat(target.c_str(), &status) == 0 && (status.st_mode & S_IWUSR) == 0) {
    return "is read-only";
  }
  while (!is_directory(folder) && folder != "/" && folder != ".") {
    folder = folder_of(folder);
  }
  return ::access(folder.c_str(), W_OK) == 0 ? "" : "is in a folder that is not writable";
}

Result<void> write_output(const std::string& path, std::string_view text) {
  struct stat status{};
  const bool is_new = ::stat(path.c_str(), &status) != 0;
  if (!is_new && S_ISREG(status.st_mode)) {
    return ::access(path.c_str(), W_OK) == 0
               ? write_file(path, text, {.durability = Durability::cache})
               : refused("write", path, errno);
  }
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  const int failed = fd.is_open() ? write_all(fd.get(), text) : errno;
  if (failed != 0 && is_new && fd.is_open()) {
    remove_file(follow_links(path));  // a part of the text is of no use
  }
  return failed == 0 ? Result<void>() : refused("write", path, failed);
}

Result<void> allow_running(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return refused("write", path, errno);
  }
  const mode_t readers = status.st_mode & (S_IRUSR | S_IRGRP | S_IROTH);
  if (S_ISREG(status.st_mode) && ::chmod(path.c_str(), status.st_mode | (readers >> 2U)) != 0) {
    return refused("make executable", path, errno);
  }
  return {};
}

Result<void> update_file(const std::string& path,
                         const FileChange& change,
                         Milliseconds lock_wait_max,
                         WriteOptions options) {
  const std::string target = follow_links(path);
  if (auto made = make_folders(folder_of(target), options.folder_mode); !made) {
    return made;
  }
  // The lock file stays: removing it would let two processes lock two different files.
  auto lock = take_lock(target + ".lock", lock_wait_max);
  if (!lock) {
    return fail(std::move(lock).error());
  }
  auto old = read_file(target);
  if (!old) {
    return fail(std::move(old).error());
  }
  const std::optional<std::string> text = change(std::move(*old).value_or(""));
  if (!text) {
    return {};
  }
  return write_file(target, *text, options);
}

bool is_directory(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_own(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

bool is_on_same_device(const std::string& one, const std::string& other) {
  struct stat first{};
  struct stat second{};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev;
}

bool is_link(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

bool is_own_socket(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) &&
         status.st_uid == ::geteuid();
}

std::optional<std::string> own_folder_in(const std::string& folder) {
  std::string path = folder + "/" + std::to_string(::geteuid());
  struct stat status{};
  const bool is_own = ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      status.st_uid == ::geteuid();
  return is_own ? std::optional(std::move(path)) : std::nullopt;
}

std::optional<EpochMs> modified_at(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return std::nullopt;
  }
  return EpochMs{std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000};
}

void touch(const std::string& path) {
  (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

std::string identity_of(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0
             ? std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino)
             : "";
}

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return std::nullopt;
  }
  const auto nanoseconds = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return FileStamp{.inode = status.st_ino,
                   .bytes = status.st_size,
                   .modified_ns = nanoseconds(status.st_mtim),
                   .changed_ns = nanoseconds(status.st_ctim)};
}

Result<std::string> read_head(const std::string& path, std::size_t bytes_max) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) {
    return refused("read", path, errno);
  }
  std::string head(bytes_max, '\0');
  const ssize_t count = ::read(fd.get(), head.data(), head.size());
  if (count < 0) {
    return refused("read", path, errno);
  }
  head.resize(static_cast<std::size_t>(count));
  return head;
}

}  // namespace pi_mcp::io

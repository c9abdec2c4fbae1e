// inotify(7).
#include "io/files/file_watch.h"

#include <sys/inotify.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "io/loop/condition.h"

namespace pi_mcp::io {
namespace {

// Everything that can give a name another content. Not IN_MODIFY: a writer that is not done has
// nothing for us.
constexpr std::uint32_t wanted = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                 IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
                                 IN_ONLYDIR;
// About the folder itself.
constexpr std::uint32_t of_folder = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT;

}  // namespace

FileWatch::FileWatch(Executor executor) : executor_(std::move(executor)) {}

Result<void> FileWatch::open() {
  if (events_) {
    return {};
  }
  Fd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd.is_open()) {
    return fail(ErrorCode::io, "cannot watch files: " + reason(errno));
  }
  events_ = std::make_unique<ReadStream>(executor_, std::move(fd));
  return {};
}

Result<void> FileWatch::watch(const std::vector<std::string>& paths) {
  if (Result<void> opened = open(); !opened) {
    return opened;
  }
  std::map<std::string, Names> places;  // many files share a folder
  std::unordered_set<std::string> real_folders;
  for (const std::string& path : paths) {
    for (const auto& [folder, name] : places_of(path, real_folders)) {
      places[folder].insert(name);
    }
  }
  Result<void> result;
  std::map<int, Names> folders;
  for (auto& [folder, names] : places) {
    const int number = ::inotify_add_watch(events_->number(), folder.c_str(), wanted);
    if (number >= 0) {
      folders[number].merge(names);
    } else if (result && errno != ENOENT && errno != EACCES) {
      result = fail(ErrorCode::io, "cannot watch " + folder + ": " + reason(errno));
    }
  }
  for (const auto& [number, names] : folders_) {
    if (!folders.contains(number)) {
      (void)::inotify_rm_watch(events_->number(), number);  // gone already when its folder is
    }
  }
  folders_ = std::move(folders);
  return result;
}

bool FileWatch::concerns_us(int folder, std::uint32_t what, std::string_view name) const {
  if ((what & IN_Q_OVERFLOW) != 0) {
    return true;  // something was lost
  }
  const auto found = folders_.find(folder);
  return found != folders_.end() && ((what & of_folder) != 0 || found->second.contains(name));
}

bool FileWatch::take_events() {
  constexpr std::size_t bytes_max = 4096;  // several events; a name has 255 bytes at most
  alignas(inotify_event) std::array<char, bytes_max> bytes{};
  bool ours = false;
  for (std::size_t count = 1; count > 0;) {
    count = events_->read_now(bytes).value_or(0);
    for (std::size_t at = 0; at + sizeof(inotify_event) <= count;) {
      inotify_event event{};
      std::memcpy(&event, bytes.data() + at, sizeof event);
      at += sizeof event;
      const std::string_view padded(bytes.data() + at, event.len);
      ours = ours || concerns_us(event.wd, event.mask, padded.substr(0, padded.find('\0')));
      at += event.len;
    }
  }
  return ours;
}

Task<Result<void>> FileWatch::wait() {
  while (events_) {
    const Result<void> ready = co_await events_->wait_for_bytes();
    if (!ready) {
      co_return ready;
    }
    if (take_events()) {
      co_return Result<void>();
    }
  }
  Condition never(executor_);
  (void)co_await never.wait();  // only cancelling ends it
  co_return fail(ErrorCode::cancelled, "cancelled");
}

}  // namespace pi_mcp::io

#include "io/process/standing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "io/files/fd.h"

namespace pi_mcp::io {
namespace {

constexpr std::array<std::string_view, 11> right_names = {"Uid",
                                                          "Gid",
                                                          "Groups",
                                                          "CapInh",
                                                          "CapPrm",
                                                          "CapEff",
                                                          "CapBnd",
                                                          "CapAmb",
                                                          "NoNewPrivs",
                                                          "Seccomp",
                                                          "Seccomp_filters"};

// The files of one process: also should its id go to another one while we read.
class ProcessFiles {
 public:
  explicit ProcessFiles(pid_t process)
      : folder_(::open(("/proc/" + std::to_string(process)).c_str(),
                       O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

  // nullopt: it cannot be read; errno says why.
  [[nodiscard]] std::optional<std::string> text(const char* name) const {
    const Fd file(::openat(folder_.get(), name, O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) {
      return std::nullopt;
    }
    std::string all;
    std::array<char, 4096> part{};
    for (;;) {
      const ssize_t count = ::read(file.get(), part.data(), part.size());
      if (count < 0 && errno != EINTR) {
        return std::nullopt;
      }
      if (count == 0) {
        return all;
      }
      all.append(part.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
  }

  [[nodiscard]] std::optional<std::string> link(const char* name) const {
    std::array<char, 4096> target{};
    const ssize_t count = ::readlinkat(folder_.get(), name, target.data(), target.size());
    if (count < 0) {
      return std::nullopt;
    }
    return std::string(target.data(), static_cast<std::size_t>(count));
  }

  // The same folder by another mount (a read-only bind of "/") is another root.
  [[nodiscard]] std::optional<std::string> root() const {
    struct statx facts{};
    const auto path = link("root");
    if (!path || ::statx(folder_.get(), "root", 0, STATX_INO | STATX_MNT_ID, &facts) != 0) {
      return std::nullopt;
    }
    return *path + " (inode " + std::to_string(facts.stx_ino) + ", device " +
           std::to_string(facts.stx_dev_major) + ":" + std::to_string(facts.stx_dev_minor) +
           ", mount " + std::to_string(facts.stx_mnt_id) + ")";
  }

 private:
  Fd folder_;
};

// AppArmor has profiles that only name a program: "vscode (unconfined)".
std::string label_of(const std::optional<std::string>& text) {
  if (!text) {
    return "unreadable: " + reason(errno);  // without a security module: always the same
  }
  std::string label(text::trim(std::string_view(*text).substr(0, text->find('\0'))));
  return label.ends_with(" (unconfined)") ? "unconfined" : label;
}

// "" where it sets none.
std::string limit_in(const std::string& file, std::string_view without) {
  const Fd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> space{};
  const ssize_t count = opened.is_open() ? ::read(opened.get(), space.data(), space.size()) : 0;
  if (count <= 0) {
    return "";  // no such controller here
  }
  const std::string_view value =
      text::trim(std::string_view(space.data(), static_cast<std::size_t>(count)));
  return value == without ? "" : std::string(value);
}

bool is_large(std::string_view value, std::uint64_t least) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size() && number >= least;
}

struct LimitFile {
  const char* name;
  std::string_view without;  // what stands there where there is no limit
  std::uint64_t harmless;    // so much and more is none; 0: each number is one
};
// systemd gives every unit of a user the same large number of processes.
constexpr std::uint64_t many_processes = 4096;
// What the first version of control groups says for "no limit" depends on the size of a page.
constexpr std::uint64_t endless_memory = std::uint64_t{1} << 62U;
constexpr std::array<LimitFile, 10> limit_files = {
    {{.name = "memory.max", .without = "max", .harmless = 0},
     {.name = "memory.high", .without = "max", .harmless = 0},
     {.name = "memory.swap.max", .without = "max", .harmless = 0},
     {.name = "cpu.max", .without = "max 100000", .harmless = 0},
     {.name = "pids.max", .without = "max", .harmless = many_processes},
     {.name = "io.max", .without = "", .harmless = 0},
     {.name = "memory.limit_in_bytes", .without = "", .harmless = endless_memory},
     {.name = "memory.memsw.limit_in_bytes", .without = "", .harmless = endless_memory},
     {.name = "cpu.cfs_quota_us", .without = "-1", .harmless = 0},
     {.name = "devices.list", .without = "a *:* rwm", .harmless = 0}}};
// Each group has them; only what they come to counts.
constexpr std::array<const char*, 2> processor_files = {"cpuset.cpus.effective",
                                                        "cpuset.effective_cpus"};

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

// The folder in which a line of /proc/PID/cgroup has its paths.
std::string hierarchy(std::string_view controllers, const std::string& mounts) {
  if (controllers.empty()) {
    return exists(mounts + "/cgroup.controllers") ? mounts : mounts + "/unified";
  }
  return mounts + "/" + std::string(controllers);
}

// False: a group cannot be seen.
bool add_limits(const std::string& folder, std::string group, std::vector<GroupLimit>& limits) {
  if (group == "/") {
    return true;
  }
  if (!exists(folder + group)) {
    return false;
  }
  for (const char* file : processor_files) {
    if (std::string value = limit_in(folder + group + "/" + file, ""); !value.empty()) {
      limits.push_back({.group = "", .file = file, .value = std::move(value)});
    }
  }
  for (; group.size() > 1; group.resize(group.rfind('/'))) {
    for (const LimitFile& file : limit_files) {
      std::string value = limit_in(folder + group + "/" + file.name, file.without);
      const bool harmless = file.harmless != 0 && is_large(value, file.harmless);
      if (!value.empty() && !harmless) {
        limits.push_back({.group = group, .file = file.name, .value = std::move(value)});
      }
    }
  }
  return true;
}

// A service of the system may have filters (devices, addresses) that nobody can see.
void add_service(const std::string& group, std::vector<GroupLimit>& limits) {
  constexpr std::string_view services = "/system.slice/";
  if (group.starts_with(services)) {
    limits.push_back({.group = group.substr(0, group.find('/', services.size())),
                      .file = "a service",
                      .value = ""});
  }
}

std::string named_value(std::string_view line) {
  return std::string(text::trim(line.substr(line.find(':') + 1)));
}

std::optional<std::string> other_limit(const std::vector<GroupLimit>& some,
                                       const std::vector<GroupLimit>& others) {
  for (const GroupLimit& limit : some) {
    if (std::find(others.begin(), others.end(), limit) == others.end()) {
      return "the control group " + limit.group + " limits only one of both: " + limit.file +
             (limit.value.empty() ? "" : " = " + text::printable_line(limit.value));
    }
  }
  return std::nullopt;
}

}  // namespace

Standing standing_of(pid_t process) {
  Standing standing;
  const ProcessFiles files(process);
  const std::string status = files.text("status").value_or("");
  const std::vector<std::string_view> lines = text::split(status, '\n');
  for (const std::string_view name : right_names) {
    const auto line = std::find_if(lines.begin(), lines.end(), [name](std::string_view one) {
      return one.size() > name.size() && one.starts_with(name) && one[name.size()] == ':';
    });
    if (line == lines.end()) {
      standing.seen = false;
      break;
    }
    standing.no_new_privileges |= name == "NoNewPrivs" && named_value(*line) != "0";
    standing.rights.emplace_back(*line);
  }
  const auto take = [&standing](std::string& into, std::optional<std::string> found) {
    standing.seen = standing.seen && found.has_value();
    into = std::move(found).value_or("");
  };
  for (std::size_t i = 0; i < namespace_names.size(); ++i) {
    take(standing.namespaces.at(i),
         files.link(("ns/" + std::string(namespace_names.at(i))).c_str()));
  }
  take(standing.root, files.root());
  take(standing.groups, files.text("cgroup"));
  standing.label = label_of(files.text("attr/current"));
  return standing;
}

Standing own_standing() {
  return standing_of(::getpid());
}

void renew_groups(Standing& own) {
  if (std::optional<std::string> groups = ProcessFiles(::getpid()).text("cgroup")) {
    own.groups = *std::move(groups);
  }
}

std::optional<std::vector<GroupLimit>> group_limits(std::string_view groups,
                                                    const std::string& mounts) {
  std::vector<GroupLimit> limits;
  for (const std::string_view line : text::split(groups, '\n')) {
    const std::size_t first = line.find(':');  // number:controllers:path
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) {
      continue;
    }
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string group(line.substr(second + 1));
    if (controllers.empty() || controllers == "name=systemd") {
      add_service(group, limits);
    }
    if (!controllers.starts_with("name=") &&
        !add_limits(hierarchy(controllers, mounts), group, limits)) {
      return std::nullopt;
    }
  }
  return limits;
}

std::optional<std::string> difference(const Standing& own, const Standing& peer) {
  if (!own.seen || !peer.seen) {
    return "what it may do cannot be seen in /proc";
  }
  if (own.no_new_privileges || peer.no_new_privileges) {
    return "NoNewPrivs is set";
  }
  for (std::size_t i = 0; i < own.rights.size(); ++i) {
    const std::string& line = own.rights[i];
    if (i >= peer.rights.size() || line != peer.rights[i]) {
      const std::string other = i < peer.rights.size() ? named_value(peer.rights[i]) : "";
      return line.substr(0, line.find(':')) + " differs: \"" + named_value(line) + "\" here, \"" +
             other + "\" there";
    }
  }
  for (std::size_t i = 0; i < own.namespaces.size(); ++i) {
    if (own.namespaces.at(i) != peer.namespaces.at(i)) {
      return "the " + std::string(namespace_names.at(i)) + " namespace differs";
    }
  }
  if (own.root != peer.root) {
    return "the root folder differs: " + own.root + " here, " + peer.root + " there";
  }
  if (own.label != peer.label) {
    return "the security label differs: \"" + text::printable_line(own.label) + "\" here, \"" +
           text::printable_line(peer.label) + "\" there";
  }
  if (own.groups == peer.groups) {
    return std::nullopt;
  }
  if (!own.limits || !peer.limits) {
    return "the limits of its control groups cannot be seen";
  }
  auto found = other_limit(*own.limits, *peer.limits);
  return found ? found : other_limit(*peer.limits, *own.limits);
}

std::optional<std::string> difference_from(const Standing& own, pid_t peer) {
  Standing there = standing_of(peer);
  if (own.groups == there.groups) {
    return difference(own, there);
  }
  const std::string mounts = "/sys/fs/cgroup";
  Standing here = own;
  here.limits = group_limits(here.groups, mounts);
  there.limits = group_limits(there.groups, mounts);
  return difference(here, there);
}

std::string standing_digest(const Standing& standing) {
  std::string all;
  for (const std::string& line : standing.rights) {
    all += line + '\n';
  }
  for (const std::string& name : standing.namespaces) {
    all += name + '\n';
  }
  constexpr std::size_t digits = 16;
  return sha256_hex(all + standing.root + '\n' + standing.label).substr(0, digits);
}

}  // namespace pi_mcp::io

#include "runs/run_folder.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "config/identity.h"
#include "io/files/file.h"
#include "io/loop/random.h"
#include "io/process/process_tree.h"

namespace pi_mcp::runs {
namespace {

constexpr std::string_view record_end = ".json";
constexpr std::string_view lock_end = ".lock";
// A record has one short entry a server; a log and a last run are limited by stderr_kept_max.
constexpr std::size_t file_bytes_max = std::size_t{4} << 20U;
constexpr io::WriteOptions private_file{.durability = io::Durability::cache};

std::string text_of(const std::string& path) {
  Result<std::optional<std::string>> text = io::read_file(path, file_bytes_max);
  return text ? std::move(*text).value_or("") : "";
}

}  // namespace

RunFolder::RunFolder(std::string_view agent_dir) : path_(std::string(agent_dir) + "/mcp-run") {}

std::string RunFolder::record_path(std::string_view id) const {
  return path_ + "/" + std::string(id) + std::string(record_end);
}

std::string RunFolder::lock_path(std::string_view id) const {
  return path_ + "/" + std::string(id) + std::string(lock_end);
}

std::string RunFolder::log_path(std::string_view id, std::size_t log) const {
  return path_ + "/" + std::string(id) + "." + std::to_string(log) + ".log";
}

// A server's name may be any text, so it cannot be a file's name.
std::string RunFolder::last_path(std::string_view name, std::string_view identity) const {
  constexpr std::size_t digits = 32;
  return path_ + "/last/" +
         sha256_hex(std::string(identity) + std::string(name)).substr(0, digits) +
         std::string(record_end);
}

std::vector<RunFolder::Run> RunFolder::runs(EpochMs now) const {
  std::vector<Run> alive;
  const std::vector<std::string> names = io::names_in(path_);
  for (const std::string& name : names) {
    const bool is_lock = name.ends_with(lock_end);
    if (!is_lock && !name.ends_with(record_end)) {
      continue;
    }
    Run run{.id = name.substr(0, name.rfind('.')), .record = {}};
    // Checked before the record is read: an owner that ends in between has removed it.
    const bool owned = io::has_owner(lock_path(run.id));
    if (is_lock && owned) {
      continue;  // its record comes by itself, or soon
    }
    std::optional<RunRecord> record = parse_run_record(text_of(record_path(run.id)), now);
    const bool known = record.has_value();
    run.record = std::move(record).value_or(RunRecord());
    if (!owned) {
      bury(run, names);
    } else if (known) {
      alive.push_back(std::move(run));
    }
  }
  std::ranges::sort(alive, {}, [](const Run& run) {
    return std::pair(run.record.started_at, run.record.process_id);
  });
  return alive;
}

// A process that was killed could not store how its servers ended.
void RunFolder::bury(const Run& run, const std::vector<std::string>& names) const {
  for (const RunServer& server : run.record.servers) {
    save({.server = server.status.name,
          .identity = server.identity,
          .client = run.record.client,
          .cwd = run.record.cwd,
          .error = server.status.recovered ? "" : server.status.last_error,
          .wants_login = server.status.wants_login,
          .stderr_tail = log(run, server),
          .ended_at = io::modified_at(record_path(run.id)).value_or(EpochMs())});
  }
  for (const std::string& name : names) {
    if (name.starts_with(run.id + ".") && !name.ends_with(lock_end)) {
      io::remove_file(path_ + "/" + name);
    }
  }
  io::remove_file(lock_path(run.id));
}

std::string RunFolder::log(const Run& run, const RunServer& server) const {
  return server.log == 0 ? "" : text_of(log_path(run.id, server.log));
}

std::optional<LastRun> RunFolder::last_run(const config::Server& server) const {
  const std::string identity = config::entry_identity(server);
  std::optional<LastRun> run = parse_last_run(text_of(last_path(server.name, identity)));
  return run && run->server == server.name && run->identity == identity ? run : std::nullopt;
}

std::optional<LastRun> RunFolder::newest_run(std::string_view name) const {
  std::optional<LastRun> newest;
  for (const std::string& file : io::names_in(path_ + "/last")) {
    std::optional<LastRun> run = parse_last_run(text_of(path_ + "/last/" + file));
    if (run && run->server == name && (!newest || run->ended_at > newest->ended_at)) {
      newest = std::move(run);
    }
  }
  return newest;
}

void RunFolder::forget(const config::Server& server) const {
  io::remove_file(last_path(server.name, config::entry_identity(server)));
}

void RunFolder::save(const LastRun& run) const {
  if (run.error.empty() && run.stderr_tail.empty()) {
    io::remove_file(last_path(run.server, run.identity));
    return;
  }
  const Result<void> written =
      io::write_file(last_path(run.server, run.identity), last_run_json(run), private_file);
  if (!written) {
    log::debug(written.error().message());
  }
  prune();
}

void RunFolder::prune() const {
  struct File {
    EpochMs at;
    std::string path;
  };
  std::vector<File> files;
  for (const std::string& name : io::names_in(path_ + "/last")) {
    std::string path = path_ + "/last/" + name;
    const EpochMs at = io::modified_at(path).value_or(EpochMs());
    files.push_back({.at = at, .path = std::move(path)});
  }
  std::ranges::sort(files, std::ranges::greater(), &File::at);
  const std::int64_t newest = files.empty() ? 0 : files.front().at.value;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i >= last_runs_max || newest - files[i].at.value > last_run_kept_max.count()) {
      io::remove_file(files[i].path);
    }
  }
}

Result<OwnRun> OwnRun::open(RunFolder folder) {
  std::string id = std::to_string(io::own_process_id()) + "-" + io::random_hex(4);
  Result<io::OwnerLock> lock = io::OwnerLock::take(folder.lock_path(id));
  if (!lock) {
    return fail(std::move(lock).error());
  }
  return OwnRun(std::move(folder), std::move(id), *std::move(lock));
}

OwnRun::OwnRun(RunFolder folder, std::string id, io::OwnerLock lock)
    : folder_(std::move(folder)), id_(std::move(id)), lock_(std::move(lock)) {}

std::optional<OwnRun> OwnRun::open_or_tell(RunFolder folder) {
  Result<OwnRun> own = open(std::move(folder));
  if (!own) {
    log::debug("run record: " + own.error().message() +
               "; status and logs in other processes will not show this one");
    return std::nullopt;
  }
  return *std::move(own);
}

Result<void> OwnRun::write_log(std::size_t log, std::string_view text) {
  logs_ = std::max(logs_, log);
  return io::write_file(folder_.log_path(id_, log), text, private_file);
}

Result<void> OwnRun::write(const RunRecord& record, EpochMs now) {
  return io::write_file(folder_.record_path(id_), run_record_json(record, now), private_file);
}

void OwnRun::remove() {
  io::remove_file(folder_.record_path(id_));
  for (std::size_t log = 1; log <= logs_; ++log) {
    io::remove_file(folder_.log_path(id_, log));
  }
  lock_.reset();
}

}  // namespace pi_mcp::runs

#include "setup/run.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "config/load.h"
#include "config/paths.h"
#include "io/files/file.h"
#include "io/files/file_lock.h"
#include "setup/record.h"

namespace pi_mcp::setup {
namespace {

Result<io::FileLock> lock(const std::string& record) {
  Result<std::optional<io::FileLock>> taken = io::FileLock::try_take(record + ".lock");
  if (!taken) {
    return fail(taken.error());
  }
  if (!*taken) {
    return fail(ErrorCode::unavailable, "another pi-mcp setup is running; try again");
  }
  return std::move(**taken);
}

Result<Record> read_record(const std::string& path) {
  const Result<std::optional<std::string>> text = io::read_file(path);
  if (!text) {
    return fail(text.error());
  }
  Result<Record> record = parse_record(text->value_or(""));
  return record ? std::move(record) : fail(std::move(record.error()).while_doing(path));
}

// Without files there is no record.
Result<void> write_record(const std::string& path, const Record& record) {
  if (record.files.empty()) {
    io::remove_file(path);
    return {};
  }
  return io::write_file(path, record_text(record));
}

Result<void> check_unchanged(const FileChange& change) {
  const Result<std::optional<std::string>> now = io::read_file(change.path);
  if (!now) {
    return fail(now.error());
  }
  if (*now != change.before) {
    return fail(ErrorCode::unavailable, change.path + " was changed meanwhile; run setup again");
  }
  return {};
}

Result<Backup> back_up(const FileChange& change, const std::string& stamp) {
  const std::string wanted = change.path + ".pi-mcp-backup-" + stamp;
  Backup backup{.path = change.path, .copy = wanted};
  for (int number = 2; io::is_file(backup.copy); ++number) {
    backup.copy = wanted + "-" + std::to_string(number);
  }
  const Result<void> written = io::write_file(backup.copy, *change.before, {.like = change.path});
  return written ? Result<Backup>(std::move(backup)) : fail(written.error());
}

// A file that was not written needs no undoing; the record says only what is so.
Result<void> forget_rest(Record record, std::size_t written, const std::string& path) {
  record.files.resize(written);
  return write_record(path, record);
}

// What the files say that a rehearsal has undone so far.
using Rehearsed = std::map<std::string, std::optional<std::string>>;

// Why it failed; empty: it did not.
std::string put_back(const std::string& path,
                     const std::optional<std::string>& text,
                     Rehearsed* rehearsed) {
  if (std::string refusal = text ? io::write_refusal(path) : ""; !refusal.empty()) {
    return "it " + refusal;
  }
  if (rehearsed != nullptr) {
    rehearsed->insert_or_assign(path, text);
    return {};
  }
  if (!text) {
    io::remove_file(path);
    return {};
  }
  const Result<void> written = io::write_file(path, *text);
  return written ? "" : written.error().message();
}

// `left` could not be undone. A server goes from the user's file only once its host has it back,
// and the earlier changes of a file are undone after its later ones. With `rehearsed` nothing is
// written.
UndoneFile undo_one(const RecordedFile& file, const Record& left, Rehearsed* rehearsed) {
  UndoneFile one{.path = file.path, .undone = {}};
  for (const RecordedFile& other : left.files) {
    if (file.is_users || other.path == file.path) {
      one.undone.problem = "it waits for " + other.path;
      return one;
    }
  }
  const bool was_rehearsed = rehearsed != nullptr && rehearsed->contains(file.path);
  const Result<std::optional<std::string>> now =
      was_rehearsed ? rehearsed->at(file.path) : io::read_file(file.path);
  if (!now) {
    one.undone.problem = now.error().message();
    return one;
  }
  one.undone = undo_file(
      file,
      *now,
      file.backup.empty() ? std::nullopt : io::read_file(file.backup).value_or(std::nullopt));
  if (one.undone.problem.empty() && one.undone.text != *now) {
    one.undone.problem = put_back(file.path, one.undone.text, rehearsed);
  }
  if (rehearsed == nullptr && one.undone.problem.empty() && one.undone.whole &&
      !file.backup.empty()) {
    io::remove_file(file.backup);
  }
  return one;
}

}  // namespace

std::string record_file(const config::Environment& environment) {
  return join_path(environment, config::agent_dir(environment), "mcp-setup.json");
}

Result<std::vector<Backup>> carry_out(const Plan& plan,
                                      const std::string& record_path,
                                      const std::string& stamp) {
  const Result<io::FileLock> held = lock(record_path);
  if (!held) {
    return fail(held.error());
  }
  Result<Record> record = read_record(record_path);
  if (!record) {
    return fail(std::move(record.error()));
  }
  for (const FileChange& change : plan.changes) {
    if (const Result<void> same = check_unchanged(change); !same) {
      return fail(same.error());
    }
  }
  const std::size_t old = record->files.size();
  std::vector<Backup> backups;
  for (const FileChange& change : plan.changes) {
    if (!change.before) {
      record->files.push_back(recorded(change, ""));
      continue;
    }
    Result<Backup> backup = back_up(change, stamp);
    if (!backup) {
      return fail(std::move(backup.error()));
    }
    record->files.push_back(recorded(change, backup->copy));
    backups.push_back(*std::move(backup));
  }
  if (const Result<void> written = write_record(record_path, *record); !written) {
    return fail(written.error());
  }
  for (std::size_t i = 0; i < plan.changes.size(); ++i) {
    const FileChange& change = plan.changes[i];
    Result<void> done = check_unchanged(change);
    if (done) {
      done = io::write_file(change.path, change.after);
    }
    if (!done) {
      (void)forget_rest(*std::move(record), old + i, record_path);  // undo() sees what was written
      return fail(done.error());
    }
  }
  return backups;
}

Result<std::vector<UndoneFile>> undo(const std::string& record_path, UndoWay way) {
  const Result<io::FileLock> held = lock(record_path);
  if (!held) {
    return fail(held.error());
  }
  Result<Record> record = read_record(record_path);
  if (!record) {
    return fail(std::move(record.error()));
  }
  std::vector<UndoneFile> all;
  Record left;
  Rehearsed texts;
  Rehearsed* const rehearsed = way == UndoWay::rehearse ? &texts : nullptr;
  while (!record->files.empty()) {
    RecordedFile file = std::move(record->files.back());
    record->files.pop_back();
    all.push_back(undo_one(file, left, rehearsed));
    if (!all.back().undone.problem.empty()) {
      left.files.push_back(std::move(file));
    }
  }
  if (rehearsed != nullptr) {
    return all;
  }
  std::ranges::reverse(left.files);
  if (const Result<void> written = write_record(record_path, left); !written) {
    return fail(written.error());
  }
  return all;
}

}  // namespace pi_mcp::setup

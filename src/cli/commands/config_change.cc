#include "cli/commands/config_change.h"

#include <optional>
#include <utility>

#include "cli/show/config_view.h"
#include "config/load.h"
#include "io/files/file.h"

namespace pi_mcp::cli {
namespace {

// An edit takes milliseconds; whoever holds the lock for longer is stuck.
constexpr Milliseconds lock_wait_max{5000};

}  // namespace

Result<Change> change_file(const Setup& setup,
                           const std::string& path,
                           const std::function<Result<std::string>(std::string_view)>& edit) {
  Result<Change> outcome = Change::not_needed;
  const auto edited = [&](const std::string& old) -> std::optional<std::string> {
    Result<std::string> text = edit(old);
    if (!text) {
      outcome = fail(std::move(text.error()).while_doing(short_path(path, setup.environment.home)));
      return std::nullopt;
    }
    if (*text == old) {
      return std::nullopt;
    }
    outcome = Change::made;
    return *std::move(text);
  };
  const std::string locked = config::agent_dir(setup.environment) + "/mcp.json";
  const bool is_locked_file = io::canonical_path(locked) == io::canonical_path(path);
  const auto change = [&](const std::string& text) -> std::optional<std::string> {
    if (is_locked_file) {
      return edited(text);
    }
    const Result<std::optional<std::string>> old = io::read_file(path);
    if (!old) {
      outcome = fail(old.error());
      return std::nullopt;
    }
    if (const std::optional<std::string> changed = edited(old->value_or(""))) {
      if (Result<void> written = io::write_file(path, *changed); !written) {
        outcome = fail(std::move(written.error()));
      }
    }
    return std::nullopt;
  };
  if (Result<void> updated = io::update_file(locked, change, lock_wait_max); !updated) {
    return fail(std::move(updated.error()));
  }
  return outcome;
}

}  // namespace pi_mcp::cli

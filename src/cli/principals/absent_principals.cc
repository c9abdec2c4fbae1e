#include "cli/principals/absent_principals.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "access/issued_tokens.h"
#include "base/count_text.h"
#include "base/log.h"
#include "cli/principals/forget_principal.h"
#include "config/identity.h"
#include "io/files/file.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"

namespace pi_mcp::cli {
namespace {

// Between two: what is done for one blocks for the time that the file system takes.
constexpr Milliseconds rest{20};

EpochMs before(EpochMs now, std::chrono::days age) {
  return EpochMs{now.value - Milliseconds(age).count()};
}

}  // namespace

void note_visit(const std::string& agent_dir, const access::Principal& principal, EpochMs now) {
  if (!access::is_issued_id(principal.id)) {
    return;
  }
  const std::string folder = config::own_dir(agent_dir, principal.id);
  const std::optional<EpochMs> last = io::modified_at(folder);
  if (last && *last < before(now, std::chrono::days(1))) {
    io::touch(folder);
  }
}

std::vector<std::string> absent_principals(const std::string& agent_dir, EpochMs since) {
  std::vector<std::pair<EpochMs, std::string>> found;
  for (std::string& id : io::names_in(config::principals_dir(agent_dir))) {
    const std::optional<EpochMs> last =
        access::is_issued_id(id) ? io::modified_at(config::own_dir(agent_dir, id)) : std::nullopt;
    if (last && *last < since) {
      found.emplace_back(*last, std::move(id));
    }
  }
  std::ranges::sort(found);
  found.resize(std::min(found.size(), absent_max));
  std::vector<std::string> ids;
  ids.reserve(found.size());
  for (auto& [last, id] : found) {
    ids.push_back(std::move(id));
  }
  return ids;
}

io::Task<void> forget_absent_principals(io::Executor executor,
                                        config::Environment environment,
                                        config::Settings settings,
                                        std::chrono::days absence_max) {
  const EpochMs since = before(io::epoch_now(), absence_max);
  std::size_t forgotten = 0;
  for (const std::string& id : absent_principals(settings.agent_dir, since)) {
    if (!co_await io::sleep_for(rest)) {
      co_return;
    }
    // It may have come meanwhile.
    const std::optional<EpochMs> last = io::modified_at(config::own_dir(settings.agent_dir, id));
    if (last && *last < since) {
      (void)co_await forget_principal(executor,
                                      {.id = id, .environment = environment, .settings = settings});
      ++forgotten;
    }
  }
  if (forgotten > 0) {
    log::info("http: removed what was kept for " + std::to_string(forgotten) +
              " who had not signed in for " +
              text::count_text(static_cast<std::size_t>(absence_max.count()), "day"));
  }
}

}  // namespace pi_mcp::cli

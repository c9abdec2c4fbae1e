#include "setup/undo.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "config/raw.h"
#include "json/canonical.h"
#include "setup/folder.h"

namespace pi_mcp::setup {
namespace {

std::string canonical(const std::string& json) {
  return json::canonical(config::parse_trusted(json).root());
}

// Hosts add keys of their own to an entry ("autoApprove"): it is still ours while it starts what we
// made it start.
bool starts_the_same(const std::string& now, const std::string& ours) {
  const json::Document one = config::parse_trusted(now);
  const json::Document other = config::parse_trusted(ours);
  const std::string command = json::canonical(one.root().find("command"));
  return other.root().find("command") && command == json::canonical(other.root().find("command")) &&
         json::canonical(one.root().find("args")) == json::canonical(other.root().find("args"));
}

void take_back(const PutStep& step, std::string& text, Undone& undone) {
  const std::string& name = step.place.name;
  const Result<std::optional<std::string>> now = config::read_entry(text, step.place);
  if (!now) {
    undone.problem = now.error().message();
    return;
  }
  if (!*now) {
    return;  // somebody has removed it before us
  }
  const bool is_own_entry = name == "pi-mcp" && starts_the_same(**now, step.value);
  if (!is_own_entry && canonical(**now) != canonical(step.value)) {
    undone.kept.push_back(name + " was changed since, and stays");
    return;
  }
  Result<std::string> without = config::undo_put(text, step.place, step.put);
  if (!without) {
    undone.problem = name + ": " + without.error().message();
    return;
  }
  text = *std::move(without);
  undone.removed.push_back(name);
}

void take_back(const RemoveStep& step, std::string& text, Undone& undone) {
  const std::string& name = step.place.name;
  const Result<std::optional<std::string>> now = config::read_entry(text, step.place);
  if (!now) {
    undone.problem = now.error().message();
    return;
  }
  if (*now) {
    undone.kept.push_back("another " + name + " is there by now, and stays");
    return;
  }
  Result<std::string> with = config::restore_entry(text, step.place, step.removed);
  if (!with) {
    undone.problem = name + ": " + with.error().message();
    return;
  }
  text = *std::move(with);
  undone.restored.push_back(name);
}

void take_back(const ListStep& step, std::string& text, Undone& undone) {
  Result<std::string> without = take_from_list(text, step);
  if (!without) {
    undone.problem = without.error().message();
    return;
  }
  text = *std::move(without);
}

void name_all(const RecordedFile& file, Undone& undone) {
  for (const Step& step : file.steps) {
    if (const auto* const put = std::get_if<PutStep>(&step)) {
      undone.removed.push_back(put->place.name);
    } else if (const auto* const remove = std::get_if<RemoveStep>(&step)) {
      undone.restored.push_back(remove->place.name);
    }
  }
}

}  // namespace

Undone undo_file(const RecordedFile& file,
                 const std::optional<std::string>& now,
                 const std::optional<std::string>& backup) {
  Undone undone{
      .text = now, .whole = false, .problem = {}, .restored = {}, .removed = {}, .kept = {}};
  const std::optional<std::string> digest = now ? std::optional(sha256_hex(*now)) : std::nullopt;
  if (digest == file.before) {
    undone.whole = true;  // it was never written, or is back already
    return undone;
  }
  const bool is_untouched = digest == file.after;
  if (is_untouched && !file.before) {
    undone.text = std::nullopt;
  } else if (is_untouched && backup && sha256_hex(*backup) == file.before) {
    undone.text = backup;
  } else {
    std::string text = now.value_or("");
    for (auto step = file.steps.rbegin(); step != file.steps.rend(); ++step) {
      std::visit([&](const auto& one) { take_back(one, text, undone); }, *step);
    }
    if (!undone.problem.empty()) {
      return {.text = now,
              .whole = false,
              .problem = std::move(undone.problem),
              .restored = {},
              .removed = {},
              .kept = {}};
    }
    undone.whole = file.before && sha256_hex(text) == *file.before;
    undone.text = now || !text.empty() ? std::optional(std::move(text)) : std::nullopt;
    return undone;
  }
  undone.whole = true;
  name_all(file, undone);
  return undone;
}

}  // namespace pi_mcp::setup

// `pi-mcp import`: uses the servers of other programs from their own files.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/count_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_change.h"
#include "cli/commands/import_facts.h"
#include "cli/real_files.h"
#include "cli/show/config_view.h"
#include "cli/show/status_view.h"
#include "config/edit.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

enum class Step : std::uint8_t { none, add, remove };

// What is found of one kind, and what this command does about it.
struct Found {
  ImportFacts facts;
  Step step = Step::none;
  bool is_shown = false;  // in a row of its own
  bool in_full = false;   // with all its files, found or not
};

bool contains(const std::vector<std::string>& list, const std::string& one) {
  return std::ranges::find(list, one) != list.end();
}

Result<void> check_line(const Setup& setup) {
  const std::vector<std::string> known = config::import_kinds();
  for (const std::string& kind : setup.line.words()) {
    if (!contains(known, kind)) {
      return fail(ErrorCode::invalid_argument,
                  "there is no import \"" + text::printable(kind) + "\"; there are " +
                      text::join(known, ", "));
    }
  }
  if (setup.line.has(OptionId::remove) && setup.line.words().empty() &&
      !setup.line.has(OptionId::all)) {
    return fail(ErrorCode::invalid_argument,
                "--remove wants the kinds to remove, or --all. " + see_help(setup.line.command()));
  }
  return {};
}

// Whether this file, and not another one, names the kind.
bool names(std::string_view text, const std::string& kind) {
  const Result<std::string> without = config::remove_import(text, kind);
  return without && *without != text;
}

Result<Step> step_of(const ImportFacts& facts,
                     const Setup& setup,
                     std::string_view text,
                     const std::string& path) {
  const bool asked = contains(setup.line.words(), facts.kind);
  const bool all = setup.line.has(OptionId::all);
  if (!setup.line.has(OptionId::remove)) {
    const bool wanted = asked || (all && facts.has_servers());
    return wanted && !facts.in_use ? Step::add : Step::none;
  }
  if (names(text, facts.kind)) {
    return asked || all ? Step::remove : Step::none;
  }
  if (asked) {
    return fail(ErrorCode::not_found,
                "\"" + facts.kind + "\" is not among the imports of " +
                    short_path(path, setup.environment.home) +
                    (facts.in_use ? "; another file names it (pi-mcp config)" : ""));
  }
  return Step::none;
}

Result<std::vector<Found>> look_for_all(const Setup& setup, const std::string& path) {
  const Result<std::optional<std::string>> file = RealFiles().read(path);
  if (!file) {
    return fail(file.error());
  }
  const std::string text = file->value_or("");
  const bool verbose = setup.line.has(OptionId::verbose);
  const std::set<std::string> in_use = kinds_in_use(setup);
  std::vector<Found> all;
  for (const config::Host& host : config::hosts()) {
    if (host.read == nullptr) {
      continue;
    }
    Result<ImportFacts> facts = import_facts(host, setup, text, in_use);
    if (!facts) {
      return fail(std::move(facts.error()));
    }
    const Result<Step> step = step_of(*facts, setup, text, path);
    if (!step) {
      return fail(step.error());
    }
    const bool asked = contains(setup.line.words(), facts->kind);
    const bool any_file =
        std::ranges::any_of(facts->files, &config::ImportedFile::found) || facts->in_use;
    all.push_back({.facts = *std::move(facts),
                   .step = *step,
                   .is_shown = verbose || asked || (any_file && setup.line.words().empty()),
                   .in_full = verbose || asked});
  }
  return all;
}

Result<void> write(const Setup& setup, const std::string& path, const std::vector<Found>& all) {
  const bool changes =
      std::ranges::any_of(all, [](const Found& found) { return found.step != Step::none; });
  if (!changes || setup.line.has(OptionId::dry_run)) {
    return {};
  }
  const auto edit = [&all](std::string_view text) -> Result<std::string> {
    Result<std::string> edited = std::string(text);
    for (const Found& found : all) {
      if (found.step != Step::none && edited) {
        edited = found.step == Step::add ? config::add_import(*edited, found.facts.kind)
                                         : config::remove_import(*edited, found.facts.kind);
      }
    }
    return edited;
  };
  const Result<Change> changed = change_file(setup, path, edit);
  return changed ? Result<void>() : Result<void>(fail(changed.error()));
}

// ---- for people

std::string use_text(const ImportEntry& entry, const std::string& home) {
  switch (entry.use) {
    case EntryUse::counts:
      return "";
    case EntryUse::disabled:
      return "is disabled";
    case EntryUse::waiting:
      return "waits for your trust (pi-mcp trust)";
    case EntryUse::hidden:
      return "is hidden by that of " + short_path(entry.hidden_by, home);
    case EntryUse::own:
      return "is pi-mcp itself and is left out";
  }
  return "";
}

std::size_t usable(const ImportFacts& facts) {
  return static_cast<std::size_t>(
      std::ranges::count_if(facts.entries, [](const ImportEntry& entry) {
        return entry.use != EntryUse::own && entry.use != EntryUse::hidden;
      }));
}

std::string count_of(const ImportFacts& facts) {
  const std::size_t count = usable(facts);
  const bool broken = std::ranges::any_of(
      facts.files, [](const config::ImportedFile& file) { return !file.problem.empty(); });
  const bool any = std::ranges::any_of(facts.files, &config::ImportedFile::found);
  if (count == 0 && (broken || !any)) {
    return broken ? "cannot be read" : "not found";
  }
  return (count == 0 ? "no servers" : text::count_text(count, "server")) +
         (broken ? ", a file cannot be read" : "");
}

std::string state_of(const Found& found, bool dry_run) {
  switch (found.step) {
    case Step::add:
      return dry_run ? "would be added" : "added";
    case Step::remove:
      return dry_run ? "would be removed" : "removed";
    case Step::none:
      return found.facts.in_use ? "in use" : "";
  }
  return "";
}

// What the row does not say, a line each.
std::vector<std::string> remarks_on(const Found& found, const std::string& home) {
  std::vector<std::string> lines;
  for (const ImportEntry& entry : found.facts.entries) {
    if (entry.use != EntryUse::counts) {
      lines.push_back(quoted(entry.name) + " " + use_text(entry, home));
    }
  }
  for (const config::LeftOut& entry : found.facts.left_out) {
    lines.push_back(quoted(entry.server) + " " + text::printable_line(entry.reason) +
                    ", and is left out");
  }
  for (const config::ImportedFile& file : found.facts.files) {
    if (!file.found && found.in_full) {
      lines.push_back(short_path(file.file.path, home) + " is not there");
    }
    if (!file.problem.empty() && !found.in_full) {
      lines.push_back(short_path(file.file.path, home) + ": " + text::printable_line(file.problem));
    }
  }
  for (const std::string& warning : found.facts.warnings) {
    if (found.in_full) {
      lines.push_back(text::printable_line(warning));
    }
  }
  return lines;
}

std::string row_of(const Found& found, const Setup& setup) {
  const Style& style = setup.console->style();
  const bool used = found.step == Step::add || (found.facts.in_use && found.step == Step::none);
  std::vector<std::string> paths;
  for (const config::ImportedFile& file : found.facts.files) {
    if (file.found) {
      paths.push_back(short_path(file.file.path, setup.environment.home));
    }
  }
  std::vector<std::string> parts = {count_of(found.facts)};
  if (const std::string state = state_of(found, setup.line.has(OptionId::dry_run));
      !state.empty()) {
    parts.push_back(state);
  }
  std::string text = (used ? style.green("✓") : "-") + " " + found.facts.kind + ": " +
                     text::join(parts, ", ") +
                     (paths.empty() ? "" : "  " + style.dim(text::join(paths, ", "))) + "\n";
  for (const std::string& line : remarks_on(found, setup.environment.home)) {
    text += "    " + line + "\n";
  }
  return text;
}

std::string next_step(const std::vector<Found>& all, const std::string& path, const Setup& setup) {
  const auto any = [&all](auto is_so) {
    return std::ranges::any_of(all, is_so);
  };
  if (any([](const Found& found) { return found.step != Step::none; })) {
    return setup.line.has(OptionId::dry_run)
               ? "\nNothing was written.\n"
               : "\nWritten to " + short_path(path, setup.environment.home) +
                     ". Next: pi-mcp status\n";
  }
  return any([](const Found& found) { return !found.facts.in_use && usable(found.facts) > 0; })
             ? "\nTo use them: pi-mcp import KIND, or pi-mcp import --all\n"
             : "";
}

std::string as_text(const std::vector<Found>& all, const std::string& path, const Setup& setup) {
  std::string out;
  std::vector<std::string> absent;
  for (const Found& found : all) {
    if (found.is_shown) {
      out += row_of(found, setup);
    } else if (setup.line.words().empty()) {
      absent.push_back(found.facts.kind);
    }
  }
  if (!absent.empty()) {
    out += "No files of " + text::join(absent, ", ") +
           "; where they would be: pi-mcp import --verbose\n";
  }
  return out + next_step(all, path, setup);
}

// ---- for programs

std::string_view use_word(EntryUse use) {
  constexpr std::array<std::string_view, 5> words = {
      "counts", "disabled", "waiting", "hidden", "own"};
  return words[static_cast<std::size_t>(use)];
}

void write_entries(json::Writer& out, const ImportFacts& facts) {
  out.key("servers").begin_array();
  for (const ImportEntry& entry : facts.entries) {
    out.string(entry.name);
  }
  out.end_array().key("entries").begin_array();
  for (const ImportEntry& entry : facts.entries) {
    out.begin_object().member("name", entry.name).member("path", entry.path);
    out.member("use", use_word(entry.use));
    if (!entry.hidden_by.empty()) {
      out.member("hiddenBy", entry.hidden_by);
    }
    out.end_object();
  }
  out.end_array().key("leftOut").begin_array();
  for (const config::LeftOut& entry : facts.left_out) {
    out.begin_object().member("name", entry.server).member("path", entry.path);
    out.member("reason", entry.reason).end_object();
  }
  out.end_array();
}

void write_files(json::Writer& out, const ImportFacts& facts) {
  out.key("paths").begin_array();
  for (const config::ImportedFile& file : facts.files) {
    if (file.found) {
      out.string(file.file.path);
    }
  }
  out.end_array().key("files").begin_array();
  for (const config::ImportedFile& file : facts.files) {
    out.begin_object().member("path", file.file.path).member("found", file.found);
    if (!file.problem.empty()) {
      out.member("problem", file.problem);
    }
    out.end_object();
  }
  out.end_array().key("warnings").begin_array();
  for (const std::string& warning : facts.warnings) {
    out.string(warning);
  }
  out.end_array();
}

std::string as_json(const std::vector<Found>& all, const std::string& path, bool dry_run) {
  json::Writer out;
  out.begin_object().member("mode", "import").member("path", path).member("dryRun", dry_run);
  out.key("imports").begin_array();
  for (const Found& found : all) {
    const bool stays = found.facts.in_use && found.step != Step::remove;
    out.begin_object().member("kind", found.facts.kind).member("program", found.facts.name);
    out.member("added", found.step == Step::add).member("removed", found.step == Step::remove);
    out.member("inUse", stays || found.step == Step::add);
    write_entries(out, found.facts);
    write_files(out, found.facts);
    out.end_object();
  }
  return out.end_array().end_object().take();
}

}  // namespace

Result<std::string> run_import(const Setup& setup) {
  if (const Result<void> right = check_line(setup); !right) {
    return fail(right.error());
  }
  const std::string path =
      config::target_file(setup.environment, setup.load_options, config::Target::global);
  const Result<std::vector<Found>> all = look_for_all(setup, path);
  if (!all) {
    return fail(all.error());
  }
  if (const Result<void> written = write(setup, path, *all); !written) {
    return fail(written.error());
  }
  return setup.json ? as_json(*all, path, setup.line.has(OptionId::dry_run))
                    : as_text(*all, path, setup);
}

}  // namespace pi_mcp::cli

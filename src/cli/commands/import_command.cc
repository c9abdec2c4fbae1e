// `pi-mcp import`: uses the servers of other programs from their own files.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/count_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_change.h"
#include "cli/real_files.h"
#include "cli/show/config_view.h"
#include "cli/show/status_view.h"
#include "config/edit.h"
#include "config/import/imports.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

// One kind of import on this machine.
struct Found {
  std::string kind;
  std::vector<std::string> servers;
  std::vector<std::string> paths;  // files that exist
  bool in_use = false;             // the user file names it
  bool added = false;              // by this command
};

Found look_for(const std::string& kind, const Setup& setup) {
  std::vector<config::Warning> warnings;
  // The project's servers come with the import (docs/configuration.md, Trust).
  const config::Imported imported =
      config::read_import(kind,
                          {.environment = setup.environment,
                           .files = RealFiles(),
                           .warnings = warnings,
                           .is_allowed = [](const config::RawServer&) {
                             return false;
                           }});
  for (const config::Warning& warning : warnings) {
    log::warning(warning.message);
  }
  Found found;
  found.kind = kind;
  for (const config::RawServer& server : imported.servers) {
    found.servers.push_back(server.name);
  }
  for (const config::RawServer& server : imported.waiting) {
    found.servers.push_back(server.name);
  }
  for (const config::ImportedFile& file : imported.files) {
    if (file.found) {
      found.paths.push_back(file.file.path);
    }
  }
  return found;
}

Result<void> check_kinds(const std::vector<std::string>& wanted) {
  const std::vector<std::string> known = config::import_kinds();
  for (const std::string& kind : wanted) {
    if (std::ranges::find(known, kind) == known.end()) {
      return fail(ErrorCode::invalid_argument,
                  "there is no import \"" + text::printable(kind) + "\"; there are " +
                      text::join(known, ", "));
    }
  }
  return {};
}

// All kinds; those that the command line wants added are marked.
Result<std::vector<Found>> look_for_all(const Setup& setup, const std::string& path) {
  const Result<std::optional<std::string>> file = RealFiles().read(path);
  if (!file) {
    return fail(file.error());
  }
  const std::string text = file->value_or("");
  const std::vector<std::string>& wanted = setup.line.words();
  std::vector<Found> all;
  for (const std::string& kind : config::import_kinds()) {
    Found found = look_for(kind, setup);
    Result<std::string> with_it = config::add_import(text, kind);
    if (!with_it) {
      return fail(std::move(with_it.error()).while_doing(path));
    }
    found.in_use = *with_it == text;
    const bool is_wanted = std::ranges::find(wanted, kind) != wanted.end() ||
                           (setup.line.has(OptionId::all) && !found.servers.empty());
    found.added = is_wanted && !found.in_use;
    all.push_back(std::move(found));
  }
  return all;
}

Result<void> add(const Setup& setup, const std::string& path, const std::vector<Found>& all) {
  if (std::ranges::none_of(all, &Found::added)) {
    return {};
  }
  const auto edit = [&all](std::string_view text) -> Result<std::string> {
    Result<std::string> edited = std::string(text);
    for (const Found& found : all) {
      if (found.added && edited) {
        edited = config::add_import(*edited, found.kind);
      }
    }
    return edited;
  };
  const Result<Change> changed = change_file(setup, path, edit);
  return changed ? Result<void>() : Result<void>(fail(changed.error()));
}

std::string as_text(const std::vector<Found>& all, const std::string& path, const Setup& setup) {
  const Style& style = setup.console->style();
  TextTable table;
  bool any_left = false;
  for (const Found& found : all) {
    std::vector<std::string> paths;
    paths.reserve(found.paths.size());
    for (const std::string& existing : found.paths) {
      paths.push_back(short_path(existing, setup.environment.home));
    }
    const bool in_use = found.in_use || found.added;
    any_left = any_left || (!in_use && !found.servers.empty());
    table.add(
        {in_use ? style.green("✓") : "-",
         found.kind,
         found.servers.empty() ? "none found" : text::count_text(found.servers.size(), "server"),
         found.added ? "added" : (found.in_use ? "in use" : ""),
         style.dim(text::join(paths, ", "))});
  }
  std::string out = table.text("  ");
  if (std::ranges::any_of(all, &Found::added)) {
    out += "\nWritten to " + short_path(path, setup.environment.home) + ". Next: pi-mcp status\n";
  } else if (any_left) {
    out += "\nTo use them: pi-mcp import KIND, or pi-mcp import --all\n";
  }
  return out;
}

void write_strings(json::Writer& out,
                   std::string_view key,
                   const std::vector<std::string>& strings) {
  out.key(key).begin_array();
  for (const std::string& string : strings) {
    out.string(string);
  }
  out.end_array();
}

std::string as_json(const std::vector<Found>& all, const std::string& path) {
  json::Writer out;
  out.begin_object().member("mode", "import").member("path", path).key("imports").begin_array();
  for (const Found& found : all) {
    out.begin_object().member("kind", found.kind).member("added", found.added);
    out.member("inUse", found.in_use || found.added);
    write_strings(out, "servers", found.servers);
    write_strings(out, "paths", found.paths);
    out.end_object();
  }
  return out.end_array().end_object().take();
}

}  // namespace

Result<std::string> run_import(const Setup& setup) {
  if (const Result<void> known = check_kinds(setup.line.words()); !known) {
    return fail(known.error());
  }
  const std::string path =
      config::target_file(setup.environment, setup.load_options, config::Target::global);
  const Result<std::vector<Found>> all = look_for_all(setup, path);
  if (!all) {
    return fail(all.error());
  }
  if (const Result<void> added = add(setup, path, *all); !added) {
    return fail(added.error());
  }
  return setup.json ? as_json(*all, path) : as_text(*all, path, setup);
}

}  // namespace pi_mcp::cli

#include "cli/commands/server_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/shell_word.h"
#include "cli/commands/config_change.h"
#include "cli/real_files.h"
#include "cli/show/config_view.h"
#include "cli/trust_record.h"
#include "cli/unknown_server.h"
#include "config/edit.h"
#include "config/entry_text.h"
#include "config/load.h"
#include "config/merge.h"
#include "config/project/project_folders.h"
#include "config/server.h"
#include "io/files/file.h"
#include "json/document.h"
#include "json/edit.h"

namespace pi_mcp::cli {
namespace {

// An entry of pi-mcp itself is left out of every configuration.
Result<void> check_no_gateway(const tool::NewServer& server) {
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  const config::MergedServer merged{
      .name = server.name,
      .fields = config::RawObject::from(entry ? entry->root() : json::Value()),
      .origin = {}};
  if (!config::starts_this_program(config::make_server(merged, config::Settings()))) {
    return {};
  }
  return fail(ErrorCode::invalid_argument,
              quoted(server.name) +
                  " would be pi-mcp itself, which cannot be a server of its own; to put it into "
                  "your hosts: pi-mcp setup");
}

// What the user's own command has written into a project's file needs no further question.
Result<void> trust_own_entry(const Setup& setup,
                             const std::string& path,
                             const std::string& server) {
  std::vector<config::TrustRequest> own;
  for (const config::TrustRequest& request :
       load_configuration(setup, RealFiles()).trust_requests) {
    if (request.path == path && request.server == server) {
      own.push_back(request);
    }
  }
  return own.empty()
             ? Result<void>()
             : record_trust(setup, {.requests = std::move(own), .folder = {}, .by = "pi-mcp"});
}

// What is wrong with a text that shall be a configuration file; "line 3, column 4: ..." for JSON.
Result<void> check_text(const Setup& setup, const std::string& path, const std::string& text) {
  const Result<json::Document> document =
      json::Document::parse_view(text, {.syntax = json::Syntax::jsonc});
  if (!document && !json::is_blank(text)) {
    return fail(document.error());
  }
  // Read as it would be, with the old text of every other file.
  class WithText : public RealFiles {
   public:
    WithText(const std::string& path, const std::string& text) : path_(path), text_(text) {}
    [[nodiscard]] Result<std::optional<std::string>> read(const std::string& path) const override {
      return path == path_ ? std::optional(text_) : RealFiles::read(path);
    }

   private:
    const std::string& path_;
    const std::string& text_;
  };
  const auto warnings_of = [&setup](const config::FileSource& files) {
    return config::load(setup.environment, files, setup.load_options).warnings;
  };
  const std::vector<config::Warning> before = warnings_of(RealFiles());
  for (const config::Warning& warning : warnings_of(WithText(path, text))) {
    const bool is_new = std::ranges::none_of(
        before, [&warning](const config::Warning& old) { return old.message == warning.message; });
    if (warning.path == path && is_new) {
      return fail(ErrorCode::invalid_argument, warning.message);
    }
  }
  return {};
}

}  // namespace

bool has_server(std::string_view text, const std::string& name) {
  const Result<json::Document> document =
      json::Document::parse(std::string(text), {.syntax = json::Syntax::jsonc});
  return document &&
         (document->root().at({"mcpServers", name}) || document->root().at({"mcp-servers", name}));
}

Result<void> check_inside_project(const Setup& setup, const std::string& path) {
  std::vector<std::string> projects = config::folders_above(setup.environment, RealFiles());
  projects.push_back(setup.environment.cwd);
  const auto project = std::ranges::find_if(projects, [&path](const std::string& folder) {
    return path == folder + "/.mcp.json" || path == folder + "/.pi/mcp.json";
  });
  if (project == projects.end()) {
    return {};
  }
  const std::string home = io::canonical_path(*project);
  const std::string parent = path.substr(0, path.rfind('/'));
  const std::string folder = parent == *project ? path : parent;
  for (const std::string& place : {folder, path}) {
    const std::string real = io::canonical_path(place);
    const bool exists = io::is_directory(place) || io::is_file(place) || io::is_link(place);
    const bool leads_nowhere = io::is_link(place) && real == place;
    if (leads_nowhere || (exists && !real.starts_with(home + "/"))) {
      const std::string& user = setup.environment.home;
      return fail(ErrorCode::invalid_argument,
                  short_path(place, user) + " is a link that leads out of the project (to " +
                      short_path(real, user) +
                      "), and is not written; remove the link, or add the server without "
                      "--project");
    }
  }
  return {};
}

Result<void> add_servers(const Setup& setup,
                         const std::string& path,
                         const std::vector<tool::NewServer>& servers) {
  const auto edit = [&servers](std::string_view old) -> Result<std::string> {
    Result<std::string> text = std::string(old);
    for (const tool::NewServer& server : servers) {
      if (text && has_server(*text, server.name)) {
        return fail(ErrorCode::invalid_argument,
                    quoted(server.name) +
                        " is there already; to replace it, first run pi-mcp remove " + server.name);
      }
      text = text ? config::put_server(*text, server.name, server.entry_json) : std::move(text);
    }
    return text;
  };
  for (const tool::NewServer& server : servers) {
    if (Result<void> other = check_no_gateway(server); !other) {
      return other;
    }
  }
  if (Result<void> inside = check_inside_project(setup, path); !inside) {
    return inside;
  }
  if (const Result<Change> changed = change_file(setup, path, edit); !changed) {
    return fail(changed.error());
  }
  for (const tool::NewServer& server : servers) {
    if (Result<void> kept = trust_own_entry(setup, path, server.name); !kept) {
      return kept;
    }
  }
  return {};
}

Result<tool::EditedFile> file_to_edit(const Setup& setup, const std::string& server) {
  tool::EditedFile file{
      .path = config::target_file(setup.environment, setup.load_options, config::Target::global),
      .server = server,
      .shown = {},
      .text = {}};
  if (!server.empty()) {
    const config::Settings settings = load_configuration(setup, RealFiles());
    const config::Server* const found = settings.find(server);
    if (found == nullptr) {
      return fail(unknown_server(settings, server));
    }
    const config::Origin origin = config::definition(*found);
    if (!origin.import_kind.empty() || origin.project) {
      return fail(ErrorCode::invalid_argument,
                  quoted(server) + " is defined in " +
                      short_path(origin.path, setup.environment.home) + ", which is " +
                      (origin.project ? "a file of the project" : "the file of another program") +
                      " and not changed here");
    }
    file.path = origin.path;
  }
  Result<std::optional<std::string>> text = io::read_file(file.path);
  if (!text) {
    return fail(text.error());
  }
  file.shown = short_path(file.path, setup.environment.home);
  file.text = (*std::move(text)).value_or("{\n  \"mcpServers\": {}\n}\n");
  if (!server.empty()) {
    Result<std::string> entry = config::entry_text(file.text, server);
    if (!entry) {
      return fail(std::move(entry).error().while_doing(file.shown));
    }
    file.shown = quoted(server) + " in " + file.shown;
    file.text = *std::move(entry);
  }
  return file;
}

Result<void> write_edited(const Setup& setup,
                          const tool::EditedFile& was,
                          const std::string& text) {
  const auto edit = [&](std::string_view now) -> Result<std::string> {
    const Result<std::string> shown =
        was.server.empty() ? std::string(now) : config::entry_text(now, was.server);
    if (!now.empty() && (!shown || *shown != was.text)) {
      return fail(ErrorCode::unavailable, "the file was changed meanwhile; nothing was written");
    }
    Result<std::string> whole =
        was.server.empty() ? text : config::with_entry_text(now, was.server, text);
    const Result<void> right = whole ? check_text(setup, was.path, *whole) : Result<void>();
    return right ? std::move(whole) : fail(right.error());
  };
  const Result<Change> changed = change_file(setup, was.path, edit);
  return changed ? Result<void>() : fail(changed.error());
}

}  // namespace pi_mcp::cli

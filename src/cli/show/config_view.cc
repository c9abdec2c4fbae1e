#include "cli/show/config_view.h"

#include <algorithm>

#include "base/text.h"
#include "config/describe.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

// A longer value moves only its own file name.
constexpr std::size_t value_columns_max = 60;

std::string origin_text(const config::Origin& origin, const std::string& home) {
  const std::string path = short_path(origin.path, home);
  return origin.import_kind.empty() ? path : path + " (import " + origin.import_kind + ")";
}

// Strings without their quotes: a person reads them more easily.
std::string value_text(const std::string& json) {
  const Result<json::Document> document = json::Document::parse_view(json);
  const std::string text =
      document && document->root().is_string() ? document->root().string_or("") : json;
  return text::printable(text);
}

std::string field_lines(const std::vector<config::FieldDescription>& fields,
                        const Style& style,
                        const ConfigView& view) {
  std::size_t widest = 0;
  for (const config::FieldDescription& field : fields) {
    const std::size_t columns = columns_of(value_text(field.value));
    widest = columns <= value_columns_max && columns > widest ? columns : widest;
  }
  TextTable table;
  for (const config::FieldDescription& field : fields) {
    std::string value = value_text(field.value);
    const std::size_t columns = columns_of(value);
    value.append(columns < widest ? widest - columns : 0, ' ');
    const std::string unread = field.is_read ? "" : " (not read)";
    table.add(
        {text::printable(field.key),
         value + "  " + style.dim(text::printable(origin_text(field.origin, view.home)) + unread)});
  }
  return table.text("  ", view.columns);
}

std::string server_text(const config::Server& server, const Style& style, const ConfigView& view) {
  const bool waits = server.standing == config::Standing::needs_trust;
  std::string out = style.bold(text::printable(server.name));
  out += server.standing == config::Standing::project ? style.dim(" (project)") : "";
  out += waits             ? style.yellow(" (project, needs trust: pi-mcp trust)")
         : server.disabled ? style.dim(" (disabled)")
                           : "";
  out += "\n" + field_lines(config::describe(server), style, view);
  if (server.problem) {
    out += "  " + style.red("problem: " + text::printable(*server.problem)) + "\n";
  }
  return out;
}

std::string warning_lines(const std::vector<config::Warning>& warnings,
                          std::string_view title,
                          const Style& style) {
  std::string out;
  for (const config::Warning& warning : warnings) {
    out += "  " + text::printable(warning.message) + "\n";
  }
  return out.empty() ? "" : "\n" + style.bold(title) + "\n" + out;
}

std::string files_text(const ConfigView& view, const Style& style) {
  TextTable table;
  for (const LookedAt& looked : view.files) {
    const std::string path = text::printable(short_path(looked.file.path, view.home));
    table.add({looked.unreadable ? style.red("✗")
               : looked.exists   ? style.green("✓")
                                 : style.dim("-"),
               looked.exists ? path : style.dim(path),
               style.dim(looked.file.role + (looked.unreadable ? ", cannot be read"
                                             : looked.exists   ? ""
                                                               : ", none"))});
  }
  return style.bold("Files, the later ones win") + "\n" + table.text("  ", view.columns);
}

void write_origin(json::Writer& out, const config::Origin& origin) {
  out.member("path", origin.path);
  if (!origin.import_kind.empty()) {
    out.member("import", origin.import_kind);
  }
}

void write_fields(json::Writer& out, const std::vector<config::FieldDescription>& fields) {
  out.begin_object();
  for (const config::FieldDescription& field : fields) {
    out.key(field.key).begin_object().member_raw("value", field.value);
    out.member("read", field.is_read);
    write_origin(out, field.origin);
    out.end_object();
  }
  out.end_object();
}

void write_server(json::Writer& out, const config::Server& server) {
  const bool waits = server.standing == config::Standing::needs_trust;
  out.begin_object().member("name", server.name);
  out.member("disabled", server.disabled && !waits);
  if (server.standing != config::Standing::user) {
    out.member("project", true).member("needsTrust", waits);
  }
  write_origin(out, server.origin);
  if (server.problem) {
    out.member("problem", *server.problem);
  }
  out.key("fields");
  write_fields(out, config::describe(server));
  out.end_object();
}

}  // namespace

std::string config_text(const ConfigView& view, const Style& style) {
  std::string out = view.everything ? files_text(view, style) : "";
  for (const config::Server* server : view.servers) {
    out += (out.empty() ? "" : "\n") + server_text(*server, style, view);
  }
  if (!view.everything) {
    return out + warning_lines(view.warnings, "Warnings", style);
  }
  const bool is_unreadable = std::ranges::any_of(view.warnings, &config::Warning::unreadable);
  if (view.servers.empty() && !is_unreadable) {
    out +=
        "\nNo servers are configured. pi-mcp setup takes over those of other programs,\n"
        "pi-mcp add NAME -- COMMAND adds one.\n";
  }
  const std::vector<config::FieldDescription> settings = describe_settings(*view.settings);
  if (!settings.empty()) {
    out += "\n" + style.bold("settings") + "\n" + field_lines(settings, style, view);
  }
  out += warning_lines(view.warnings, "Warnings", style);
  return out + warning_lines(view.settings->notes, "Notes", style);
}

std::string config_json(const ConfigView& view) {
  json::Writer out;
  out.begin_object().member("mode", "config");
  out.key("servers").begin_array();
  for (const config::Server* server : view.servers) {
    write_server(out, *server);
  }
  out.end_array();
  if (view.everything) {
    out.key("files").begin_array();
    for (const LookedAt& looked : view.files) {
      out.begin_object().member("path", looked.file.path).member("role", looked.file.role);
      out.member("exists", looked.exists);
      if (looked.unreadable) {
        out.member("unreadable", true);
      }
      out.end_object();
    }
    out.end_array();
    out.key("settings");
    write_fields(out, describe_settings(*view.settings));
    out.member_raw("notes", config::warnings_json(view.settings->notes));
  }
  out.member_raw("warnings", config::warnings_json(view.warnings));
  return out.end_object().take();
}

std::string short_path(std::string_view path, std::string_view home) {
  const bool inside = home.size() > 1 && path.starts_with(home) && path.size() > home.size() &&
                      path[home.size()] == '/';
  return inside ? "~" + std::string(path.substr(home.size())) : std::string(path);
}

}  // namespace pi_mcp::cli

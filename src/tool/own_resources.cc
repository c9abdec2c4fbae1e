#include "tool/own_resources.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "config/edit.h"
#include "json/writer.h"
#include "tool/failures.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

// The index of the first one is that of the status.
constexpr std::size_t status = 0;
constexpr std::size_t tools = 1;
constexpr std::array<std::string_view, 3> uris = {
    "pi-mcp://status", "pi-mcp://tools", "pi-mcp://definitions"};

// UTF-16 units of a description; people look for words in it.
constexpr std::size_t description_units_max = 300;

std::optional<std::size_t> find_resource(std::string_view uri) {
  for (std::size_t i = 0; i < uris.size(); ++i) {
    if (uris.at(i) == uri) {
      return i;
    }
  }
  return std::nullopt;
}

// About what a direct tool costs in every request to a model: four bytes a token, and ten for the
// JSON around them.
std::size_t estimated_tokens(const catalog::CatalogTool& tool) {
  constexpr std::size_t bytes_per_token = 4;
  constexpr std::size_t around = 10;
  const std::size_t bytes = tool.name.size() + tool.description.size() + tool.input_schema.size();
  return (bytes + bytes_per_token - 1) / bytes_per_token + around;
}

// The host's user does not trust the folder of this server, so that nobody is asked about it.
bool is_forbidden(const registry::ServerRegistry& registry, std::string_view server) {
  return std::ranges::any_of(registry.settings().trust_requests,
                             [server](const config::TrustRequest& request) {
                               return request.server == server && request.forbidden;
                             });
}

// Settings that the host's side of us follows.
void write_shown(const config::Settings& settings, json::Writer& out) {
  constexpr std::array<std::string_view, 3> footers = {"full", "compact", "off"};
  out.key("settings")
      .begin_object()
      .member("mcpFooterStatus", footers.at(static_cast<std::size_t>(settings.footer)))
      .member("showStatusIcon", settings.show_status_icon)
      .member("samplingAutoApprove", settings.sampling_auto_approve);
  if (has_unreadable_file(settings)) {
    out.key("unreadable").begin_array();
    for (const config::Warning& warning : settings.warnings) {
      if (warning.unreadable) {
        out.string(warning.message);
      }
    }
    out.end_array();
  }
  out.end_object();
}

}  // namespace

void OwnResources::write_list(json::Writer& out) {
  out.raw(R"({"uri":"pi-mcp://status","name":"status",)"
          R"("description":"Servers and their state","mimeType":"application/json"},)"
          R"({"uri":"pi-mcp://tools","name":"tools",)"
          R"("description":"Tools of every server","mimeType":"application/json"},)"
          R"({"uri":"pi-mcp://definitions","name":"definitions",)"
          R"("description":"Tools of every server with their schemas",)"
          R"("mimeType":"application/json"})");
}

std::string OwnResources::status_text() const {
  json::Writer out;
  out.begin_object().key("servers").begin_array();
  for (const servers::ServerStatus& server : registry_.statuses()) {
    out.begin_object()
        .member("name", server.name)
        .member("status", servers::state_name(server.state))
        .member("toolCount", server.tools)
        .member("restarts", server.restarts);
    if (!server.reason.empty()) {
      out.member("reason", server.reason);
    }
    if (!server.last_error.empty()) {
      out.member("lastError", server.last_error);
    }
    if (server.is_projects) {
      out.member("project", true);
    }
    if (server.state == servers::ServerStatus::State::needs_trust) {
      out.member("forbidden", is_forbidden(registry_, server.name));
    }
    if (const config::Server* configured = registry_.find(server.name)) {
      out.member("remote", configured->url.has_value());
      out.member("file", config::definition(*configured).path);
    }
    out.end_object();
  }
  out.end_array();
  write_shown(registry_.settings(), out);
  return out.end_object().take();
}

std::string OwnResources::tools_text() const {
  json::Writer out;
  out.begin_object().key("servers").begin_array();
  for (const config::Server& server : registry_.settings().servers) {
    out.begin_object()
        .member("name", server.name)
        .member("bySearch", direct_.waits_for_search(server.name))
        .key("tools")
        .begin_array();
    for (const catalog::CatalogTool& tool : registry_.catalog().tools(server.name)) {
      const std::string line = one_line(tool.description);
      out.begin_object()
          .member("name", tool.name)
          .member("original", tool.original)
          .member("description", text::cut(line, description_units_max))
          .member("direct", direct_.is_chosen(tool))
          .member("tokens", estimated_tokens(tool));
      if (const std::string_view fault = DirectTools::name_fault(tool.name); !fault.empty()) {
        out.member("cannotBeDirect", fault);
      }
      out.end_object();
    }
    out.end_array().end_object();
  }
  return out.end_array().end_object().take();
}

std::string OwnResources::text_of(std::size_t resource) const {
  if (resource == status) {
    return status_text();
  }
  return resource == tools ? tools_text() : every_tool(registry_);
}

std::optional<std::string> OwnResources::read(std::string_view uri) {
  const std::optional<std::size_t> resource = find_resource(uri);
  if (!resource) {
    return std::nullopt;
  }
  const std::string text = text_of(*resource);
  watched_.at(*resource).known = std::hash<std::string_view>{}(text);
  json::Writer out;
  out.begin_object().key("contents").begin_array().begin_object();
  out.member("uri", uri).member("mimeType", "application/json").member("text", text);
  return out.end_object().end_array().end_object().take();
}

bool OwnResources::subscribe(std::string_view uri) {
  const std::optional<std::size_t> resource = find_resource(uri);
  if (!resource) {
    return false;
  }
  Watched& watched = watched_.at(*resource);
  if (!watched.subscribed) {
    watched = {.subscribed = true, .known = std::hash<std::string_view>{}(text_of(*resource))};
  }
  return true;
}

bool OwnResources::unsubscribe(std::string_view uri) {
  const std::optional<std::size_t> resource = find_resource(uri);
  if (resource) {
    watched_.at(*resource).subscribed = false;
  }
  return resource.has_value();
}

std::vector<std::string_view> OwnResources::take_changed() {
  std::vector<std::string_view> changed;
  for (std::size_t i = 0; i < uris.size(); ++i) {
    Watched& watched = watched_.at(i);
    if (!watched.subscribed) {
      continue;
    }
    const std::uint64_t now = std::hash<std::string_view>{}(text_of(i));
    if (now != watched.known) {
      watched.known = now;
      changed.push_back(uris.at(i));
    }
  }
  return changed;
}

}  // namespace pi_mcp::tool

#include "tool/prompts.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/text.h"
#include "io/loop/clock.h"
#include "json/writer.h"
#include "mcp/forwarded_request.h"
#include "mcp/items.h"
#include "mcp/methods.h"
#include "tool/first_use.h"
#include "tool/forward.h"
#include "tool/lookup.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

// The longest text of a server in the list; hosts show it in a menu.
constexpr std::size_t text_units_max = 2000;

std::string shown_text(const std::string& text) {
  return text::cut(text::printable(text), text_units_max);
}

constexpr std::string_view separator = "__";

std::string shown_name(const std::string& server, const mcp::Prompt& prompt) {
  return server + std::string(separator) + prompt.name;
}

// As the host's menu shows it.
void write_shown(json::Writer& out,
                 const std::string& server,
                 mcp::Prompt prompt,
                 bool has_namesake) {
  if (has_namesake) {
    prompt.title = (prompt.title.empty() ? prompt.name : prompt.title) + " (" + server + ")";
  }
  prompt.name = shown_name(server, prompt);
  prompt.title = shown_text(prompt.title);
  prompt.description = shown_text(prompt.description);
  for (mcp::PromptArgument& argument : prompt.arguments) {
    argument.description = shown_text(argument.description);
  }
  mcp::write_prompt(out, prompt);
}

SharedText get_params(const std::string& prompt, const rpc::Message& request) {
  json::Writer params;
  params.begin_object().member("name", prompt);
  if (const json::Value arguments = request.params().find("arguments")) {
    params.member_raw("arguments", arguments.raw());
  }
  return SharedText(params.end_object().take());
}

}  // namespace

std::string Prompts::listed() const {
  std::map<std::string, std::size_t> uses;
  for (const std::string& server : registry_.enabled_servers()) {
    for (const mcp::Prompt& prompt : registry_.catalog().prompts(server)) {
      ++uses[shown_name(server, prompt)];
    }
  }
  json::Writer out;
  out.begin_object().key("prompts").begin_array();
  for (const std::string& server : registry_.enabled_servers()) {
    for (const mcp::Prompt& prompt : registry_.catalog().prompts(server)) {
      write_shown(out, server, prompt, uses[shown_name(server, prompt)] > 1);
    }
  }
  return out.end_array().end_object().take();
}

std::string Prompts::list_result() {
  told_ = listed();
  noticed_ = false;
  return told_;
}

bool Prompts::needs_notice() {
  if (told_.empty() || noticed_) {
    return false;
  }
  noticed_ = listed() != told_;
  return noticed_;
}

Prompts::Target Prompts::find(std::string_view name, std::string_view named_server) const {
  Target found;
  for (const std::string& server : registry_.enabled_servers()) {
    for (const mcp::Prompt& prompt : registry_.catalog().prompts(server)) {
      if (shown_name(server, prompt) != name || (!named_server.empty() && named_server != server)) {
        continue;
      }
      if (found.server.empty()) {
        found = {.server = server, .prompt = prompt.name, .ambiguous = {}};
      } else {
        found.ambiguous += ", " + server;
      }
    }
  }
  if (!found.ambiguous.empty()) {
    found.ambiguous = "the servers " + found.server + found.ambiguous + " have a prompt " +
                      quoted(name) + "; params._meta[\"" + std::string(mcp::asking_server_key) +
                      "\"] says whose is meant";
  }
  return found;
}

io::Task<Result<Prompts::Target>> Prompts::find_anew(std::string name, CallContext context) {
  const std::vector<std::string> servers = registry_.enabled_servers();
  const auto server = std::ranges::find_if(servers, [&name](const std::string& each) {
    return name.starts_with(each + std::string(separator));
  });
  if (server == servers.end()) {
    co_return Target();
  }
  if (registry_.connected(*server)) {
    co_await wait_for_lists(
        &registry_,
        {*server},
        [this, &name] { return !find(name).server.empty(); },
        io::now() + first_answer_wait);
  } else if (const auto open = co_await open_server(&registry_, *server, context); !open) {
    co_return fail(Error(open.error()).while_doing(*server));
  }
  co_return find(name);
}

std::string Prompts::nearest_text(std::string_view wrong) const {
  std::size_t distance_max = wrong.size() / 4 + 1;
  std::string nearest;
  for (const std::string& server : registry_.enabled_servers()) {
    for (const mcp::Prompt& prompt : registry_.catalog().prompts(server)) {
      const std::string shown = shown_name(server, prompt);
      const std::size_t distance = text::edit_distance(echoed(wrong), shown);
      if (distance < distance_max) {
        distance_max = distance;
        nearest = shown;
      }
    }
  }
  return nearest.empty() ? "" : ", did you mean " + quoted(nearest) + "?";
}

io::Task<rpc::Outgoing> Prompts::get(const rpc::Message* request, CallContext context) {
  if (std::optional<rpc::Outgoing> wrong = lacks_text(*request, "name")) {
    co_return *std::move(wrong);
  }
  const std::string name = request->params().find("name").string_or("");
  const std::string named_server =
      request->params().at({"_meta", mcp::asking_server_key}).string_or("");
  Target target = find(name, named_server);
  if (target.server.empty()) {
    const Result<Target> found = co_await find_anew(name, context);
    if (!found) {
      co_return rpc::failure(
          request->id(), rpc::error_code::internal_error, found.error().message());
    }
    target = *found;
  }
  if (target.server.empty()) {
    co_return rpc::failure(
        request->id(),
        rpc::error_code::invalid_params,
        "unknown prompt " + quoted(name) + nearest_text(name) + "; prompts/list has them all");
  }
  if (!target.ambiguous.empty()) {
    co_return rpc::failure(request->id(), rpc::error_code::invalid_params, target.ambiguous);
  }
  co_return co_await forward(&registry_,
                             {.server = target.server,
                              .method = mcp::method::prompts_get,
                              .params = get_params(target.prompt, *request)},
                             request,
                             std::move(context));
}

}  // namespace pi_mcp::tool

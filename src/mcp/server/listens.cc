#include "mcp/server/listens.h"

#include <algorithm>
#include <utility>

#include "json/writer.h"
#include "mcp/discovery.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

std::string subscription_meta(const rpc::Id& id) {
  json::Writer meta;
  return meta.begin_object().member_raw(meta_key::subscription_id, id.json()).end_object().take();
}

bool wants(const ListenFilter& filter, std::string_view method, std::string_view uri) {
  if (method == method::tools_list_changed) {
    return filter.tools;
  }
  if (method == method::prompts_list_changed) {
    return filter.prompts;
  }
  if (method == method::resources_list_changed) {
    return filter.resources;
  }
  return method == method::resource_updated &&
         std::ranges::any_of(filter.uris, [uri](const std::string& watched) {
           return is_resource_or_part(uri, watched);
         });
}

}  // namespace

bool is_resource_or_part(std::string_view uri, std::string_view watched) {
  return uri == watched ||
         (uri.starts_with(watched) && uri.size() > watched.size() &&
          (watched.ends_with('/') ||
           std::string_view("/?#").find(uri[watched.size()]) != std::string_view::npos));
}

tl::expected<ListenFilter, std::string> read_listen_filter(json::Value notifications) {
  if (!notifications.is_object()) {
    return tl::unexpected<std::string>(
        "subscriptions/listen needs params.notifications, an object");
  }
  const json::Value uris = notifications.find("resourceSubscriptions");
  if (uris && !uris.is_array()) {
    return tl::unexpected<std::string>("resourceSubscriptions must be an array of uris");
  }
  if (uris.size() > listened_uris_max) {
    return tl::unexpected<std::string>("one subscriptions/listen has " +
                                       std::to_string(listened_uris_max) + " resources at most");
  }
  ListenFilter filter{.tools = notifications.find("toolsListChanged").bool_or(false),
                      .prompts = notifications.find("promptsListChanged").bool_or(false),
                      .resources = notifications.find("resourcesListChanged").bool_or(false),
                      .uris = {}};
  for (const json::Value uri : uris.elements()) {
    if (!uri.is_string()) {
      return tl::unexpected<std::string>("resourceSubscriptions must be an array of uris");
    }
    std::string text = uri.string_or("");
    if (std::ranges::find(filter.uris, text) == filter.uris.end()) {
      filter.uris.push_back(std::move(text));
    }
  }
  return filter;
}

rpc::Outgoing Listens::open(rpc::Id id, ListenFilter filter) {
  json::Writer params;
  params.begin_object().member_raw("_meta", subscription_meta(id));
  params.key("notifications").begin_object();
  for (const auto& [has, name] : {std::pair(filter.tools, "toolsListChanged"),
                                  std::pair(filter.prompts, "promptsListChanged"),
                                  std::pair(filter.resources, "resourcesListChanged")}) {
    if (has) {
      params.member(name, true);
    }
  }
  if (!filter.uris.empty()) {
    params.key("resourceSubscriptions").begin_array();
    for (const std::string& uri : filter.uris) {
      params.string(uri);
    }
    params.end_array();
  }
  params.end_object().end_object();
  open_.push_back({.id = std::move(id), .filter = std::move(filter)});
  return rpc::notification(method::subscriptions_acknowledged, SharedText(params.take()));
}

std::optional<std::vector<std::string>> Listens::close(const rpc::Id& id) {
  const auto found = std::ranges::find(open_, id, &Listen::id);
  if (found == open_.end()) {
    return std::nullopt;
  }
  std::vector<std::string> uris = std::move(found->filter.uris);
  open_.erase(found);
  return uris;
}

std::vector<Listens::Told> Listens::end() {
  std::vector<Told> answers;
  for (const Listen& listen : std::exchange(open_, {})) {
    answers.push_back({.listen = listen.id,
                       .message = rpc::result(listen.id,
                                              rpc::Outgoing(R"({"resultType":"complete","_meta":)" +
                                                            subscription_meta(listen.id) + "}"))});
  }
  return answers;
}

bool Listens::has(const rpc::Id& id) const {
  return std::ranges::find(open_, id, &Listen::id) != open_.end();
}

std::vector<Listens::Told> Listens::tell(std::string_view method,
                                         const SharedText& params,
                                         std::string_view uri) const {
  std::vector<Told> told;
  for (const Listen& listen : open_) {
    if (!wants(listen.filter, method, uri)) {
      continue;
    }
    // Ours: an object without white space, or nothing.
    const std::string_view rest =
        params.size() > 2 ? params.view().substr(1) : std::string_view("}");
    std::string own = R"({"_meta":)" + subscription_meta(listen.id);
    own += rest == "}" ? "" : ",";
    own += rest;
    told.push_back(
        {.listen = listen.id, .message = rpc::notification(method, SharedText(std::move(own)))});
  }
  return told;
}

}  // namespace pi_mcp::mcp

#include "tool/resources.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "base/text.h"
#include "json/writer.h"
#include "mcp/forwarded_request.h"
#include "mcp/items.h"
#include "mcp/methods.h"
#include "mcp/server/listens.h"
#include "tool/consent/approval_gate.h"
#include "tool/forward.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

constexpr std::size_t page_items = 500;
constexpr std::size_t watched_max = 1000;     // of one session
constexpr std::size_t shown_units_max = 128;  // of a uri that nobody has

struct Listed {
  const std::string* server = nullptr;
  const mcp::Resource* resource = nullptr;
};
using ListOf = const std::vector<mcp::Resource>& (catalog::Catalog::*)(std::string_view) const;

std::vector<Listed> listed(const registry::ServerRegistry& registry,
                           const std::vector<std::string>& servers,
                           ListOf list) {
  std::vector<Listed> all;
  for (const std::string& server : servers) {
    for (const mcp::Resource& resource : (registry.catalog().*list)(server)) {
      if (!is_own_uri(resource.uri)) {
        all.push_back({.server = &server, .resource = &resource});
      }
    }
  }
  return all;
}

// The members with the owner in _meta.
SharedText with_owner(const SharedText& others, const std::string& server) {
  const auto document = json::Document::parse("{" + std::string(others.view()) + "}");
  const json::Value root = document ? document->root() : json::Value();
  json::Writer out;
  for (const json::Member member : root.members()) {
    if (!member.key.equals("_meta")) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  out.key("_meta").begin_object();
  for (const json::Member member : root.find("_meta").members()) {
    out.member_raw(member.name(), member.value.raw());
  }
  return SharedText(out.member(mcp::asking_server_key, server).end_object().take());
}

mcp::Resource shown(const Listed& item, bool has_namesake) {
  mcp::Resource resource = *item.resource;
  if (has_namesake) {
    const std::string& name = resource.title.empty() ? resource.name : resource.title;
    resource.title = name + " (" + *item.server + ")";
  }
  resource.others = with_owner(resource.others, *item.server);
  return resource;
}

// Where the page begins; nullopt: that is none of our cursors.
std::optional<std::size_t> page_begin(const rpc::Message& request) {
  const json::Value cursor = cursor_of(request);
  if (!cursor) {
    return 0;
  }
  const std::string text = cursor.string_or("");
  std::size_t begin = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), begin);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(begin)
                                                                  : std::nullopt;
}

// Writes one page of an open array, and what follows it.
void write_page(json::Writer& out,
                const std::vector<Listed>& all,
                std::size_t begin,
                void (*write)(json::Writer& out, const mcp::Resource& resource)) {
  std::map<std::string_view, std::size_t> uses;
  for (const Listed& item : all) {
    ++uses[item.resource->uri];
  }
  const std::size_t end = std::min(begin + page_items, all.size());
  for (std::size_t i = begin; i < end; ++i) {
    write(out, shown(all[i], uses[all[i].resource->uri] > 1));
  }
  out.end_array();
  if (end < all.size()) {
    out.member("nextCursor", std::to_string(end));
  }
  out.end_object();
}

std::string uri_of(const rpc::Message& request) {
  return request.params().find("uri").string_or("");
}

// `has_not_found`: see mcp::RevisionTraits.
rpc::Outgoing unknown_resource(const rpc::Message& request, bool has_not_found = true) {
  const std::string uri = text::cut(uri_of(request), shown_units_max);
  json::Writer data;
  return rpc::failure(
      request.id(),
      has_not_found ? rpc::error_code::resource_not_found : rpc::error_code::invalid_params,
      "no server is known to have the resource " + json::quoted(uri) +
          "; resources/list has them all",
      data.begin_object().member("uri", uri).end_object().text());
}

bool is_not_found(const rpc::Message& answer) {
  return answer.error().find("code").as_int() == rpc::error_code::resource_not_found;
}

rpc::Outgoing ambiguous_resource(const rpc::Message& request,
                                 const std::vector<std::string>& servers) {
  return rpc::failure(request.id(),
                      rpc::error_code::invalid_params,
                      "the servers " + text::join(servers, ", ") + " have " +
                          json::quoted(text::cut(uri_of(request), shown_units_max)) +
                          "; params._meta[\"" + std::string(mcp::asking_server_key) +
                          "\"] says whose is meant");
}

rpc::Outgoing done(const rpc::Message& request) {
  return rpc::result(request.id(), rpc::Outgoing("{}"));
}

}  // namespace

Resources::~Resources() {
  for (const auto& [uri, watched] : watched_) {
    if (const std::shared_ptr<servers::Connection> open = watched.connection.lock()) {
      open->unwatch(uri);
    }
  }
}

rpc::Outgoing Resources::list(const rpc::Message& request) {
  const std::optional<std::size_t> begin = page_begin(request);
  if (!begin) {
    return foreign_cursor(request);
  }
  const bool templates = request.method() == mcp::method::resources_templates_list;
  const std::vector<std::string> servers = registry_.enabled_servers();
  json::Writer out;
  out.begin_object().key(templates ? "resourceTemplates" : "resources").begin_array();
  if (own_ != nullptr && *begin == 0 && !templates) {
    OwnResources::write_list(out);
  }
  write_page(out,
             listed(registry_,
                    servers,
                    templates ? &catalog::Catalog::templates : &catalog::Catalog::resources),
             *begin,
             templates ? mcp::write_template : mcp::write_resource);
  told_ = fingerprint();
  noticed_ = false;
  return rpc::result(request.id(), rpc::Outgoing(out.take()));
}

// Never 0.
std::uint64_t Resources::fingerprint() const {
  json::Writer out;
  out.begin_array();
  for (const std::string& server : registry_.enabled_servers()) {
    out.string(server);
    for (const ListOf list : {&catalog::Catalog::resources, &catalog::Catalog::templates}) {
      for (const mcp::Resource& resource : (registry_.catalog().*list)(server)) {
        mcp::write_resource(out, resource);
      }
    }
  }
  return std::hash<std::string_view>{}(out.text()) | 1U;
}

bool Resources::needs_notice() {
  if (told_ == 0 || noticed_) {
    return false;
  }
  noticed_ = fingerprint() != told_;
  return noticed_;
}

Resources::Owner Resources::owner(const rpc::Message& request, bool has_not_found) const {
  const std::string uri = uri_of(request);
  if (!only_.empty()) {
    return registry_.catalog().hides_resource(only_, uri)
               ? Owner(tl::unexpected(unknown_resource(request, has_not_found)))
               : Owner(only_);
  }
  std::string named = request.params().at({"_meta", mcp::asking_server_key}).string_or("");
  if (!named.empty() && registry_.is_enabled(named) &&
      !registry_.catalog().hides_resource(named, uri)) {
    return named;
  }
  const std::vector<std::string> servers = owners_.of(uri);
  if (servers.empty()) {
    return tl::unexpected(unknown_resource(request, has_not_found));
  }
  return servers.size() == 1 ? Owner(servers.front())
                             : tl::unexpected(ambiguous_resource(request, servers));
}

io::Task<rpc::Outgoing> Resources::read(const rpc::Message* request, CallContext context) {
  if (std::optional<rpc::Outgoing> wrong = lacks_text(*request, "uri")) {
    co_return *std::move(wrong);
  }
  if (own_ != nullptr) {
    if (const std::optional<std::string> ours = own_->read(uri_of(*request))) {
      co_return rpc::result(request->id(), rpc::Outgoing(*ours));
    }
  }
  const bool has_not_found = mcp::traits(context.revision).has_not_found;
  const Owner server = owner(*request, has_not_found);
  if (!server) {
    co_return server.error();
  }
  const Target target = resource_target(registry_, *server, uri_of(*request));
  if (gate_.must_ask_for(target)) {
    const auto refused = co_await gate_.ask(target, "{}", "", context);
    if (!refused || !refused->code.empty()) {
      co_return rpc::failure(request->id(),
                             rpc::error_code::internal_error,
                             refused ? refused->text : refused.error().message());
    }
  }
  const Result<rpc::Message> answer = co_await ask_server(
      &registry_,
      {.server = *server, .method = mcp::method::resources_read, .params = params_of(*request)},
      std::move(context));
  if (answer) {
    owners_.note(*server, answer->result());
  }
  if (answer && !has_not_found && is_not_found(*answer)) {
    co_return rpc::failure(request->id(), invalid_uri(answer->error()));
  }
  co_return reply_of(registry_, *request, *server, answer);
}

// Watching.

io::Task<rpc::Outgoing> Resources::subscribe(const rpc::Message* request, CallContext context) {
  if (std::optional<rpc::Outgoing> wrong = lacks_text(*request, "uri")) {
    co_return *std::move(wrong);
  }
  const std::string uri = uri_of(*request);
  if (own_ != nullptr && own_->subscribe(uri)) {
    co_return done(*request);
  }
  if (std::optional<rpc::Outgoing> refused = co_await watch(request, std::move(context))) {
    co_return *std::move(refused);
  }
  if (const auto found = watched_.find(uri); found != watched_.end()) {
    found->second.is_subscribed = true;
  }
  co_return done(*request);
}

io::Task<bool> Resources::listen(std::string uri, CallContext context) {
  if (own_ != nullptr && own_->subscribe(uri)) {
    co_return true;
  }
  json::Writer params;
  params.begin_object().member("uri", uri).end_object();
  const Result<rpc::Message> request = rpc::Message::parse(
      rpc::request(
          rpc::Id(0), mcp::method::resources_subscribe, SharedText(std::string(params.text())))
          .flat());
  if (!request || co_await watch(&*request, std::move(context))) {
    co_return false;
  }
  const auto found = watched_.find(uri);
  if (found == watched_.end()) {
    co_return false;
  }
  ++found->second.listening;
  co_return true;
}

io::Task<std::optional<rpc::Outgoing>> Resources::watch(const rpc::Message* request,
                                                        CallContext context) {
  if (watched_.contains(uri_of(*request))) {
    co_return std::nullopt;
  }
  const Owner server = owner(*request);
  if (!server) {
    co_return server.error();
  }
  if (watched_.size() >= watched_max) {
    co_return rpc::failure(request->id(),
                           rpc::error_code::invalid_params,
                           "a session watches " + std::to_string(watched_max) +
                               " resources at most; resources/unsubscribe makes room");
  }
  co_return co_await watch_at(request, *server, std::move(context));
}

io::Task<std::optional<rpc::Outgoing>> Resources::watch_at(const rpc::Message* request,
                                                           std::string server,
                                                           CallContext context) {
  const std::string uri = uri_of(*request);
  const Result<std::shared_ptr<servers::Connection>> open =
      co_await open_server(&registry_, server, context);
  if (!open) {
    co_return reply_of(registry_, *request, server, fail(open.error()));
  }
  const mcp::Watching watching = (*open)->watch(uri, false);
  if (watching == mcp::Watching::refused) {
    co_return rpc::failure(request->id(),
                           rpc::error_code::invalid_params,
                           server + " does not tell when its resources change");
  }
  if (watching == mcp::Watching::to_ask) {
    const Result<rpc::Message> answer =
        co_await ask_server(&registry_,
                            {.server = server,
                             .method = mcp::method::resources_subscribe,
                             .params = request->share(request->params())},
                            std::move(context));
    if (!answer || answer->kind() == rpc::Message::Kind::failure) {
      (*open)->unwatch(uri);
      co_return reply_of(registry_, *request, server, answer);
    }
  }
  const bool is_first =
      watched_.try_emplace(uri, Watched{.server = server, .connection = *open}).second;
  if (!is_first) {
    (*open)->unwatch(uri);  // the host asked twice at once
  }
  co_return std::nullopt;
}

rpc::Outgoing Resources::unsubscribe(const rpc::Message& request) {
  if (std::optional<rpc::Outgoing> wrong = lacks_text(request, "uri")) {
    return *std::move(wrong);
  }
  const std::string uri = uri_of(request);
  const bool is_ours = own_ != nullptr && own_->unsubscribe(uri);
  const auto found = watched_.find(uri);
  if (found == watched_.end()) {
    const bool is_known = is_ours || !only_.empty() || !owners_.of(uri).empty();
    return is_known ? done(request) : unknown_resource(request);
  }
  found->second.is_subscribed = false;
  drop_unwatched(uri);
  return done(request);
}

void Resources::stop_listening(const std::string& uri) {
  if (own_ != nullptr) {
    own_->unsubscribe(uri);
  }
  if (const auto found = watched_.find(uri); found != watched_.end()) {
    found->second.listening -= found->second.listening > 0 ? 1 : 0;
    drop_unwatched(uri);
  }
}

void Resources::drop_unwatched(const std::string& uri) {
  const auto found = watched_.find(uri);
  if (found->second.is_subscribed || found->second.listening > 0) {
    return;
  }
  if (const std::shared_ptr<servers::Connection> open = found->second.connection.lock()) {
    open->unwatch(uri);
  }
  watched_.erase(found);
  updated_.erase(uri);
}

void Resources::renew() {
  for (auto& [uri, watched] : watched_) {
    const std::shared_ptr<servers::Connection> open = registry_.connected(watched.server);
    const std::shared_ptr<servers::Connection> before = watched.connection.lock();
    if (open && open != before && open->watch(uri, true) != mcp::Watching::refused) {
      if (before) {
        before->unwatch(uri);  // which other sessions may still use
      }
      watched.connection = open;
      updated_.insert(uri);  // nobody told what happened meanwhile
    }
  }
}

// A server may name a part of what is watched (server/resources, "Subscriptions").
bool Resources::note_update(std::string_view server, std::string_view uri) {
  const bool is_watched = std::ranges::any_of(watched_, [&](const auto& each) {
    const auto& [watched, by] = each;
    return by.server == server && mcp::is_resource_or_part(uri, watched);
  });
  if (!is_watched || updated_.size() >= watched_max) {
    return false;
  }
  updated_.emplace(uri);
  return true;
}

std::vector<std::string> Resources::take_updated() {
  const auto updated = std::exchange(updated_, {});
  return {updated.begin(), updated.end()};
}

}  // namespace pi_mcp::tool

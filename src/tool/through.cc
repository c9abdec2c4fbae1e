#include "tool/through.h"

#include "base/text.h"
#include "config/server.h"
#include "json/writer.h"
#include "mcp/discovery.h"
#include "mcp/forwarded_request.h"
#include "mcp/methods.h"
#include "mcp/requests.h"
#include "mcp/server/envelope.h"
#include "mcp/server/input_rounds.h"
#include "tool/failures.h"
#include "tool/forward.h"
#include "tool/text.h"
#include "tool/url_elicitation.h"

namespace pi_mcp::tool {
namespace {

namespace method = mcp::method;

// Of a name that is not there, in our answer.
constexpr std::size_t shown_units_max = 128;

bool has_no_handshake(const std::shared_ptr<servers::Connection>& connection) {
  return !mcp::traits(connection->server().revision).has_handshake;
}

// Their results say for how long they are good.
bool is_cached(std::string_view method) {
  return method == method::tools_list || method == method::prompts_list ||
         method == method::resources_list || method == method::resources_templates_list ||
         method == method::resources_read;
}

// We know what it may reach.
bool is_known(std::string_view method) {
  return is_cached(method) || method == method::tools_call || method == method::prompts_get ||
         method == method::completion_complete || method.starts_with("tasks/");
}

// The level from which on the host wants log messages of this request, as a member of _meta.
std::string log_level_of(const rpc::Message& request) {
  const json::Value level = request.params().at({"_meta", mcp::meta_key::log_level});
  return level ? json::quoted(mcp::meta_key::log_level) + ":" + std::string(level.raw()) : "";
}

// The items of a list that `is_shown`, with the members around them. It is no list for everybody.
template <class IsShown>
SharedText filtered(json::Value result, std::string_view list, const IsShown& is_shown) {
  json::Writer out;
  out.begin_object();
  for (const json::Member member : result.members()) {
    if (!member.key.equals(list)) {
      const bool is_scope = member.key.equals("cacheScope");
      out.member_raw(member.name(), is_scope ? R"("private")" : member.value.raw());
      continue;
    }
    out.key(list).begin_array();
    for (const json::Value item : member.value.elements()) {
      if (is_shown(item)) {
        out.raw(item.raw());
      }
    }
    out.end_array();
  }
  return SharedText(out.end_object().take());
}

}  // namespace

// The server.

// Why it is not there for anybody, for people; empty: it is.
std::string Through::hindrance() const {
  const config::Server* const entry = registry_.find(options_.server);
  if (entry == nullptr || !entry->disabled) {
    return {};
  }
  if (entry->standing == config::Standing::needs_trust) {
    return "a file of this project brings it, which is not trusted; to trust it, run: pi-mcp "
           "trust " +
           entry->name;
  }
  return entry->hidden ? config::hidden_by(*entry)
                       : "it is disabled; to enable it, run: pi-mcp enable " + entry->name;
}

io::Task<Through::Opened> Through::open(servers::Use use) {
  if (const std::string why = hindrance(); !why.empty()) {
    co_return fail(ErrorCode::unavailable, why);
  }
  if (std::shared_ptr<servers::Connection> open = registry_.connected(options_.server)) {
    co_return open;
  }
  co_return co_await registry_.open(options_.server, use);
}

bool Through::leaves_nothing(std::string_view method) {
  return method.empty() || method.starts_with("notifications/") || method == method::initialize ||
         method == method::ping || (is_known(method) && !method.starts_with("tasks/"));
}

bool Through::is_interchangeable() const {
  const auto is_shared = [this](const registry::RegistryEntry& entry) {
    return entry.name() == options_.server && entry.shares_with_all();
  };
  return !registry_.statuses(is_shared).empty();
}

io::Task<void> Through::hold() {
  (void)co_await open(servers::Use::background);
}

rpc::Outgoing Through::unreachable(const rpc::Message& request, const Error& error) const {
  return rpc::failure(
      request.id(),
      rpc::error_code::internal_error,
      "server " + quoted(options_.server) + ": " +
          (told(error) + login_step(registry_, options_.server, error)).said_to(Reader::shell));
}

io::Task<rpc::Outgoing> Through::introduce(const rpc::Message* request, CallContext context) {
  const Opened opened = co_await open(servers::Use::on_demand);
  if (!opened) {
    co_return unreachable(*request, opened.error());
  }
  const mcp::ServerDescription& server = (*opened)->server();
  co_return rpc::result(request->id(),
                        rpc::Outgoing(request->method() == method::initialize
                                          ? mcp::introduction_of(server, context.revision)
                                          : mcp::discovery_of(server)));
}

mcp::DeclaredCapabilities Through::declared() const {
  const std::shared_ptr<servers::Connection> open = registry_.connected(options_.server);
  if (!open) {
    return {};
  }
  const mcp::ServerCapabilities& has = open->server().capabilities;
  return {.logging = has.logging,
          .prompts = has.prompts,
          .completions = has.completions,
          .resources = has.resources,
          .tools = has.tools};
}

registry::Changes Through::take_restart() {
  const std::shared_ptr<servers::Connection> open = registry_.connected(options_.server);
  if (!open || open == seen_.lock()) {
    return {};
  }
  seen_ = open;
  if (!std::exchange(has_run_, true)) {
    return {};
  }
  const mcp::ServerCapabilities& has = open->server().capabilities;
  return {.tools = has.tools, .prompts = has.prompts, .resources = has.resources};
}

// What is not shown.

bool Through::hides_tool(const std::string& name) const {
  return (options_.tools && !options_.tools->contains(name)) ||
         catalog::hides_tool(options_.server, registry_.catalog().view(options_.server), name);
}

// Where only some things are for this host, methods that may reach others are not.
bool Through::hides_method(std::string_view method) const {
  const bool is_narrow = options_.tools || !registry_.catalog().view(options_.server).only.empty();
  return is_narrow && !is_known(method);
}

// What a request names that is hidden, in words; empty: nothing.
std::string Through::hidden(const rpc::Message& request) const {
  const catalog::Catalog& catalog = registry_.catalog();
  const std::string& server = options_.server;
  const bool hides_templates = !catalog.view(server).only.empty();
  const json::Value params = request.params();
  const json::Value of =
      request.method() == method::completion_complete ? params.find("ref") : params;
  const std::string name = of.find("name").string_or("");
  const std::string uri = of.find("uri").string_or("");
  const auto if_hidden = [](bool is_hidden, std::string_view kind, const std::string& what) {
    return is_hidden ? std::string(kind) + " " + json::quoted(text::cut(what, shown_units_max))
                     : std::string();
  };
  if (request.method() == method::tools_call) {
    return if_hidden(hides_tool(name), "tool", name);
  }
  if (request.method() == method::resources_read) {
    return if_hidden(catalog.hides_resource(server, uri), "resource", uri);
  }
  if (request.method() == method::prompts_get || of.find("type").equals("ref/prompt")) {
    return if_hidden(catalog::hides_prompt(catalog.view(server), name), "prompt", name);
  }
  const bool is_template = request.method() == method::completion_complete;
  return if_hidden(is_template && hides_templates, "template", uri);
}

SharedText Through::shown(std::string_view method, const rpc::Message& answer) const {
  const catalog::Catalog& catalog = registry_.catalog();
  const std::string& server = options_.server;
  const catalog::ServerView& view = catalog.view(server);
  const json::Value result = answer.result();
  if (!options_.tools && view.shows_all()) {
    return answer.share(result);
  }
  if (method == method::tools_list) {
    return filtered(result, "tools", [this](json::Value tool) {
      return !hides_tool(tool.find("name").string_or(""));
    });
  }
  if (method == method::prompts_list) {
    return filtered(result, "prompts", [&](json::Value prompt) {
      return !catalog::hides_prompt(view, prompt.find("name").string_or(""));
    });
  }
  if (method == method::resources_list) {
    return filtered(result, "resources", [&](json::Value resource) {
      return !catalog.hides_resource(server, resource.find("uri").string_or(""));
    });
  }
  if (method == method::resources_templates_list) {
    return filtered(
        result, "resourceTemplates", [&](json::Value /*item*/) { return view.only.empty(); });
  }
  return answer.share(result);
}

// What goes to it.

// The capabilities of a host of a revision without a handshake, as far as the user lets servers use
// them.
std::string Through::declared_by(const rpc::Message& request) const {
  const config::Settings& settings = registry_.settings();
  json::Writer out;
  out.begin_object();
  for (const json::Member member :
       request.params().at({"_meta", mcp::meta_key::client_capabilities}).members()) {
    if ((settings.elicitation || !member.key.equals("elicitation")) &&
        (settings.sampling || !member.key.equals("sampling"))) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  return out.end_object().take();
}

// Sent again only once, and only when no server can have seen it.
io::Task<Result<rpc::Message>> Through::ask(const rpc::Message* request, CallContext context) {
  const bool is_stateless = mcp::has_envelope(request->params());
  for (bool again = false;; again = true) {
    const Opened opened = co_await open(servers::Use::implicit);
    if (!opened) {
      co_return fail(opened.error());
    }
    const std::shared_ptr<servers::Connection>& connection = *opened;
    const bool is_whole = is_stateless && has_no_handshake(connection);
    if (is_stateless && !is_whole && request->params().find("requestState")) {
      co_return rpc::Message::parse(
          rpc::failure(request->id(), rpc::error_code::invalid_params, mcp::unknown_state).flat());
    }
    servers::CallOptions options =
        context.options(registry_.deadlines(options_.server), &registry_);
    if (is_whole) {
      options.declared = declared_by(*request);
      options.meta = log_level_of(*request);
    } else if (!is_stateless) {
      options.meta.clear();  // it is in the params
    }
    SharedText params = is_whole ? request->share(request->params()) : params_of(*request);
    Result<rpc::Message> answer =
        co_await connection->call(request->method(), std::move(params), std::move(options));
    if (answer || again || answer.error().code() != ErrorCode::io) {
      co_return answer;
    }
  }
}

io::Task<rpc::Outgoing> Through::forward(const rpc::Message* request, CallContext context) {
  const Opened opened = co_await open(servers::Use::implicit);  // what it lists is known then
  if (!opened) {
    co_return unreachable(*request, opened.error());
  }
  if (hides_method(request->method())) {
    co_return rpc::failure(request->id(),
                           rpc::error_code::method_not_found,
                           "method not found: " + text::cut(request->method(), shown_units_max));
  }
  if (const std::string what = hidden(*request); !what.empty()) {
    // As for one that no server has ever had.
    co_return rpc::failure(request->id(), rpc::error_code::invalid_params, "unknown " + what);
  }
  Result<rpc::Message> answer = co_await ask(request, context);
  co_return co_await finish(request, std::move(answer), std::move(context));
}

io::Task<rpc::Outgoing> Through::finish(const rpc::Message* request,
                                        Result<rpc::Message> answer,
                                        CallContext context) {
  const mcp::Revision revision = context.revision;
  if (answer && wants_pages(*answer) && !mcp::traits(revision).has_handshake) {
    if (co_await show_pages_of(&*answer, context)) {
      answer = co_await ask(request, std::move(context));
    }
  }
  co_return reply(*request, std::move(answer), revision);
}

// One that waits without a task.
class Through::Running final : public QuickForward {
 public:
  Running(Through& through, Ended ended) : through_(through), ended_(std::move(ended)) {}

  // False: it needs a task; nothing was done.
  bool begin(servers::Connection& connection, rpc::Message& request, CallContext& context) {
    servers::CallOptions options =
        context.options(through_.registry_.deadlines(through_.server()), &through_.registry_);
    if (!mcp::has_envelope(request.params())) {
      options.meta.clear();  // it is in the params
    }
    if (options.on_progress || !options.meta.empty()) {
      return false;
    }
    rpc::Outgoing params;
    params.add(params_of(request));
    call_ = connection.begin_call(
        request.method(), params, std::move(options), [this](Result<rpc::Message>&& answer) {
          take(std::move(answer));
        });
    if (call_) {
      request_ = std::move(request);
      context_ = std::move(context);
    }
    return call_ != nullptr;
  }

  io::Task<rpc::Outgoing> finish() override {
    if (!*answer_) {
      answer_ = co_await through_.ask(&*request_, context_);
    }
    co_return co_await through_.finish(&*request_, *std::move(answer_), context_);
  }

 private:
  // Sent again only when no server can have seen it.
  void take(Result<rpc::Message>&& answer) {
    const bool is_unsent = !answer && answer.error().code() == ErrorCode::io;
    const bool has_pages =
        answer && wants_pages(*answer) && !mcp::traits(context_.revision).has_handshake;
    const Ended ended = std::move(ended_);
    if (is_unsent || has_pages) {
      answer_ = std::move(answer);
      ended(std::nullopt);
    } else {
      ended(through_.reply(*request_, std::move(answer), context_.revision));
    }
  }

  Through& through_;
  Ended ended_;
  std::optional<rpc::Message> request_;
  CallContext context_;
  std::optional<Result<rpc::Message>> answer_;  // that asks for more
  std::unique_ptr<servers::OpenCall> call_;     // destroyed first
};

std::unique_ptr<QuickForward> Through::begin_forward(rpc::Message& request,
                                                     CallContext& context,
                                                     QuickForward::Ended ended) {
  const std::shared_ptr<servers::Connection> connection = registry_.connected(server());
  if (!connection || !request.params() || request.params().find("requestState") ||
      !hindrance().empty() || hides_method(request.method()) || !hidden(request).empty()) {
    return nullptr;
  }
  auto running = std::make_unique<Running>(*this, std::move(ended));
  return running->begin(*connection, request, context) ? std::move(running) : nullptr;
}

// The error that asks for pages (-32042) is unknown to hosts of a revision without a handshake, so
// its pages are questions to them. True: the user has agreed to all, and the server may be asked
// once more.
io::Task<bool> Through::show_pages_of(const rpc::Message* answer, CallContext context) {
  const std::vector<UrlElicitation> pages = url_elicitations(*answer);
  const std::shared_ptr<servers::Connection> connection = registry_.connected(options_.server);
  if (pages.empty() || !connection || !context.host || !registry_.settings().elicitation ||
      !can_show(context.host->features(), pages) || !co_await check_pages(connection, pages)) {
    co_return false;
  }
  const Result<PagesAnswer> said = co_await show_pages(context.host, options_.server, pages);
  co_return said && *said == PagesAnswer::agreed;
}

// What comes back: for the revision of the host, and otherwise as it came.
rpc::Outgoing Through::reply(const rpc::Message& request,
                             Result<rpc::Message> answer,
                             mcp::Revision revision) const {
  if (!answer) {
    return unreachable(request, answer.error());
  }
  const mcp::RevisionTraits& host = mcp::traits(revision);
  if (wants_pages(*answer) && !host.has_handshake) {
    return rpc::failure(request.id(),
                        rpc::error_code::internal_error,
                        answer->error().find("message").string_or("the server wants a page open") +
                            "\nThe user has to open these pages first; then ask again:" +
                            page_lines(url_elicitations(*answer)));
  }
  if (answer->kind() == rpc::Message::Kind::failure) {
    const std::int64_t code = answer->error().find("code").as_int().value_or(0);
    const bool is_invalid = code == rpc::error_code::resource_not_found && !host.has_not_found;
    rpc::Outgoing failure = is_invalid ? rpc::failure(request.id(), invalid_uri(answer->error()))
                                       : mcp::forwarded_answer(request.id(), *answer);
    failure.note_failure(is_invalid ? rpc::error_code::invalid_params : code);  // for HTTP
    return failure;
  }
  const bool says_what_it_is = answer->result().find("resultType").exists();
  rpc::Outgoing result;
  result.add(shown(request.method(), *answer));
  rpc::Outgoing reply = rpc::result(request.id(), result);
  if (!host.has_handshake && !says_what_it_is) {
    std::string members = R"("resultType":"complete")";
    if (is_cached(request.method())) {
      members.append(",").append(mcp::list_caching);
    }
    reply.add_to_result(members);
  }
  return reply;
}

}  // namespace pi_mcp::tool

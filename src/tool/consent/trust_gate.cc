#include "tool/consent/trust_gate.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "mcp/client_session.h"
#include "mcp/methods.h"
#include "tool/consent/trust_view.h"
#include "tool/consent/user_question.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

bool has_no_trust(const config::Settings& settings, std::string_view server) {
  const config::Server* found = settings.find(server);
  return found != nullptr && found->standing == config::Standing::needs_trust;
}

const config::TrustRequest* request_of(const registry::ServerRegistry& registry,
                                       std::string_view server) {
  const std::vector<config::TrustRequest>& all = registry.settings().trust_requests;
  const auto found = std::ranges::find(all, server, &config::TrustRequest::server);
  return found == all.end() ? nullptr : &*found;
}

// What one question is about: nobody allows what was not shown. The rest is asked about when it is
// needed.
std::vector<config::TrustRequest> shown_at_once(std::vector<config::TrustRequest> requests,
                                                const std::string& server) {
  const auto own = std::ranges::find(requests, server, &config::TrustRequest::server);
  if (own != requests.end()) {
    std::rotate(requests.begin(), own, std::next(own));
  }
  requests.resize(std::min(requests.size(), asked_items_max));
  return requests;
}

Answer refusal(const ToolRequest& request, const std::string& server, Message text) {
  return Reply(request.mode, Failure::unauthorized, "needs_trust", std::move(text))
      .with("server", server)
      .take();
}

}  // namespace

std::string server_without_trust(const registry::ServerRegistry& registry,
                                 const ToolRequest& request) {
  const Subject subject = row_of(request.mode).subject;
  const std::string& named = subject == Subject::server ? request.subject : request.server;
  if (!named.empty() && has_no_trust(registry.settings(), named)) {
    return named;
  }
  const std::string tool = subject == Subject::tool ? request.subject : std::string();
  const bool known = tool.empty() || !request.server.empty() ||
                     registry.catalog().find(tool, "", registry.enabled_filter()).kind !=
                         catalog::Lookup::Kind::none;
  if (known) {
    return {};
  }
  const std::vector<std::string> homes = registry.catalog().servers_by_prefix(tool);
  const auto home = std::ranges::find_if(homes, [&registry](const std::string& name) {
    return has_no_trust(registry.settings(), name);
  });
  return home == homes.end() ? std::string() : *home;
}

std::vector<config::TrustRequest> trust_needed(const registry::ServerRegistry& registry,
                                               const std::string& server) {
  const config::TrustRequest* own = request_of(registry, server);
  std::vector<config::TrustRequest> needed;
  for (const config::TrustRequest& request : registry.settings().trust_requests) {
    if (own != nullptr && request.folder == own->folder) {
      needed.push_back(request);
    }
  }
  return needed;
}

TrustStep TrustGate::step() const {
  return registry_.can_ask() && access_.trust ? TrustStep::connect : TrustStep::tell;
}

io::Task<bool> TrustGate::wait_for_answer() {
  const std::shared_ptr<io::Condition> other = asking_;
  while (asking_ == other) {
    // Bounded by the time that a person has (person_answers_max).
    if (co_await other->wait() == io::Wake::cancelled) {
      co_return false;
    }
  }
  co_return true;
}

io::Task<Result<TrustGate::Decision>> TrustGate::ask(std::vector<config::TrustRequest> requests,
                                                     CallContext context) {
  asking_ = std::make_shared<io::Condition>(co_await boost::asio::this_coro::executor);
  context.phase("waiting for the user to look at the project's servers");
  const Result<rpc::Message> answer =
      co_await context.host->ask(std::string(mcp::method::elicitation_create),
                                 SharedText(trust_question(trust_view(requests))));
  const std::shared_ptr<io::Condition> own = std::exchange(asking_, nullptr);
  own->notify_all();
  if (!answer) {
    co_return fail(answer.error());
  }
  if (answer->kind() == rpc::Message::Kind::failure) {
    co_return fail(ErrorCode::unavailable, mcp::error_text(answer->error()));
  }
  const json::Value decision = answer->result().at({"content", "decision"});
  const bool accepted = answer->result().find("action").equals("accept");
  co_return accepted&& decision.equals("trust") ? Decision::trust
  : accepted&& decision.equals("once")          ? Decision::once
                                                : Decision::no;
}

// No file of the folder wants anything of ours; programs of the user may still read some.
io::Task<Result<TrustGate::Decision>> TrustGate::ask_about_files(CallContext context) {
  const Result<std::string> answer = co_await ask_choice(
      std::move(context),
      "Trust the folder " + one_line(registry_.settings().folder) +
          "? Programs that your own servers start may then read its files.",
      {{.value = "no", .title = "No"}, {.value = "trust", .title = "Trust it"}});
  if (!answer) {
    co_return fail(answer.error());
  }
  co_return *answer == "trust" ? Decision::trust : Decision::no;
}

io::Task<Answer> TrustGate::ask_about_folder(CallContext context) {
  const config::Settings& settings = registry_.settings();
  const auto said = [](Message text) {
    return Reply(std::nullopt, std::move(text)).take();
  };
  const auto refused = [](std::string text) {
    return Reply(std::nullopt, Failure::unauthorized, "needs_trust", std::move(text)).take();
  };
  if (!can_ask_user(context) || !access_.trust) {
    co_return refused("Nobody can be asked here.");
  }
  if (settings.trust_requests.empty() && settings.folder_trusted) {
    co_return said("This folder is trusted already, and nothing in it asks for more.");
  }
  while (asking_) {
    if (!co_await wait_for_answer()) {
      co_return refused("That was cancelled.");
    }
  }
  std::vector<config::TrustRequest> requests = settings.trust_requests;
  std::string folder = settings.folder;
  if (!requests.empty()) {  // nearest files first, those of one folder at a time
    folder = requests.front().folder;
    std::erase_if(requests, [&folder](const auto& request) { return request.folder != folder; });
    requests.resize(std::min(requests.size(), asked_items_max));
  }
  const Result<Decision> decision = requests.empty() ? co_await ask_about_files(std::move(context))
                                                     : co_await ask(requests, std::move(context));
  if (!decision) {
    co_return refused("There was no answer: " + decision.error().message());
  }
  if (*decision == Decision::no) {
    co_return said("Nothing was changed.");
  }
  refused_.erase(folder);
  const TrustTerm term = *decision == Decision::trust ? TrustTerm::always : TrustTerm::session;
  if (const Result<void> taken = access_.trust(term, requests); !taken) {
    co_return refused("That could not be saved: " + taken.error().message());
  }
  const std::size_t left = registry_.settings().trust_requests.size();
  co_return said("Trusted" + std::string(term == TrustTerm::session ? " for this session" : "") +
                 ": " + one_line(folder) + "." +
                 (left == 0 ? "" : " More is asked for: /mcp trust shows it."));
}

io::Task<std::optional<Answer>> TrustGate::admit(ToolRequest request, CallContext context) {
  while (asking_) {
    if (!co_await wait_for_answer()) {
      co_return refusal(request, "", "The call was cancelled.");
    }
  }
  const std::string server = server_without_trust(registry_, request);
  const config::TrustRequest* own = server.empty() ? nullptr : request_of(registry_, server);
  if (own == nullptr) {
    co_return std::nullopt;
  }
  const std::string folder = own->folder;
  const bool can_ask = context.host && context.host->features().elicitation_form && access_.trust;
  const bool asks = row_of(request.mode).asks_trust;
  if (refused_.contains(folder)) {
    co_return refusal(request,
                      server,
                      "The user does not allow the project's servers in this session, " +
                          quoted(server) + " among them. " + undo_refusal());
  }
  if (own->forbidden || !can_ask || !asks) {
    const bool was_asked = asks && !own->forbidden && step() == TrustStep::connect;
    const TrustStep next = was_asked ? TrustStep::tell : step();
    co_return refusal(request, server, trust_advice(*own, next));
  }
  const std::vector<config::TrustRequest> requests =
      shown_at_once(trust_needed(registry_, server), server);
  const Result<Decision> decision = co_await ask(requests, std::move(context));
  if (!decision) {
    co_return refusal(
        request,
        server,
        "Server " + quoted(server) +
            " needs the user's trust, and there was no answer: " + decision.error().message());
  }
  if (*decision == Decision::no) {
    refused_.insert(folder);
    co_return refusal(
        request, server, "The user did not allow the project's server " + quoted(server) + ".");
  }
  const TrustTerm term = *decision == Decision::trust ? TrustTerm::always : TrustTerm::session;
  if (const Result<void> taken = access_.trust(term, requests); !taken) {
    co_return refusal(request,
                      server,
                      "The user allowed the project's servers, but that could not be saved: " +
                          taken.error().message());
  }
  co_return std::nullopt;
}

}  // namespace pi_mcp::tool

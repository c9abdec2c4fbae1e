#include "tool/consent/approval_gate.h"

#include <map>
#include <optional>
#include <utility>

#include "config/identity.h"
#include "mcp/client_session.h"
#include "mcp/methods.h"

namespace pi_mcp::tool {
namespace {

const config::Selection& marked_tools() {
  static const config::Selection marked{.all = false, .names = {"marked"}, .by_search = false};
  return marked;
}

// Where approveTools has its value from.
bool is_word_of_project(const std::map<std::string, config::Origin>& origins) {
  const auto origin = origins.find("approveTools");
  return origin != origins.end() && origin->second.project;
}

std::string needs_text(const Target& target) {
  return "\"" + target.name + "\" needs the user's approval (approveTools), ";
}

// What the user of a host that does not ask can do.
std::string without_asking_text() {
  return " To run it here without asking, the user can set approveTools to false; with splitTool "
         "(`pi-mcp serve --split`) the host then still tells read-only tools from the others.";
}

ApprovalGate::Refusal refusal_of(ApprovalAnswer answer, const Target& target) {
  switch (answer) {
    case ApprovalAnswer::no:
      return {.code = "approval_denied", .text = "The user did not allow \"" + target.name + "\"."};
    case ApprovalAnswer::declined:
      return {.code = "approval_denied",
              .text = needs_text(target) +
                      "and it was declined, by the user or by a host that does not ask." +
                      without_asking_text()};
    case ApprovalAnswer::once:
    case ApprovalAnswer::session:
    case ApprovalAnswer::always_tool:
    case ApprovalAnswer::always_server:
      break;
  }
  return {};
}

}  // namespace

// The user's value for a server replaces that for all servers, and that the default; a project's
// value only adds to what it would replace.
bool ApprovalGate::is_asked_for(const ToolNames& names, const ToolHints& hints) const {
  const auto asks = [&](const config::Selection& selection) {
    return needs_approval(selection, names.original, names.shown, hints);
  };
  const config::Server* server = registry_.find(names.server);
  if (server != nullptr && server->approve_tools) {
    if (asks(*server->approve_tools)) {
      return true;
    }
    if (!is_word_of_project(server->origins)) {
      return false;
    }
  }
  const config::Settings& settings = registry_.settings();
  if (settings.approve_tools) {
    if (asks(*settings.approve_tools)) {
      return true;
    }
    if (!is_word_of_project(settings.origins)) {
      return false;
    }
  }
  return can_ask_ && asks(marked_tools());
}

const ToolHints& ApprovalGate::hints(const Target& target) {
  return target.is_resource() ? resource_hints : memo_.hints(target.annotations);
}

bool ApprovalGate::reads_only(const Target& target) {
  return hints(target).reads_only;
}

bool ApprovalGate::must_ask_for(const Target& target) {
  if (!is_asked_for({.server = target.server, .original = target.tool, .shown = target.name},
                    hints(target))) {
    return false;
  }
  const std::string server = identity(target.server);
  const std::string one = tool_digest(target, server);
  const std::string all = server_digest(target.server, server);
  return !approvals_.has(one) && !approvals_.has(all) && !stored_.has(one) && !stored_.has(all);
}

ToolMarks ApprovalGate::marks(const catalog::CatalogTool& tool) const {
  const ToolHints hints = hints_of(tool);
  return {.needs_approval = is_asked_for(
              {.server = tool.server, .original = tool.original, .shown = tool.name}, hints),
          .reads_only = registry_.settings().split_tool && hints.reads_only,
          .is_projects = is_projects(tool.server)};
}

bool ApprovalGate::is_projects(std::string_view server) const {
  const config::Server* configured = registry_.find(server);
  return configured != nullptr && configured->standing == config::Standing::project;
}

std::string ApprovalGate::asker(const std::string& server) const {
  return server + (is_projects(server) ? " (project)" : "");
}

std::string ApprovalGate::identity(std::string_view server) const {
  const config::Server* configured = registry_.find(server);
  const Result<json::Document> entry = json::Document::parse_view(
      configured == nullptr ? std::string_view("{}") : std::string_view(configured->entry_json));
  std::string hash = config::identity_hash(entry ? entry->root() : json::Value());
  // An equal entry runs other code in another project.
  if (configured != nullptr && configured->standing == config::Standing::project) {
    hash += " " + configured->origin.path;
  }
  return hash;
}

// Approvals in the file are not remembered here, so that revoking one counts at once.
void ApprovalGate::grant(ApprovalAnswer answer, const Target& target) {
  if (answer == ApprovalAnswer::once) {
    return;
  }
  const std::string server = identity(target.server);
  config::KeptApproval approval{
      .digest = tool_digest(target, server), .server = target.server, .tool = target.tool};
  if (answer == ApprovalAnswer::always_server) {
    approval.digest = server_digest(target.server, server);
    approval.tool.clear();
  }
  const bool is_kept = answer == ApprovalAnswer::session ? stored_.store_for_session(approval)
                                                         : stored_.store(approval);
  if (!is_kept) {
    approvals_.grant(approval.digest);
  }
}

void ApprovalGate::begin_session(std::string id) {
  approvals_ = {};
  stored_.begin_session(std::move(id));
}

io::Task<Result<ApprovalGate::Refusal>> ApprovalGate::ask(Target target,
                                                          std::string arguments,
                                                          std::string origin,
                                                          CallContext context) {
  if (!origin.empty() && context.host) {
    const Result<rpc::Message> answer = co_await context.host->ask(
        std::string(mcp::method::elicitation_create),
        SharedText(
            extensions_question({.server = target.server, .tool = target.tool, .name = target.name},
                                target.is_resource() ? "resource" : origin,
                                arguments)));
    if (!answer && answer.error().code() == ErrorCode::cancelled) {
      co_return fail(answer.error());
    }
    if (!answer) {
      co_return Refusal{.code = "approval_required",
                        .text = "Whether \"" + target.name +
                                "\" may run could not be asked: " + answer.error().message()};
    }
    const ExtensionsAnswer decision = extensions_answer(answer->result());
    if (decision == ExtensionsAnswer::no) {
      co_return Refusal{.code = "approval_denied",
                        .text = "Another extension did not allow \"" + target.name + "\"."};
    }
    if (decision != ExtensionsAnswer::open) {
      grant(decision == ExtensionsAnswer::session ? ApprovalAnswer::session : ApprovalAnswer::once,
            target);
      co_return Refusal{};
    }
  }
  if (!must_ask_for(target)) {
    co_return Refusal{};
  }
  co_return co_await ask_user(std::move(target), std::move(arguments), std::move(context));
}

io::Task<Result<ApprovalGate::Refusal>> ApprovalGate::ask_user(Target target,
                                                               std::string arguments,
                                                               CallContext context) {
  if (!context.host || !context.host->features().elicitation_form) {
    co_return Refusal{
        .code = "approval_required",
        .text = needs_text(target) + "and this host cannot ask for it." + without_asking_text()};
  }
  context.phase("waiting for approval of " + target.name);
  const Result<rpc::Message> answer = co_await context.host->ask(
      std::string(mcp::method::elicitation_create),
      SharedText(approval_question(asker(target.server), target.tool, arguments)));
  if (!answer && answer.error().code() == ErrorCode::cancelled) {
    co_return fail(answer.error());
  }
  if (!answer || answer->kind() == rpc::Message::Kind::failure) {
    const std::string reason = answer ? mcp::error_text(answer->error()) : answer.error().message();
    co_return Refusal{.code = "approval_required",
                      .text = needs_text(target) + "and there was no answer: " + reason +
                              (reason.ends_with('.') ? "" : ".") + without_asking_text()};
  }
  ApprovalAnswer decision = approval_answer(answer->result());
  if (decision == ApprovalAnswer::declined && host_ == render::HostKind::pi) {
    decision = ApprovalAnswer::no;  // it declares forms only where a user sees them
  }
  Refusal refusal = refusal_of(decision, target);
  if (refusal.code.empty()) {
    grant(decision, target);
  }
  co_return refusal;
}

}  // namespace pi_mcp::tool

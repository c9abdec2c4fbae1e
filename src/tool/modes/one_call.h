// One call of a tool, or one reading of a resource: what is checked before it, what is sent, and
// the answer that becomes of it. How its server is found and started is in call.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/methods.h"
#include "mcp/unknown_tool.h"
#include "tool/answer.h"
#include "tool/consent/approval_gate.h"
#include "tool/failures.h"
#include "tool/lookup.h"
#include "tool/mode_parts.h"
#include "tool/url_elicitation.h"

namespace pi_mcp::tool {

class Call {
 public:
  // `mode` is call, or read for a resource by its uri.
  Call(const ModeParts& parts, Target&& target, Mode mode = Mode::call)
      : parts_(parts), target_(std::move(target)), mode_(mode) {}

  [[nodiscard]] const Target& target() const { return target_; }
  // Refuses what the request may not call, else checks and repairs the arguments; nullopt: they
  // fit.
  std::optional<Answer> take_request(const ToolRequest& request);
  // The fresh form of the target; its arguments are checked again when its schema has changed.
  std::optional<Answer> retarget(Target fresh, const ToolRequest& request);
  // Whether the user still has to be asked (approveTools) about the tool as it is now.
  [[nodiscard]] bool needs_approval() const {
    return !allowed_ && (!origin_.empty() || parts_.gate->must_ask_for(target_));
  }
  // Asks; nullopt: the call may run.
  io::Task<std::optional<Answer>> approve(CallContext context);
  // io: the connection was dead, and the server has seen nothing of the request. Both outlive the
  // task.
  io::Task<Result<rpc::Message>> ask(servers::Connection& connection,
                                     const CallContext& context) const;
  // Begins the call without a task, see servers::Connection.
  [[nodiscard]] std::unique_ptr<servers::OpenCall> begin(
      servers::Connection& connection,
      const CallContext& context,
      servers::Connection::Answered answered) const;
  // The server says that it has no such tool; then it has done nothing.
  [[nodiscard]] bool is_unknown(const rpc::Message& answer) const {
    return !target_.is_resource() && mcp::says_unknown_tool(answer, target_.tool);
  }
  [[nodiscard]] Answer relay(const rpc::Message& answer) const;
  // The server wants the user to open `pages`, which point into its answer, before it does more.
  [[nodiscard]] io::Task<Answer> show(std::vector<UrlElicitation> pages,
                                      std::shared_ptr<servers::Connection> connection,
                                      CallContext context) const;
  [[nodiscard]] Answer failed(const Error& error) const;

 private:
  std::optional<Answer> take_arguments(const ToolRequest& request);
  void tell_asked(const CallContext& context) const;
  [[nodiscard]] rpc::Outgoing params() const;
  [[nodiscard]] std::string_view method() const {
    return target_.is_resource() ? mcp::method::resources_read : mcp::method::tools_call;
  }
  [[nodiscard]] servers::CallOptions options(const CallContext& context) const;
  [[nodiscard]] std::string_view arguments() const {
    return arguments_.empty() ? std::string_view("{}") : arguments_.view();
  }
  // What the server says of the tool; looked up only where it matters.
  [[nodiscard]] std::string_view description() const;
  [[nodiscard]] Answer wants_pages(std::string text,
                                   const std::vector<UrlElicitation>& pages) const;
  [[nodiscard]] Answer relay_error(const rpc::Message& answer) const;
  [[nodiscard]] std::string reasonless(json::Value result) const;
  [[nodiscard]] Answer failed(Failure failure, const Message& message) const;
  [[nodiscard]] Answer failed_with_shape(Failure failure, const std::string& message) const;
  [[nodiscard]] Answer finish(Reply reply) const;

  const ModeParts& parts_;
  Target target_;
  Mode mode_;
  SharedText arguments_;    // checked and repaired; empty when none were given
  bool is_direct_ = false;  // see ToolRequest
  bool whole_ = false;      // the same
  std::string origin_;      // the same
  bool allowed_ = false;    // by the user, for target_ and arguments_
};

}  // namespace pi_mcp::tool

#include "cli/sharing/remote_session.h"

#include <utility>

#include "json/writer.h"
#include "mcp/methods.h"
#include "mcp/unknown_outcome.h"
#include "tool/definition.h"
#include "tool/modes/manage.h"
#include "tool/sharing/carried_answer.h"
#include "transport/unix_socket.h"

namespace pi_mcp::cli {
namespace {

constexpr const char* shared_name = "the shared process of pi-mcp";

std::string call_params(const tool::ToolRequest& request, std::int64_t token) {
  json::Writer out;
  out.begin_object().member("name", tool::mcp_tool_name()).key("arguments").begin_object();
  switch (request.mode) {
    case tool::Mode::connect:
      out.member("connect", request.subject);
      break;
    case tool::Mode::read:
      out.member("read", request.subject);
      break;
    case tool::Mode::describe:
      out.member("describe", request.subject);
      break;
    default:
      out.member("tool", request.subject);
      if (!request.args.empty()) {
        out.member_raw("args", request.args.view());
      }
      break;
  }
  if (!request.server.empty()) {
    out.member("server", request.server);
  }
  out.end_object().key("_meta").begin_object().member("progressToken", token).end_object();
  return out.end_object().take();
}

tool::Answer failed(const tool::ToolRequest& request, const Error& error) {
  if (error.code() == ErrorCode::cancelled) {
    return tool::Reply(request.mode, tool::Failure::cancelled, "aborted", error.message()).take();
  }
  return tool::Reply(request.mode,
                     tool::Failure::unavailable,
                     "shared_process",
                     error.message() + "; try again, or with PI_MCP_SHARED=off")
      .take();
}

// A call that was sent and will not be answered.
tool::Answer lost(const tool::ToolRequest& request) {
  return tool::Reply(request.mode,
                     tool::Failure::unavailable,
                     "shared_process",
                     std::string(shared_name) + " ended while this call was under way; " +
                         mcp::unknown_outcome)
      .take();
}

}  // namespace

RemoteSession::RemoteSession(const io::Executor& executor, ShellSession session)
    : session_(std::move(session)), tasks_(executor) {
  Result<std::unique_ptr<transport::Transport>> link = transport::open_connected_socket(
      executor, std::move(session_.socket), {.name = shared_name, .path = shared_name});
  if (link) {
    link_ = *std::move(link);
    tasks_.spawn("reading from the shared process", read(), [this](const std::string& what) {
      end({ErrorCode::unavailable, what});
    });
  }
}

bool RemoteSession::is_for(const tool::ToolRequest& request) {
  return request.mode == tool::Mode::call || request.mode == tool::Mode::describe ||
         request.mode == tool::Mode::connect || request.mode == tool::Mode::read;
}

io::Task<void> RemoteSession::read() {
  for (;;) {
    Result<rpc::Message> message = co_await link_->receive();
    if (!message) {
      end(message.error());
      co_return;
    }
    take(*std::move(message));
  }
}

void RemoteSession::take(rpc::Message message) {
  using Kind = rpc::Message::Kind;
  if (message.kind() == Kind::result || message.kind() == Kind::failure) {
    const auto found = waiting_.find(message.id().number().value_or(0));
    if (found != waiting_.end()) {
      found->second->answer.set(std::move(message));
    }
  } else if (message.method() == mcp::method::progress) {
    const tool::CallContext* const context = context_of(message.params());
    if (context != nullptr && context->on_progress) {
      context->on_progress(message.params());
    }
  } else if (message.method() == tool::phase_method) {
    if (const tool::CallContext* const context = context_of(message.params())) {
      tool::take_phase(*context, message.params());
    }
  } else if (message.kind() == Kind::request) {
    // Nothing was declared that could be asked of us.
    (void)link_->send(rpc::failure(
        message.id(), rpc::error_code::method_not_found, "a shell command answers no questions"));
  }
}

const tool::CallContext* RemoteSession::context_of(json::Value params) const {
  const auto found = waiting_.find(params.find("progressToken").as_int().value_or(0));
  return found == waiting_.end() ? nullptr : &found->second->context;
}

void RemoteSession::end(const Error& why) {
  for (const auto& [number, waiting] : waiting_) {
    waiting->answer.set(fail(ErrorCode::unavailable, why.message()));
  }
  waiting_.clear();
  link_.reset();
}

io::Task<Result<rpc::Message>> RemoteSession::ask(std::string method,
                                                  std::string params,
                                                  tool::CallContext context) {
  if (!link_) {
    co_return fail(ErrorCode::io, std::string(shared_name) + " has gone");
  }
  const std::int64_t number = ++last_;
  Waiting waiting{.answer = {}, .context = std::move(context)};
  waiting_.emplace(number, &waiting);
  Result<void> sent =
      link_->send(rpc::request(rpc::Id(number), method, SharedText(std::move(params))));
  Result<rpc::Message> answer =
      sent ? co_await waiting.answer.wait() : Result<rpc::Message>(fail(sent.error()));
  waiting_.erase(number);
  if (!answer && answer.error().code() == ErrorCode::cancelled && link_) {
    (void)link_->send(rpc::notification(
        mcp::method::cancelled, SharedText("{\"requestId\":" + std::to_string(number) + "}")));
  }
  co_return answer;
}

io::Task<Result<void>> RemoteSession::begin() {
  if (std::exchange(begun_, true)) {
    co_return Result<void>();
  }
  Result<rpc::Message> met = co_await ask(
      std::string(mcp::method::initialize),
      R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"pi-mcp shell","version":")" PI_MCP_VERSION
      R"("}})",
      {});
  if (!met) {
    co_return fail(met.error());
  }
  (void)link_->send(rpc::notification(mcp::method::initialized, {}));
  co_return Result<void>();
}

io::Task<tool::Answer> RemoteSession::run(tool::ToolRequest request, tool::CallContext context) {
  if (const Result<void> begun = co_await begin(); !begun) {
    co_return failed(request, begun.error());
  }
  std::string params = call_params(request, last_ + 1);
  co_return co_await call(std::move(request), std::move(params), std::move(context));
}

io::Task<tool::Answer> RemoteSession::manage(std::string arguments_json) {
  if (const Result<void> begun = co_await begin(); !begun) {
    co_return failed({}, begun.error());
  }
  json::Writer params;
  params.begin_object().member("name", tool::manage_tool_name());
  params.member_raw("arguments", arguments_json).end_object();
  co_return co_await call({}, params.take(), {});
}

io::Task<tool::Answer> RemoteSession::call(tool::ToolRequest request,
                                           std::string params,
                                           tool::CallContext context) {
  const Result<rpc::Message> answer =
      co_await ask(std::string(mcp::method::tools_call), std::move(params), std::move(context));
  if (!answer) {
    const bool may_have_run =
        request.mode == tool::Mode::call && answer.error().code() == ErrorCode::unavailable;
    co_return may_have_run ? lost(request) : failed(request, answer.error());
  }
  if (answer->kind() == rpc::Message::Kind::failure) {
    co_return failed(
        request,
        {ErrorCode::unavailable, answer->error().find("message").string_or("no reason given")});
  }
  Result<tool::Answer> carried = tool::take_carried(request.mode, *answer);
  co_return carried ? *std::move(carried) : failed(request, carried.error());
}

io::Task<void> RemoteSession::close() {
  tasks_.cancel();
  co_await tasks_.join();
  if (link_) {
    co_await link_->close();
  }
}

}  // namespace pi_mcp::cli

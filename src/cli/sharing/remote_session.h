// A shell command's session in the process that all sessions share: an MCP client of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/pinned.h"
#include "base/result.h"
#include "cli/sharing/share.h"
#include "io/loop/one_shot.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "rpc/message.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/request.h"
#include "transport/transport.h"

namespace pi_mcp::cli {

class RemoteSession : Pinned {
 public:
  RemoteSession(const io::Executor& executor, ShellSession session);

  // Whether it is for this session: whatever may need a server.
  [[nodiscard]] static bool is_for(const tool::ToolRequest& request);
  // As gateway::Session::run(). Where the shared process has gone meanwhile, that is the answer.
  io::Task<tool::Answer> run(tool::ToolRequest request, tool::CallContext context);
  // A call of mcp_manage.
  io::Task<tool::Answer> manage(std::string arguments_json);
  io::Task<void> close();

 private:
  struct Waiting {
    io::OneShot<rpc::Message> answer;
    tool::CallContext context;
  };
  io::Task<void> read();
  void take(rpc::Message message);
  // The context of the request that a notification is about; null once it has its answer.
  [[nodiscard]] const tool::CallContext* context_of(json::Value params) const;
  // io: nothing was sent. unavailable: it was, and the process has gone.
  io::Task<Result<rpc::Message>> ask(std::string method,
                                     std::string params,
                                     tool::CallContext context);
  io::Task<tool::Answer> call(tool::ToolRequest request,
                              std::string params,
                              tool::CallContext context);
  io::Task<Result<void>> begin();
  void end(const Error& why);

  ShellSession session_;
  std::unique_ptr<transport::Transport> link_;  // null: no socket
  std::map<std::int64_t, Waiting*> waiting_;    // by request
  std::int64_t last_ = 0;
  bool begun_ = false;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::cli

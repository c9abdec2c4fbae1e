#include "host/call_progress.h"

#include <string>
#include <string_view>

#include "io/loop/clock.h"
#include "mcp/server/progress.h"
#include "tool/sharing/carried_answer.h"

namespace pi_mcp::host {
namespace {

void tell_shell(const ProgressTo& to, const std::string& token_json, tool::CallContext& context) {
  const auto tell = [to, token_json](std::string_view what, bool is_asked) {
    to.machine->notify(tool::phase_method, tool::carry_phase(token_json, what, is_asked));
    to.act();
  };
  context.on_phase = [tell](std::string_view what) {
    tell(what, false);
  };
  context.on_asked = [tell](std::string_view what) {
    tell(what, true);
  };
}

}  // namespace

void tell_progress(const ProgressTo& to,
                   mcp::RequestKey key,
                   const rpc::Message& request,
                   gateway::Session& session,
                   tool::CallContext& context) {
  context.on_progress = [to, key](json::Value params) {
    to.machine->on_progress(key, params);
    to.act();
  };
  if (session.reader() == tool::Reader::shell) {
    tell_shell(to, mcp::progress_token(request.params()), context);
  } else if (session.through() == nullptr) {
    context.on_phase = [to, key, began = io::now()](std::string_view what) {
      to.machine->on_phase(key, what, io::now() - began);
      to.act();
    };
  }
}

}  // namespace pi_mcp::host

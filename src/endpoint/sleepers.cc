#include "endpoint/sleepers.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "host/host_requests.h"
#include "mcp/methods.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::endpoint {

Sleepers::Sleepers(const io::Executor& executor,
                   gateway::Gateway& gateway,
                   gateway::Session& session,
                   const mcp::HostInfo& host)
    : gateway_(gateway), session_(session), holding_(executor) {
  session_.meet_host(host::absent_host(host));
  session_.add_observer(*this);
}

// What is told later is what has changed since now, so the lists are asked for as a host would. One
// server says itself what has changed.
void Sleepers::add(transport::HttpHost& link) {
  links_.push_back(&link);
  if (std::exchange(has_listed_, true) || session_.through() != nullptr) {
    return;
  }
  (void)session_.direct_tools().list_result();
  (void)session_.prompts().list_result();
  if (const Result<rpc::Message> list =
          rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})")) {
    (void)session_.resources().list(*list);
  }
}

void Sleepers::remove(transport::HttpHost& link) {
  std::erase(links_, &link);
}

void Sleepers::hold_server() {
  if (holding_.running() == 0) {
    holding_.spawn("holding a server", session_.through()->hold(), io::log_only);
  }
}

void Sleepers::changed(registry::Changes changes) {
  const auto tell = [this](std::string_view method) {
    for (transport::HttpHost* const link : links_) {
      if (const Result<void> sent = link->send(rpc::notification(method, {})); !sent) {
        log::debug("to a host over HTTP: " + sent.error().message());
      }
    }
  };
  has_listed_ = has_listed_ && !changes.tools && !changes.prompts && !changes.resources;
  if (changes.tools) {
    tell(mcp::method::tools_list_changed);
  }
  if (changes.prompts) {
    tell(mcp::method::prompts_list_changed);
  }
  if (changes.resources) {
    tell(mcp::method::resources_list_changed);
  }
}

io::Task<void> Sleepers::close() {
  session_.remove_observer(*this);
  holding_.cancel();
  co_await holding_.join();
  co_await gateway_.close(&session_);
}

}  // namespace pi_mcp::endpoint

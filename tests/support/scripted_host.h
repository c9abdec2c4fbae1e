// A host that answers what servers ask as a test says, at once or when it is told to.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/loop/one_shot.h"
#include "servers/link/host_link.h"

namespace pi_mcp::test {

class ScriptedHost final : public servers::HostLink {
 public:
  ScriptedHost() {
    features_.elicitation_form = features_.sampling = true;
    features_.roots = features_.roots_list_changed = true;
  }

  [[nodiscard]] const mcp::ClientFeatures& features() const override { return features_; }

  io::Task<Result<rpc::Message>> ask(std::string method, SharedText params) override {
    asked.push_back(method + " " + std::string(params.view()));
    if (!result.empty()) {
      co_return message(result);
    }
    io::OneShot<rpc::Message>& mine = waiting_.emplace_back();
    Result<rpc::Message> answer = co_await mine.wait();
    if (!answer) {
      ++withdrawn;
    }
    co_return answer;
  }
  [[nodiscard]] std::string_view name() const override { return called; }
  // Answers the oldest question that waits.
  void answer(const std::string& json) { waiting_.at(answered_++).set(message(json)); }

  std::string result;  // of every question at once; empty: they wait for answer()
  std::vector<std::string> asked;
  int withdrawn = 0;
  std::string called;  // as the host calls itself

 private:
  static Result<rpc::Message> message(const std::string& json) {
    return rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"result":)" + json + "}");
  }

  mcp::ClientFeatures features_;
  std::deque<io::OneShot<rpc::Message>> waiting_;
  std::size_t answered_ = 0;
};

}  // namespace pi_mcp::test

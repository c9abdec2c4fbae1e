// What servers and we ask of the host of a session, and whom its answers are for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/loop/one_shot.h"
#include "io/loop/task.h"
#include "mcp/server/server_session.h"
#include "servers/link/host_link.h"

namespace pi_mcp::host {

// Questions that wait for the host. Calls may keep it when the host has gone.
class OpenQuestions {
 public:
  // `act` does what `machine` says. Both live until close().
  OpenQuestions(mcp::ServerSession& machine, std::function<void()> act)
      : machine_(&machine), act_(std::move(act)) {}
  // Of a host that is not there: closed.
  OpenQuestions() = default;

  // `during`: as of mcp::ServerSession::ask().
  io::Task<Result<rpc::Message>> ask(std::string method,
                                     SharedText params,
                                     std::optional<mcp::RequestKey> during);
  void on_answer(std::int64_t question, rpc::Message answer);
  // The host has gone: all that wait fail.
  void close();

 private:
  mcp::ServerSession* machine_ = nullptr;  // null after close()
  std::function<void()> act_;
  std::map<std::int64_t, io::OneShot<rpc::Message>*> waiting_;  // by question
};

// The host as it has declared itself, in initialize or in one request.
class HostRequests final : public servers::HostLink {
 public:
  // `during`: the request, of a revision in which it is asked by the result of that, or where each
  // has a stream of its own.
  HostRequests(std::shared_ptr<OpenQuestions> questions,
               const mcp::HostInfo& host,
               mcp::AskerShown asker,
               std::optional<mcp::RequestKey> during)
      : questions_(std::move(questions)),
        features_(host.features),
        name_(host.name),
        asker_(asker),
        during_(during) {}

  [[nodiscard]] const mcp::ClientFeatures& features() const override { return features_; }
  [[nodiscard]] mcp::AskerShown asker_shown() const override { return asker_; }
  [[nodiscard]] const void* identity() const override { return questions_.get(); }
  io::Task<Result<rpc::Message>> ask(std::string method, SharedText params) override;
  [[nodiscard]] std::string_view name() const override { return name_; }

 private:
  std::shared_ptr<OpenQuestions> questions_;
  mcp::ClientFeatures features_;
  std::string name_;
  mcp::AskerShown asker_;
  std::optional<mcp::RequestKey> during_;
};

// A host that is known and cannot be asked now.
std::shared_ptr<servers::HostLink> absent_host(const mcp::HostInfo& host);

}  // namespace pi_mcp::host

// What others learn of the servers of a session. A process that serves one session keeps a record
// in files: it changes a few times a second at most, however much happens, and nothing is written
// before the first server is used. The process that sessions share is asked, and writes only how a
// server has failed, which somebody may want to know who comes after it. A process that ends with
// its command does not start this: it only buries its servers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "gateway/session.h"
#include "io/loop/paced_work.h"
#include "runs/run_folder.h"

namespace pi_mcp::gateway {

// How other processes learn what runs.
enum class RunTelling : std::uint8_t { by_files, when_asked };

class RunPublisher final : public registry::SessionObserver {
 public:
  // `session` outlives it. What happens is written down together once this has passed.
  static constexpr Milliseconds pause{300};

  RunPublisher(const io::Executor& executor,
               Session* session,
               std::string cwd,
               RunTelling telling = RunTelling::by_files);

  void start();
  // What is known now. Of one server, with what it said last; with an empty name of all, without.
  [[nodiscard]] runs::RunRecord run(const std::string& server);
  // What the pool does not know: why the start of this server was given up.
  void note_given_up(const std::string& server, std::string why);
  // Who the host says it is.
  void set_client(std::string client);
  // Stops publishing, before the servers are ended.
  io::Task<void> stop();
  // Once every server has ended: stores their last words and removes the record.
  void bury();

  void changed(registry::Changes changes) override;

 private:
  struct Server {
    std::string identity;
    bool ran = false;  // in this session; one whose start was refused has not
    std::size_t log = 0;
    std::string stderr_tail;
    std::string error;  // of its newest run; empty while that goes well
    bool wants_login = false;
    std::string stored_error;  // when_asked: what its last run says now
  };

  // Of those that have something to tell: to know those of the others, the cache would be read.
  [[nodiscard]] std::vector<servers::ServerStatus> statuses() const;
  void publish();
  void write_record();
  void store_failures();
  Server& used(const std::string& name);
  void save(const std::string& name, const Server& server) const;
  void note_words(const servers::ServerStatus& status);
  [[nodiscard]] runs::RunRecord record();

  Session* session_;
  RunTelling telling_;
  std::optional<runs::OwnRun> own_;
  bool failed_ = false;                    // nobody can be told; said once
  runs::RunRecord facts_;                  // without servers
  std::map<std::string, Server> servers_;  // those that were used
  std::size_t logs_ = 0;
  io::PacedWork publishing_;
};

}  // namespace pi_mcp::gateway

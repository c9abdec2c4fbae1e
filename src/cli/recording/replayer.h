// Answers a host out of a recording. What was not recorded is refused, and counts. Pure: no I/O, no
// clock.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/recording/recording.h"
#include "rpc/message.h"

namespace pi_mcp::cli {

class Replayer {
 public:
  explicit Replayer(std::vector<RecordedMessage> messages);

  // What the host is sent for a message of its own, in this order.
  std::vector<std::string> on_message(const rpc::Message& message);
  // What was asked and is not in the recording, or was answered otherwise, since the last time that
  // somebody asked: a sentence each.
  std::vector<std::string> take_mismatches();
  // Calls of tools, and all other requests but initialize and ping, that nobody has made: "line 7:
  // tools/call {...}".
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  // What the server said because of a request, in its order.
  struct Step {
    rpc::Message message;
    bool is_progress = false;  // of this request
    std::string expected;      // the host's answer to a question, as a key; empty: it gave none
    std::size_t line = 0;      // where that stands
  };
  struct Exchange {
    std::size_t line = 0;
    std::string method;
    std::string key;
    std::vector<Step> steps;
    bool answered = false;
    bool cancelled = false;  // by the host
    bool used = false;
  };
  // A request that waits for the host's answer to a question.
  struct Waiting {
    rpc::Id id;         // of the host's request
    std::string token;  // JSON; empty: the host wants no progress
    std::size_t exchange = 0;
    std::size_t step = 0;  // the question
  };

  void add(RecordedMessage recorded);
  void add_from_host(const RecordedMessage& recorded);
  void add_from_server(RecordedMessage recorded);
  std::vector<std::string> on_request(const rpc::Message& request);
  std::vector<std::string> on_answer(const rpc::Message& answer);
  std::vector<std::string> go_on(Waiting at);
  [[nodiscard]] std::optional<std::size_t> find(const std::string& method, const std::string& key);
  std::string refuse(const rpc::Message& request, const std::string& key);
  [[nodiscard]] std::string nearest(const std::string& method, const std::string& key) const;

  std::vector<Exchange> exchanges_;
  std::map<std::string, std::size_t> open_;                               // by id, while reading
  std::map<std::string, std::pair<std::size_t, std::size_t>> questions_;  // likewise: its step
  std::vector<std::size_t> order_;                                        // open ones, newest last
  std::map<std::string, Waiting> waiting_;                                // by id of our question
  std::size_t last_question_ = 0;
  std::vector<std::string> mismatches_;
};

}  // namespace pi_mcp::cli

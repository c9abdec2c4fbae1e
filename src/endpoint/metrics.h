// What operators count: requests over HTTP, messages, and what is open, in the text format of
// Prometheus 0.0.4. Pure. A library would bring threads and locks for these few lines
// (docs/decisions/0077-http-sessions.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "replicas/forwarded.h"

namespace pi_mcp::endpoint {

// Of durations in seconds; the last bucket has the rest.
class Histogram {
 public:
  static constexpr std::array<double, 12> bounds = {
      .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30};

  void add(Duration taken);
  // The lines of one series; `labels` without braces, may be empty.
  void write(std::string& out, std::string_view name, std::string_view labels) const;

 private:
  std::array<std::uint64_t, bounds.size() + 1> counts_ = {};
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

class Metrics {
 public:
  // Of one of several.
  struct Replica {
    replicas::Forwarded forwarded;
    bool has_store = false;
    bool is_store_up = false;
    std::size_t store_waiting = 0;  // for its answer
  };
  // What is open when it is asked.
  struct Gauges {
    std::size_t connections = 0;
    std::size_t connections_max = 0;
    std::size_t sessions = 0;  // in memory
    std::size_t sessions_max = 0;
    std::size_t calls = 0;  // without an answer
    std::size_t calls_max = 0;
    std::size_t streams = 0;                        // answers that are one
    std::size_t waiting = 0;                        // requests, for keys of authorization servers
    std::size_t servers = 0;                        // running
    std::optional<Replica> replica = std::nullopt;  // nullopt: there is one process
  };

  // One over HTTP has its answer, or a stream has ended.
  void count_request(int status, Duration taken);
  // A message has its answer. `method` is one of those that there are, or "other"; `code` of a
  // failure of ours, 0 for every other answer.
  void count_answer(std::string_view method, std::int64_t code, Duration taken);

  // It was refused because its principal has made as many requests as it may.
  void count_over_rate() { ++over_rate_; }

  [[nodiscard]] std::string text(const Gauges& gauges) const;

 private:
  std::map<int, std::uint64_t> requests_;
  Histogram request_times_;
  std::uint64_t over_rate_ = 0;
  std::map<std::pair<std::string, std::int64_t>, std::uint64_t> answers_;
  std::map<std::string, Histogram, std::less<>> answer_times_;
};

}  // namespace pi_mcp::endpoint

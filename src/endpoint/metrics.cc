#include "endpoint/metrics.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <tuple>

namespace pi_mcp::endpoint {
namespace {

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out.append("# HELP ").append(name).append(" ").append(help);
  out.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
}

void sample(std::string& out,
            std::string_view name,
            std::string_view labels,
            const std::string& value) {
  out.append(name);
  if (!labels.empty()) {
    out.append("{").append(labels).append("}");
  }
  out.append(" ").append(value).append("\n");
}

std::string label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + std::string(value) + "\"";
}

void gauge(std::string& out, std::string_view name, std::string_view help, std::size_t value) {
  head(out, name, "gauge", help);
  sample(out, name, "", std::to_string(value));
}

void write_gauges(std::string& out, const Metrics::Gauges& gauges) {
  for (const auto& [name, value, help] :
       {std::tuple("pi_mcp_connections", gauges.connections, "Connections of clients"),
        std::tuple("pi_mcp_connections_max", gauges.connections_max, "As many as there may be"),
        std::tuple("pi_mcp_sessions", gauges.sessions, "Sessions in memory"),
        std::tuple("pi_mcp_sessions_max", gauges.sessions_max, "As many as there may be"),
        std::tuple("pi_mcp_calls", gauges.calls, "MCP requests without an answer"),
        std::tuple("pi_mcp_calls_max", gauges.calls_max, "As many as there may be"),
        std::tuple("pi_mcp_streams", gauges.streams, "Answers that are open streams"),
        std::tuple("pi_mcp_requests_waiting",
                   gauges.waiting,
                   "Requests that wait for keys of authorization servers"),
        std::tuple("pi_mcp_servers", gauges.servers, "Servers that run")}) {
    gauge(out, name, help, value);
  }
}

void write_replica(std::string& out, const Metrics::Replica& replica) {
  constexpr std::string_view name = "pi_mcp_forwarded_total";
  head(out, name, "counter", "Requests passed on to other replicas by what became of them");
  for (const auto& [outcome, count] : {std::pair("answered", replica.forwarded.answered),
                                       std::pair("gone", replica.forwarded.gone),
                                       std::pair("misplaced", replica.forwarded.misplaced),
                                       std::pair("failed", replica.forwarded.failed)}) {
    sample(out, name, label("outcome", outcome), std::to_string(count));
  }
  if (replica.has_store) {
    gauge(out, "pi_mcp_store_up", "Whether the store is reached", replica.is_store_up ? 1 : 0);
    gauge(out,
          "pi_mcp_store_waiting",
          "Commands without an answer of the store",
          replica.store_waiting);
  }
}

}  // namespace

void Histogram::add(Duration taken) {
  const double seconds = std::chrono::duration<double>(taken).count();
  const auto* const bound = std::ranges::lower_bound(bounds, seconds);
  ++counts_.at(static_cast<std::size_t>(bound - bounds.begin()));
  ++count_;
  sum_ += seconds;
}

void Histogram::write(std::string& out, std::string_view name, std::string_view labels) const {
  const std::string own(name);
  const std::string before = labels.empty() ? "" : std::string(labels) + ",";
  std::uint64_t up_to = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    up_to += counts_.at(i);
    const std::string bound = i < bounds.size() ? number_text(bounds.at(i)) : "+Inf";
    sample(out, own + "_bucket", before + label("le", bound), std::to_string(up_to));
  }
  sample(out, own + "_sum", labels, number_text(sum_));
  sample(out, own + "_count", labels, std::to_string(count_));
}

void Metrics::count_request(int status, Duration taken) {
  ++requests_[status];
  request_times_.add(taken);
}

void Metrics::count_answer(std::string_view method, std::int64_t code, Duration taken) {
  ++answers_[{std::string(method), code}];
  answer_times_[std::string(method)].add(taken);
}

std::string Metrics::text(const Gauges& gauges) const {
  std::string out;
  head(out, "pi_mcp_http_requests_total", "counter", "Requests over HTTP by the status they got");
  for (const auto& [status, count] : requests_) {
    sample(out,
           "pi_mcp_http_requests_total",
           label("status", std::to_string(status)),
           std::to_string(count));
  }
  head(out, "pi_mcp_http_request_seconds", "histogram", "Until the answer was complete");
  request_times_.write(out, "pi_mcp_http_request_seconds", "");
  head(out,
       "pi_mcp_answers_total",
       "counter",
       "Answers to MCP requests by method and by the code of a failure of pi-mcp, 0 for the rest");
  for (const auto& [key, count] : answers_) {
    sample(out,
           "pi_mcp_answers_total",
           label("method", key.first) + "," + label("code", std::to_string(key.second)),
           std::to_string(count));
  }
  head(out, "pi_mcp_answer_seconds", "histogram", "Until an MCP request was answered");
  for (const auto& [method, times] : answer_times_) {
    times.write(out, "pi_mcp_answer_seconds", label("method", method));
  }
  head(out,
       "pi_mcp_over_rate_total",
       "counter",
       "Requests refused because whoever made them had made as many as they may");
  sample(out, "pi_mcp_over_rate_total", "", std::to_string(over_rate_));
  write_gauges(out, gauges);
  if (gauges.replica) {
    write_replica(out, *gauges.replica);
  }
  return out;
}

}  // namespace pi_mcp::endpoint

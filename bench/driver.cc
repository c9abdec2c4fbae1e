// Plays the host: starts a command that speaks MCP, lists its tools, makes calls and prints what
// was seen as one JSON object.
//
//   driver --calls N --window W --warm N --params JSON -- COMMAND [ARGS...]
//
// list_ms: from starting the process to its answer to tools/list. us: time of each call in
// microseconds (with --window above 1: of the whole run, once). bytes: size of the last answer.
// peak_kib: the most memory the process ever held.
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "json/writer.h"
#include "process.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int calls = 1;
  int window = 1;
  int warm = 0;
  std::string params = R"({"name":"echo","arguments":{"text":"x"}})";
  char** command = nullptr;
};

class Host {
 public:
  explicit Host(bench::Child child) : child_(child), chunk_(std::size_t{256} * 1024, '\0') {}

  void send(std::string_view method, std::string_view params) {
    std::string line = R"({"jsonrpc":"2.0","id":)" + std::to_string(++sent_) + R"(,"method":")";
    line.append(method).append(R"(","params":)").append(params).append("}\n");
    bench::write_all(child_.in, line);
  }

  void notify(std::string_view method) {
    const std::string begin = R"({"jsonrpc":"2.0","method":")";
    bench::write_all(child_.in, begin + std::string(method) + "\"}\n");
  }

  // Waits for the next answer, skips notifications, and gives back its size.
  std::size_t receive() {
    while (true) {
      const std::size_t end = next_line();
      const std::string_view line = std::string_view(pending_).substr(0, end);
      const bool is_answer = line.substr(0, 80).find("\"id\":") != std::string_view::npos;
      if (is_answer && is_failure(line)) {
        std::fprintf(stderr,
                     "failed: %.*s\n",
                     static_cast<int>(std::min<std::size_t>(end, 400)),
                     line.data());
        std::exit(1);
      }
      pending_.erase(0, end + 1);
      searched_ = 0;
      if (is_answer) {
        return end;
      }
    }
  }

 private:
  static bool is_failure(std::string_view line) {
    const std::string_view tail = line.substr(line.size() > 400 ? line.size() - 400 : 0);
    return line.substr(0, 80).find("\"error\":") != std::string_view::npos ||
           line.substr(0, 400).find("\"isError\":true") != std::string_view::npos ||
           tail.find("\"isError\":true") != std::string_view::npos;
  }

  // Reads until a whole line is there; returns where it ends.
  std::size_t next_line() {
    std::size_t end = 0;
    while ((end = pending_.find('\n', searched_)) == std::string::npos) {
      searched_ = pending_.size();
      const ssize_t got = read(child_.out, chunk_.data(), chunk_.size());
      if (got <= 0) {
        std::fputs("the process ended before it answered\n", stderr);
        std::exit(1);
      }
      pending_.append(chunk_, 0, static_cast<std::size_t>(got));
    }
    return end;
  }

  bench::Child child_;
  std::string chunk_;
  std::string pending_;
  std::size_t searched_ = 0;
  int sent_ = 0;
};

double micros_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

long peak_kib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stol(line.substr(6));
    }
  }
  return 0;
}

Options options_of(int argc, char** argv) {
  Options options;
  int i = 1;
  for (; i + 1 < argc && std::strcmp(argv[i], "--") != 0; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--params") {
      options.params = argv[i + 1];
    } else {
      int& number = name == "--calls"    ? options.calls
                    : name == "--window" ? options.window
                                         : options.warm;
      number = std::atoi(argv[i + 1]);
    }
  }
  options.command = argv + i + 1;
  return options;
}

// One after the other: the time of each.
std::vector<double> sequential(Host& host, const Options& options, std::size_t& bytes) {
  std::vector<double> times;
  for (int i = 0; i < options.warm + options.calls; ++i) {
    const auto start = Clock::now();
    host.send("tools/call", options.params);
    bytes = host.receive();
    if (i >= options.warm) {
      times.push_back(micros_since(start));
    }
  }
  return times;
}

// Always `window` in flight: the time of all.
std::vector<double> pipelined(Host& host, const Options& options, std::size_t& bytes) {
  const auto start = Clock::now();
  int sent = 0;
  for (int received = 0; received < options.calls; ++received) {
    for (; sent < options.calls && sent < received + options.window; ++sent) {
      host.send("tools/call", options.params);
    }
    bytes = host.receive();
  }
  return {micros_since(start)};
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  const auto start = Clock::now();
  const bench::Child child = bench::spawn(options.command);
  Host host(child);
  host.send("initialize",
            R"({"protocolVersion":"2025-06-18","capabilities":{},)"
            R"("clientInfo":{"name":"bench","version":"1"}})");
  host.receive();
  host.notify("notifications/initialized");
  host.send("tools/list", "{}");
  host.receive();
  const double list_ms = micros_since(start) / 1000;

  std::size_t bytes = 0;
  const auto times =
      options.window > 1 ? pipelined(host, options, bytes) : sequential(host, options, bytes);
  pi_mcp::json::Writer out;
  out.begin_object().key("list_ms").number(list_ms).key("us").begin_array();
  for (const double time : times) {
    out.number(time);
  }
  out.end_array().member("bytes", bytes).member("peak_kib", peak_kib(child.pid)).end_object();
  std::puts(out.text().c_str());
  close(child.in);
  int status = 0;
  waitpid(child.pid, &status, 0);
  return 0;
}

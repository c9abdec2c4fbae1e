// Plays the host: starts a command that speaks MCP, lists its tools, makes calls and prints what
// was seen as one JSON object.
//
//   driver --calls N --window W --warm N --params JSON -- COMMAND [ARGS...]
//   driver --at-once N --params JSON -- COMMAND [ARGS...]   starts it N times, one call of each
//   driver --runs N -- COMMAND [ARGS...]                    runs it N times to its end
//
// --fill N puts N letters in place of FILL in the params, --spread N the number of the call modulo
// N in place of #. list_ms: from starting the process to its answer to tools/list, of list_bytes.
// us: time of each call or run in microseconds (with --window above 1 and --at-once: of all, once).
// bytes: size of the last answer. peak_kib: the most memory the process ever held. cpu_us: what it
// spent of a processor on the calls, those to warm up included.
#include <poll.h>
#include <sys/syscall.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
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
  int fill = 0;
  int spread = 0;
  int at_once = 0;
  int runs = 0;
  std::string params = R"({"name":"echo","arguments":{"text":"x"}})";
  char** command = nullptr;
};

class Host {
 public:
  explicit Host(bench::Child child) : child_(child), chunk_(std::size_t{256} * 1024, '\0') {}

  void send(std::string_view method, std::string_view params) {
    std::string line = R"({"jsonrpc":"2.0","id":)" + std::to_string(++sent_) + R"(,"method":")";
    line.append(method).append(R"(","params":)");
    if (params.size() > long_params) {  // copying them would be measured, too
      bench::write_all(child_.in, line);
      bench::write_all(child_.in, params);
      bench::write_all(child_.in, "}\n");
    } else {
      bench::write_all(child_.in, line.append(params).append("}\n"));
    }
  }

  void greet() {
    send("initialize",
         R"({"protocolVersion":"2025-06-18","capabilities":{},)"
         R"("clientInfo":{"name":"bench","version":"1"}})");
  }

  void call(const Options& options) {
    if (options.spread == 0) {
      send("tools/call", options.params);
      return;
    }
    std::string params = options.params;
    const std::size_t place = params.find('#');
    if (place != std::string::npos) {
      params.replace(place, 1, std::to_string(calls_++ % options.spread));
    }
    send("tools/call", params);
  }

  // The end of its input is its signal to end; one that does not see it is killed.
  void end() {
    constexpr int patience_ms = 3000;
    close(child_.in);
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, child_.pid, 0));
    pollfd ended{.fd = handle, .events = POLLIN, .revents = 0};
    if (handle < 0 || poll(&ended, 1, patience_ms) < 1) {
      kill(child_.pid, SIGKILL);
    }
    int status = 0;
    waitpid(child_.pid, &status, 0);
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
      const bool is_answer = has_id(line);
      if (is_answer && is_failure(line)) {
        bench::give_up("failed: " + std::string(line.substr(0, 400)));
      }
      pending_.erase(0, end + 1);
      searched_ = 0;
      if (is_answer) {
        return end;
      }
    }
  }

 private:
  static constexpr std::size_t long_params = std::size_t{64} * 1024;

  // Some programs write the id first, some last; notifications have none.
  static bool has_id(std::string_view line) {
    const std::string_view head = line.substr(0, 80);
    const std::string_view tail = line.substr(line.size() > 40 ? line.size() - 40 : 0);
    constexpr std::string_view id = "\"id\":";
    return head.find("\"method\":") == std::string_view::npos &&
           (head.find(id) != std::string_view::npos || tail.find(id) != std::string_view::npos);
  }

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
        bench::give_up("the process ended before it answered");
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
  int calls_ = 0;
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

// Processor time of all threads in microseconds; 0 where the kernel does not count it.
double cpu_us(pid_t pid) {
  double total = 0;
  std::error_code gone;
  const std::string threads = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(threads, gone)) {
    std::ifstream counted(thread.path() / "schedstat");
    double nanoseconds = 0;
    if (counted >> nanoseconds) {
      total += nanoseconds / 1000;
    }
  }
  return total;
}

int* number_named(Options& options, std::string_view name) {
  const std::pair<std::string_view, int*> numbers[] = {{"--calls", &options.calls},
                                                       {"--window", &options.window},
                                                       {"--warm", &options.warm},
                                                       {"--fill", &options.fill},
                                                       {"--spread", &options.spread},
                                                       {"--at-once", &options.at_once},
                                                       {"--runs", &options.runs}};
  for (const auto& [known, number] : numbers) {
    if (known == name) {
      return number;
    }
  }
  bench::give_up("no such option: " + std::string(name));
}

Options options_of(int argc, char** argv) {
  Options options;
  int i = 1;
  for (; i + 1 < argc && std::strcmp(argv[i], "--") != 0; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--params") {
      options.params = argv[i + 1];
    } else {
      *number_named(options, name) = std::atoi(argv[i + 1]);
    }
  }
  const std::size_t place = options.fill > 0 ? options.params.find("FILL") : std::string::npos;
  if (place != std::string::npos) {
    options.params.replace(place, 4, static_cast<std::size_t>(options.fill), 'x');
  }
  options.command = argv + i + 1;
  return options;
}

// One after the other: the time of each.
std::vector<double> sequential(Host& host, const Options& options, std::size_t& bytes) {
  std::vector<double> times;
  for (int i = 0; i < options.warm + options.calls; ++i) {
    const auto start = Clock::now();
    host.call(options);
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
      host.call(options);
    }
    bytes = host.receive();
  }
  return {micros_since(start)};
}

// All servers started, greeted and called: the time until the last one has answered.
std::vector<double> at_once(const Options& options) {
  const auto start = Clock::now();
  std::vector<Host> hosts;
  hosts.reserve(static_cast<std::size_t>(options.at_once));
  for (int i = 0; i < options.at_once; ++i) {
    hosts.emplace_back(bench::spawn(options.command)).greet();
  }
  for (Host& host : hosts) {
    host.receive();
    host.notify("notifications/initialized");
    host.call(options);
  }
  for (Host& host : hosts) {
    host.receive();
  }
  const double time = micros_since(start);
  for (Host& host : hosts) {
    host.end();
  }
  return {time};
}

// One run after the other, each to its end; what they print must fit into a pipe.
std::vector<double> runs(const Options& options) {
  std::vector<double> times;
  for (int i = 0; i < options.runs; ++i) {
    const auto start = Clock::now();
    const bench::Child child = bench::spawn(options.command);
    close(child.in);
    int status = 0;
    waitpid(child.pid, &status, 0);
    times.push_back(micros_since(start));
    close(child.out);
    if (status != 0) {
      bench::give_up("the command failed with status " + std::to_string(WEXITSTATUS(status)));
    }
  }
  return times;
}

void add_times(pi_mcp::json::Writer& out, const std::vector<double>& times) {
  out.key("us").begin_array();
  for (const double time : times) {
    out.number(time);
  }
  out.end_array();
}

// Start, list and calls of one process.
void converse(const Options& options, pi_mcp::json::Writer& out) {
  const auto start = Clock::now();
  const bench::Child child = bench::spawn(options.command);
  Host host(child);
  host.greet();
  host.receive();
  host.notify("notifications/initialized");
  host.send("tools/list", "{}");
  const std::size_t list_bytes = host.receive();
  const double list_ms = micros_since(start) / 1000;

  std::size_t bytes = 0;
  const double cpu_before = cpu_us(child.pid);
  add_times(
      out, options.window > 1 ? pipelined(host, options, bytes) : sequential(host, options, bytes));
  const double cpu_spent = cpu_us(child.pid) - cpu_before;
  out.key("list_ms").number(list_ms).key("cpu_us").number(cpu_spent);
  out.member("list_bytes", list_bytes).member("bytes", bytes);
  out.member("peak_kib", peak_kib(child.pid));
  host.end();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  pi_mcp::json::Writer out;
  out.begin_object();
  if (options.runs > 0) {
    add_times(out, runs(options));
  } else if (options.at_once > 0) {
    add_times(out, at_once(options));
  } else {
    converse(options, out);
  }
  out.end_object();
  std::puts(out.text().c_str());
  return 0;
}

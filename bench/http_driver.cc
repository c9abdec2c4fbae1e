// Plays many clients of one HTTP endpoint: each connection has a session of its own and makes one
// call after the other. Prints what was seen as one JSON object.
//
//   http_driver --port N --path P --connections C --calls N --warm N --params JSON [--stateless 1]
//   http_driver --port N --path P --sessions N [--streams 1]
//
// With --sessions opens N sessions, prints the last id, and waits; with --streams each has a
// connection of its own, with a stream (GET) that it reads.
// us: of each call with one connection, of all together with more. bytes: of the last answer.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "http_message.h"
#include "json/writer.h"
#include "process.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::map<std::string, std::string> values = {
      {"--path", "/mcp"},
      {"--params", R"({"name":"echo","arguments":{"text":"x"}})"},
      {"--connections", "1"},
      {"--calls", "1"},
      {"--warm", "0"},
      {"--sessions", "0"},
      {"--streams", "0"},
      {"--stateless", "0"}};
  [[nodiscard]] int number(const std::string& name) const {
    return std::atoi(values.at(name).c_str());
  }
};

constexpr const char* envelope =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

class Client {
 public:
  explicit Client(const Options& options) : options_(options) {
    file_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(options.number("--port")));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(file_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      bench::die("connect");
    }
    const int one = 1;
    setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (options.number("--stateless") == 0) {
      greet();
    }
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { close(file_); }

  // A whole session, or nothing of one.
  void greet() {
    session_.clear();
    headers_.clear();
    post("initialize",
         R"({"protocolVersion":"2025-11-25","capabilities":{},)"
         R"("clientInfo":{"name":"bench","version":"1"}})");
    receive();
    if (!session_.empty()) {
      headers_ = "Mcp-Session-Id: " + session_ + "\r\n";
    }
    headers_ += "MCP-Protocol-Version: 2025-11-25\r\n";
    send_body(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", "");
    receive();
  }

  void call() {
    if (options_.number("--stateless") == 0) {
      post("tools/call", options_.values.at("--params"));
      return;
    }
    const std::string& params = options_.values.at("--params");
    const std::size_t name = params.find("\"name\":\"") + 8;
    post("tools/call",
         params.substr(0, params.size() - 1) + "," + envelope + "}",
         "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " +
             params.substr(name, params.find('"', name) - name) + "\r\n");
  }

  void open_stream() {
    bench::write_all(file_,
                     "GET " + options_.values.at("--path") +
                         " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" +
                         headers_ + "\r\n");
    while (in_.find("\r\n\r\n") == std::string::npos) {
      read_some();
    }
    if (!in_.starts_with("HTTP/1.1 200")) {
      bench::give_up("no stream: " + in_.substr(0, 600));
    }
    in_ = std::string();
  }

  // Waits for the answer; its size.
  std::size_t receive() {
    while (!take()) {
    }
    return bytes_;
  }

  // Reads once. True: the answer is there.
  bool take() {
    read_some();
    const bench::HttpMessage answer = bench::first_message(in_);
    if (answer.bytes == 0) {
      return false;
    }
    const bool is_good = answer.head.starts_with("HTTP/1.1 20") &&
                         answer.body.find("\"isError\":true") == std::string_view::npos &&
                         answer.body.find("\"error\":{") == std::string_view::npos;
    if (!is_good) {
      bench::give_up("failed: " + in_.substr(0, 600));
    }
    if (const auto id = bench::header(answer.head, "Mcp-Session-Id"); !id.empty()) {
      session_ = id;
    }
    bytes_ = answer.body.size();
    in_.erase(0, answer.bytes);
    return true;
  }

  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] const std::string& session() const { return session_; }

 private:
  void read_some() {
    std::string chunk(std::size_t{64} * 1024, '\0');
    const ssize_t got = read(file_, chunk.data(), chunk.size());
    if (got <= 0) {
      bench::give_up("the connection ended before the answer");
    }
    in_.append(chunk, 0, static_cast<std::size_t>(got));
  }

  void post(std::string_view method, std::string_view params, std::string_view headers = {}) {
    std::string body = R"({"jsonrpc":"2.0","id":)" + std::to_string(++sent_) + R"(,"method":")";
    body.append(method).append(R"(","params":)").append(params).append("}");
    send_body(body, headers);
  }

  void send_body(std::string_view body, std::string_view headers) {
    std::string text = "POST " + options_.values.at("--path") +
                       " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                       "Accept: application/json, text/event-stream\r\n" +
                       headers_;
    text.append(headers).append("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
    bench::write_all(file_, text.append(body));
  }

  const Options& options_;
  int file_ = -1;
  int sent_ = 0;
  std::string session_;
  std::string headers_;
  std::string in_;
  std::size_t bytes_ = 0;
};

double micros_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

std::vector<double> one_by_one(const Options& options, std::size_t& bytes) {
  Client client(options);
  std::vector<double> times;
  const int warm = options.number("--warm");
  for (int i = 0; i < warm + options.number("--calls"); ++i) {
    const auto start = Clock::now();
    client.call();
    bytes = client.receive();
    if (i >= warm) {
      times.push_back(micros_since(start));
    }
  }
  return times;
}

// Each connection has one call under way until all are done.
std::vector<double> side_by_side(const Options& options, std::size_t& bytes) {
  std::map<int, std::unique_ptr<Client>> clients;
  const int events = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < options.number("--connections"); ++i) {
    auto client = std::make_unique<Client>(options);
    client->call();  // to warm up
    bytes = client->receive();
    epoll_event event{.events = EPOLLIN, .data = {.fd = client->file()}};
    epoll_ctl(events, EPOLL_CTL_ADD, client->file(), &event);
    clients[client->file()] = std::move(client);
  }
  const auto start = Clock::now();
  int sent = 0;
  int received = 0;
  const int calls = options.number("--calls");
  for (const auto& [file, client] : clients) {
    client->call();
    ++sent;
  }
  std::vector<epoll_event> ready(256);
  while (received < calls) {
    const int count = epoll_wait(events, ready.data(), static_cast<int>(ready.size()), -1);
    for (int i = 0; i < count; ++i) {
      Client& client = *clients.at(ready[static_cast<std::size_t>(i)].data.fd);
      if (!client.take()) {
        continue;
      }
      ++received;
      if (sent < calls) {
        client.call();
        ++sent;
      }
    }
  }
  return {micros_since(start)};
}

void open_sessions(const Options& options) {
  const bool has_streams = options.number("--streams") != 0;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < options.number("--sessions"); ++i) {
    if (has_streams || clients.empty()) {
      clients.push_back(std::make_unique<Client>(options));
    } else {
      clients.back()->greet();
    }
    if (has_streams) {
      clients.back()->open_stream();
    }
  }
  std::printf("%s\n", clients.back()->session().c_str());
  std::fflush(stdout);
  char end = 0;
  (void)!read(STDIN_FILENO, &end, 1);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    options.values[argv[i]] = argv[i + 1];
  }
  if (!options.values.contains("--port")) {
    bench::give_up("--port is missing");
  }
  if (options.number("--sessions") > 0) {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    open_sessions(options);
    return 0;
  }
  std::size_t bytes = 0;
  const std::vector<double> times = options.number("--connections") > 1
                                        ? side_by_side(options, bytes)
                                        : one_by_one(options, bytes);
  pi_mcp::json::Writer out;
  out.begin_object().key("us").begin_array();
  for (const double time : times) {
    out.number(time);
  }
  out.end_array().member("bytes", bytes).end_object();
  std::puts(out.text().c_str());
  return 0;
}

// The floor of what serves one stdio server over HTTP: bodies of POSTs are copied to the server,
// its lines back to whoever sent the request with that id. Nothing else is looked at.
//
//   http_relay -- COMMAND [ARGS...]      prints the port that it listens on
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "http_message.h"
#include "process.h"

namespace {

struct Client {
  std::string in;
  std::string out;
};

class Relay {
 public:
  explicit Relay(bench::Child server) : server_(server), chunk_(std::size_t{256} * 1024, '\0') {
    watch(server_.out);
  }

  int listen_somewhere() {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(listener_, 4096) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      bench::die("listen");
    }
    watch(listener_);
    return ntohs(address.sin_port);
  }

  [[noreturn]] void run() {
    std::vector<epoll_event> events(256);
    for (;;) {
      const int count = epoll_wait(events_, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int file = events[static_cast<std::size_t>(i)].data.fd;
        if (file == listener_) {
          accept_one();
        } else if (file == server_.out) {
          from_server();
        } else {
          from_client(file);
        }
      }
      bench::write_all(server_.in, to_server_);
      to_server_.clear();
      for (const int client : touched_) {
        if (const auto found = clients_.find(client); found != clients_.end()) {
          bench::write_all(client, found->second.out);
          found->second.out.clear();
        }
      }
      touched_.clear();
    }
  }

 private:
  void watch(int file) const {
    epoll_event event{.events = EPOLLIN, .data = {.fd = file}};
    epoll_ctl(events_, EPOLL_CTL_ADD, file, &event);
  }

  void accept_one() {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int one = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    clients_[client];
    watch(client);
  }

  void from_client(int file) {
    const ssize_t got = read(file, chunk_.data(), chunk_.size());
    if (got <= 0) {
      close(file);
      clients_.erase(file);
      return;
    }
    Client& client = clients_[file];
    client.in.append(chunk_, 0, static_cast<std::size_t>(got));
    bench::HttpMessage request;
    while ((request = bench::first_message(client.in)).bytes > 0) {
      const std::size_t id = request.body.find("\"id\":");
      if (id == std::string_view::npos) {
        client.out += "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
        touched_.push_back(file);
      } else {
        const std::size_t end = request.body.find_first_of(",}", id + 5);
        const std::size_t number = ++last_;
        waiting_[number] = {file, std::string(request.body.substr(id + 5, end - id - 5))};
        to_server_.append(request.body.substr(0, id + 5)).append(std::to_string(number));
        to_server_.append(request.body.substr(end)).append("\n");
      }
      client.in.erase(0, request.bytes);
    }
  }

  void from_server() {
    const ssize_t got = read(server_.out, chunk_.data(), chunk_.size());
    if (got <= 0) {
      bench::give_up("the server ended");
    }
    lines_.append(chunk_, 0, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    std::size_t end = lines_.size() - static_cast<std::size_t>(got);  // none before that
    while ((end = lines_.find('\n', end)) != std::string::npos) {
      answer(std::string_view(lines_).substr(begin, end - begin));
      begin = ++end;
    }
    lines_.erase(0, begin);
  }

  void answer(std::string_view line) {
    const std::size_t id = line.find("\"id\":");
    if (id == std::string_view::npos) {
      return;
    }
    const std::size_t end = line.find_first_of(",}", id + 5);
    const auto found = waiting_.find(std::strtoul(line.data() + id + 5, nullptr, 10));
    if (found == waiting_.end()) {
      return;
    }
    const auto& [client, own] = found->second;
    std::string& out = clients_[client].out;
    out += "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(line.size() - (end - id - 5) + own.size()) + "\r\n\r\n";
    out.append(line.substr(0, id + 5)).append(own).append(line.substr(end));
    touched_.push_back(client);
    waiting_.erase(found);
  }

  bench::Child server_;
  std::string chunk_;
  std::string lines_;
  std::string to_server_;
  std::map<int, Client> clients_;
  std::map<std::size_t, std::pair<int, std::string>> waiting_;
  std::vector<int> touched_;
  std::size_t last_ = 0;
  int events_ = epoll_create1(EPOLL_CLOEXEC);
  int listener_ = -1;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || std::strcmp(argv[1], "--") != 0) {
    bench::give_up("usage: http_relay -- COMMAND [ARGS...]");
  }
  Relay relay(bench::spawn(argv + 2));
  std::printf("%d\n", relay.listen_somewhere());
  std::fflush(stdout);
  relay.run();
}

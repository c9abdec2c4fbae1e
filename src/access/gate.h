// Who may come over HTTP: decided by the head of a request and by who is at the other end. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "access/principal.h"
#include "access/token_look_up.h"
#include "base/result.h"
#include "base/time.h"
#include "http/message.h"
#include "http/request_parser.h"

namespace pi_mcp::access {

// Who is at the other end of a connection, by the kernel's word.
struct Peer {
  bool is_unix = false;               // came through a Unix socket
  bool is_here = false;               // on this machine
  std::optional<std::uint32_t> user;  // uid of its process; known at best when it is here
};

// An answer in place of what was asked for.
struct Refusal {
  int status = 0;
  std::string error;      // for people: a sentence without full stop
  http::Headers headers;  // WWW-Authenticate
  // Soon it can be said whether it may come.
  bool may_wait = false;
};

class Gate {
 public:
  struct Options {
    bool is_local_only = false;                // listens on loopback or a Unix socket alone
    std::vector<std::string> allowed_hosts;    // "gateway.example", with any port, or with ":443"
    std::vector<std::string> allowed_origins;  // "https://app.example"
    std::uint32_t own_user = 0;
  };

  // invalid_argument: what is allowed is no host, or no origin.
  static Result<Gate> make(Options options);

  using Admitted = tl::expected<std::shared_ptr<const Principal>, Refusal>;
  // Whether this request may come, and as whom. `tokens` is asked only about a token that was sent.
  [[nodiscard]] Admitted admit(const http::RequestHead& head,
                               const Peer& peer,
                               EpochMs now,
                               TokenLookUp& tokens) const;
  // The half of it that needs no token: Host and Origin. All there is to say about what browsers
  // ask beforehand (OPTIONS), which has no token.
  [[nodiscard]] std::optional<Refusal> check_place(const http::RequestHead& head,
                                                   const Peer& peer) const;
  // Who has been admitted wants a server that is not there for this principal.
  [[nodiscard]] static Refusal refuse_place(const Principal& principal,
                                            std::string_view target,
                                            const TokenLookUp& tokens);

 private:
  struct HostRule {
    std::string host;        // lower case; an IPv6 address in its brackets
    std::uint16_t port = 0;  // 0: any
  };
  Gate(Options options, std::vector<HostRule> hosts, std::vector<std::string> origins)
      : options_(std::move(options)), hosts_(std::move(hosts)), origins_(std::move(origins)) {}

  [[nodiscard]] bool is_allowed_host(std::string_view host) const;
  [[nodiscard]] bool is_allowed_origin(std::string_view origin) const;
  [[nodiscard]] Admitted admit_without_token(const http::RequestHead& head,
                                             const Peer& peer,
                                             const TokenLookUp& tokens) const;

  Options options_;
  std::vector<HostRule> hosts_;
  std::vector<std::string> origins_;  // as Url::origin() writes them
  std::shared_ptr<const Principal> user_ = std::make_shared<const Principal>();
};

// "127.0.0.1:8808", "[::1]:0", "localhost:8808" and "unix:PATH" are reached from this machine
// alone.
[[nodiscard]] bool is_local_address(std::string_view address);

// Whether a server may listen there at all. unauthorized: other machines could come, and nobody of
// them has a token or can get one; names the command that makes one.
[[nodiscard]] Result<void> may_listen(std::string_view address, bool anybody_may);

}  // namespace pi_mcp::access

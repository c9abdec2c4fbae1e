// Passes a request over HTTP on to the replica that has what it needs, and its answer back as it
// comes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "access/session_keys.h"
#include "base/pinned.h"
#include "base/result.h"
#include "base/time.h"
#include "http/request_parser.h"
#include "io/loop/task.h"
#include "io/net/http_client.h"
#include "io/net/http_server.h"

namespace pi_mcp::replicas {

// Whether a request came from its client or through another replica.
enum class Origin : std::uint8_t { client, replica, forged };

class Forwarder : Pinned {
 public:
  // Open at once, streams among them.
  static constexpr std::size_t connections_max = 16'384;
  // An owner that has to be asked twice whether it listens would delay everybody.
  static constexpr Milliseconds look_max{1'000};
  // A mark of a forwarded request is good for so long; clocks of replicas differ.
  static constexpr std::chrono::seconds mark_seconds{60};
  // Of one that is no stream.
  static constexpr std::size_t answer_bytes_max = std::size_t{256} << 20U;
  // Of a stream whose client is slow.
  static constexpr std::size_t queued_bytes_max = std::size_t{1} << 20U;

  // `keys` outlive it. `environment`: for TLS, see io::HttpClientOptions.
  Forwarder(const io::Executor& executor,
            const access::SessionKeys& keys,
            const std::map<std::string, std::string>& environment);

  enum class Outcome : std::uint8_t {
    answered,   // or its client has got an error in the middle of the answer
    gone,       // nothing listens there, and the client has got nothing
    misplaced,  // it has not what is needed any more, and the client has got nothing
  };
  // `url`: of the other replica, without a path. unavailable: it gave no answer, and it cannot be
  // known whether it has done what was asked; the client has got nothing. cancelled.
  io::Task<Result<Outcome>> forward(std::shared_ptr<io::HttpExchange> exchange,
                                    std::string body,
                                    std::string url);

  [[nodiscard]] Origin origin_of(const http::RequestHead& head) const;

 private:
  static io::Task<void> stream(io::HttpResponse* response, io::HttpExchange* exchange);

  const access::SessionKeys& keys_;
  io::HttpClient client_;
};

// What a replica answers to a request that was forwarded to it for something that it has not.
constexpr int misplaced_status = 421;

}  // namespace pi_mcp::replicas

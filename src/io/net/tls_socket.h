// A TLS connection by OpenSSL, of either side; for tls.cc and tls_server.cc alone.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "io/files/fd.h"
#include "io/loop/task.h"
#include "io/net/socket.h"

namespace pi_mcp::io {

struct FreeTls {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

// TLS 1.2 or later, and what Socket needs of it. Null: no memory.
std::shared_ptr<SSL_CTX> new_tls_context(const SSL_METHOD* method);

// Takes the oldest error of OpenSSL's queue and empties it; "closed" when there is none.
std::string take_tls_error();

class TlsSocket final : public Socket {
 public:
  // `ssl` has the descriptor of `fd`.
  TlsSocket(const Executor& executor,
            Fd fd,
            std::shared_ptr<SSL_CTX> context,
            std::unique_ptr<SSL, FreeTls> ssl)
      : Socket(executor, std::move(fd)), context_(std::move(context)), ssl_(std::move(ssl)) {}

  // As the side that SSL_set_connect_state() or SSL_set_accept_state() has said. unavailable, with
  // the reason of TLS; io; cancelled. Without a deadline of its own.
  Task<Result<void>> handshake();
  [[nodiscard]] SSL* ssl() { return ssl_.get(); }

 protected:
  Step read_now(std::span<char> space) override;
  Step write_now(std::string_view bytes) override;
  Step write_pieces_now(std::span<const std::string_view> pieces) override;

 private:
  Step why(int result);

  std::shared_ptr<SSL_CTX> context_;
  std::unique_ptr<SSL, FreeTls> ssl_;
};

}  // namespace pi_mcp::io

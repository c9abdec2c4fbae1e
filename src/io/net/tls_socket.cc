#include "io/net/tls_socket.h"

#include <openssl/err.h>

#include <cerrno>

namespace pi_mcp::io {

std::string take_tls_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
  return text == nullptr ? "closed" : text;
}

std::shared_ptr<SSL_CTX> new_tls_context(const SSL_METHOD* method) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(method), FreeTls());
  if (context) {
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_mode(context.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                         SSL_MODE_RELEASE_BUFFERS);
    // An end without the TLS goodbye is an end like any other: HTTP knows its lengths.
    SSL_CTX_set_options(context.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
  }
  return context;
}

Socket::Step TlsSocket::read_now(std::span<char> space) {
  std::size_t count = 0;
  ERR_clear_error();
  const int result = SSL_read_ex(ssl_.get(), space.data(), space.size(), &count);
  return result == 1 ? Step{.next = Next::done, .count = count, .error = ""} : why(result);
}

Socket::Step TlsSocket::write_now(std::string_view bytes) {
  std::size_t count = 0;
  ERR_clear_error();
  const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count);
  return result == 1 ? Step{.next = Next::done, .count = count, .error = ""} : why(result);
}

// One record. OpenSSL wants the bytes of a write that had no room again: they are the first of what
// waits then as well.
Socket::Step TlsSocket::write_pieces_now(std::span<const std::string_view> pieces) {
  if (pieces.size() == 1 || pieces.front().size() >= SSL3_RT_MAX_PLAIN_LENGTH) {
    return write_now(pieces.front());
  }
  std::string record;
  for (const std::string_view piece : pieces) {
    record += piece.substr(0, SSL3_RT_MAX_PLAIN_LENGTH - record.size());
  }
  return write_now(record);
}

Socket::Step TlsSocket::why(int result) {
  const int system = errno;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {.next = Next::wait_readable, .count = 0, .error = ""};
    case SSL_ERROR_WANT_WRITE:
      return {.next = Next::wait_writable, .count = 0, .error = ""};
    case SSL_ERROR_ZERO_RETURN:
      return {.next = Next::ended, .count = 0, .error = ""};
    case SSL_ERROR_SYSCALL:
      ERR_clear_error();
      return {.next = Next::failed, .count = 0, .error = system == 0 ? "closed" : reason(system)};
    default:
      return {.next = Next::failed, .count = 0, .error = take_tls_error()};
  }
}

Task<Result<void>> TlsSocket::handshake() {
  for (;;) {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) {
      co_return Result<void>();
    }
    const Step step = why(result);
    if (step.next != Next::wait_readable && step.next != Next::wait_writable) {
      co_return fail(ErrorCode::unavailable, step.error.empty() ? "closed" : step.error);
    }
    const Result<void> ready = co_await wait(step.next);
    if (!ready) {
      co_return ready;
    }
  }
}

}  // namespace pi_mcp::io

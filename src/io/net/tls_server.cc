#include "io/net/tls_server.h"

#include <openssl/err.h>

#include <string_view>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "io/loop/signals.h"
#include "io/net/openssl.h"
#include "io/net/tls_socket.h"

namespace pi_mcp::io {
namespace {

// The one protocol that is spoken here, when a client names several (RFC 7301).
// NOLINTNEXTLINE(readability-function-size): as many parameters as OpenSSL gives
int choose_protocol(SSL* /*ssl*/,
                    const unsigned char** chosen,
                    unsigned char* chosen_bytes,
                    const unsigned char* offered,
                    unsigned offered_bytes,
                    void* /*unused*/) {
  static constexpr std::string_view ours = "\x08http/1.1";
  unsigned char* found = nullptr;
  const int result = SSL_select_next_proto(&found,
                                           chosen_bytes,
                                           reinterpret_cast<const unsigned char*>(ours.data()),
                                           static_cast<unsigned>(ours.size()),
                                           offered,
                                           offered_bytes);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// Nobody sits at a terminal who could be asked.
int no_password(char* /*buffer*/, int /*bytes*/, int /*writes*/, void* /*unused*/) {
  return -1;
}

}  // namespace

Result<TlsIdentity> TlsIdentity::read(std::string certificate_file, std::string key_file) {
  TlsIdentity identity(std::move(certificate_file), std::move(key_file));
  (void)identity.note_stamps();
  if (Result<void> loaded = identity.load(); !loaded) {
    return fail(loaded.error());
  }
  return identity;
}

bool TlsIdentity::note_stamps() {
  const std::optional<FileStamp> certificate = stamp_of(certificate_);
  const std::optional<FileStamp> key = stamp_of(key_);
  const bool has_changed = certificate != certificate_stamp_ || key != key_stamp_;
  certificate_stamp_ = certificate;
  key_stamp_ = key;
  return has_changed;
}

Result<void> TlsIdentity::load() {
  use_openssl_alone();
  for (const std::string& path : {certificate_, key_}) {
    const Result<std::optional<std::string>> text = read_file(path);
    if (!text || !*text) {
      return fail(ErrorCode::io, text ? path + " does not exist" : text.error().message());
    }
  }
  std::shared_ptr<SSL_CTX> context = new_tls_context(TLS_server_method());
  if (!context) {
    return fail(ErrorCode::unavailable, "TLS cannot be set up: " + take_tls_error());
  }
  SSL_CTX_set_default_passwd_cb(context.get(), no_password);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_.c_str()) != 1) {
    return fail(ErrorCode::invalid_argument,
                certificate_ + " holds no certificate in PEM form (" + take_tls_error() + ")");
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_.c_str(), SSL_FILETYPE_PEM) != 1) {
    return fail(ErrorCode::invalid_argument,
                key_ +
                    " holds no key without a password in PEM form that belongs to the "
                    "certificate (" +
                    take_tls_error() + ")");
  }
  context_ = std::move(context);
  return {};
}

void TlsIdentity::look() {
  if (!note_stamps()) {
    return;
  }
  if (const Result<void> loaded = load(); loaded) {
    log::info("the certificate was read again");
  } else {
    log::warning("the certificate stays as it was: " + loaded.error().message());
  }
}

Task<Result<std::unique_ptr<Socket>>> accept_tls(Fd fd, std::shared_ptr<SSL_CTX> context) {
  ignore_broken_pipes();  // OpenSSL writes with write(2)
  std::unique_ptr<SSL, FreeTls> ssl(SSL_new(context.get()));
  if (!ssl || SSL_set_fd(ssl.get(), fd.get()) != 1) {
    co_return fail(ErrorCode::unavailable, "TLS cannot be set up: " + take_tls_error());
  }
  SSL_set_accept_state(ssl.get());
  const Executor executor = co_await boost::asio::this_coro::executor;
  auto socket =
      std::make_unique<TlsSocket>(executor, std::move(fd), std::move(context), std::move(ssl));
  const Result<void> done = co_await socket->handshake();
  if (!done) {
    co_return fail(done.error());
  }
  co_return std::move(socket);
}

}  // namespace pi_mcp::io

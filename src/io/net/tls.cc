#include "io/net/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "io/files/file.h"
#include "io/loop/signals.h"
#include "io/net/openssl.h"
#include "io/net/tls_socket.h"

namespace pi_mcp::io {
namespace {

// Where systems keep their roots: hashed folders cost nothing until a certificate is looked for,
// reading a bundle costs 15 ms.
constexpr std::array<const char*, 2> root_folders = {"/etc/ssl/certs", "/etc/pki/tls/certs"};
constexpr std::array<const char*, 4> root_bundles = {"/etc/ssl/certs/ca-certificates.crt",
                                                     "/etc/pki/tls/certs/ca-bundle.crt",
                                                     "/etc/ssl/ca-bundle.pem",
                                                     "/etc/ssl/cert.pem"};

// Names like 3bde41ac.0, which OpenSSL looks up by.
bool is_hashed(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".0") {
      return true;
    }
  }
  return false;
}

std::string variable(const TlsOptions& options, const std::string& name) {
  const auto found = options.environment.find(name);
  return found == options.environment.end() ? "" : found->second;
}

bool load_file(SSL_CTX* context, const std::string& path) {
  const bool loaded = SSL_CTX_load_verify_file(context, path.c_str()) == 1;
  ERR_clear_error();
  return loaded;
}

void load_system_roots(SSL_CTX* context, const TlsOptions& options) {
  bool found = false;
  if (const std::string file = variable(options, "SSL_CERT_FILE"); !file.empty()) {
    found = load_file(context, file);
  }
  if (const std::string folder = variable(options, "SSL_CERT_DIR"); !folder.empty()) {
    found = SSL_CTX_load_verify_dir(context, folder.c_str()) == 1 || found;
  }
  for (const char* folder : root_folders) {
    found = found || (is_hashed(folder) && SSL_CTX_load_verify_dir(context, folder) == 1);
  }
  for (const char* file : root_bundles) {
    found = found || load_file(context, file);
  }
  if (const std::string more = variable(options, "NODE_EXTRA_CA_CERTS"); !more.empty()) {
    (void)load_file(context, more);  // as Node: without them the handshake says what is missing
  }
  ERR_clear_error();
}

using Context = std::shared_ptr<SSL_CTX>;

Result<Context> make_context(const TlsOptions& options) {
  use_openssl_alone();
  Context context = new_tls_context(TLS_client_method());
  if (!context) {
    return fail(ErrorCode::unavailable, "TLS cannot be set up: " + take_tls_error());
  }
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (options.ca_file.empty()) {
    load_system_roots(context.get(), options);
  } else if (!load_file(context.get(), options.ca_file)) {
    constexpr std::size_t bytes_max = std::size_t{64} << 20U;
    const Result<std::optional<std::string>> text = read_file(options.ca_file, bytes_max);
    if (!text || !*text) {
      return fail(ErrorCode::invalid_argument,
                  "the caFile cannot be read: " +
                      (text ? options.ca_file + " does not exist" : text.error().message()));
    }
    return fail(ErrorCode::invalid_argument,
                "the caFile " + options.ca_file + " holds no certificates in PEM form");
  }
  return context;
}

// Connections with the same roots share a context: it takes 1.4 ms and 50 KB to make one. One loop
// per process, so nothing is locked.
Result<Context> context_for(const TlsOptions& options) {
  static std::map<std::string, std::weak_ptr<SSL_CTX>> contexts;
  const std::string key = options.ca_file + '\0' + variable(options, "SSL_CERT_FILE") + '\0' +
                          variable(options, "SSL_CERT_DIR") + '\0' +
                          variable(options, "NODE_EXTRA_CA_CERTS");
  if (Context shared = contexts[key].lock()) {
    return shared;
  }
  Result<Context> made = make_context(options);
  std::erase_if(contexts, [](const auto& entry) { return entry.second.expired(); });
  if (made) {
    contexts[key] = *made;
  }
  return made;
}

Error handshake_error(long verified, const std::string& text) {
  if (verified != X509_V_OK) {
    const std::string why = X509_verify_cert_error_string(verified);
    const bool is_name =
        verified == X509_V_ERR_HOSTNAME_MISMATCH || verified == X509_V_ERR_IP_ADDRESS_MISMATCH;
    return {ErrorCode::unavailable,
            "its certificate is not accepted (" + why + ")" +
                (is_name ? "; the url names another host than the certificate"
                         : "; a private authority's certificate can be given as \"caFile\"")};
  }
  if (text.find("wrong version number") != std::string::npos ||
      text.find("http request") != std::string::npos) {
    return {ErrorCode::unavailable, "it does not speak TLS there; is it an http:// address?"};
  }
  return {ErrorCode::unavailable, "the TLS handshake failed: " + text};
}

bool set_host(SSL* ssl, const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  const bool is_address = ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
                          ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
  if (is_address) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  }
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

}  // namespace

Task<Result<std::unique_ptr<Socket>>> start_tls(Fd fd, TlsOptions options) {
  Result<Context> context = context_for(options);
  if (!context) {
    co_return fail(std::move(context).error());
  }
  ignore_broken_pipes();  // OpenSSL writes with write(2)
  std::unique_ptr<SSL, FreeTls> ssl(SSL_new(context->get()));
  // RFC 7301: the length, then the name.
  constexpr std::string_view protocols = "\x08http/1.1";
  const auto* names = reinterpret_cast<const unsigned char*>(protocols.data());
  if (!ssl || SSL_set_fd(ssl.get(), fd.get()) != 1 || !set_host(ssl.get(), options.host) ||
      SSL_set_alpn_protos(ssl.get(), names, static_cast<unsigned>(protocols.size())) != 0) {
    co_return fail(ErrorCode::unavailable, "TLS cannot be set up: " + take_tls_error());
  }
  const Executor executor = co_await boost::asio::this_coro::executor;
  auto socket =
      std::make_unique<TlsSocket>(executor, std::move(fd), *std::move(context), std::move(ssl));
  SSL_set_connect_state(socket->ssl());
  const Result<void> done = co_await socket->handshake();
  if (!done) {
    co_return fail(
        done.error().code() == ErrorCode::cancelled
            ? done.error()
            : handshake_error(SSL_get_verify_result(socket->ssl()), done.error().message()));
  }
  co_return std::move(socket);
}

}  // namespace pi_mcp::io

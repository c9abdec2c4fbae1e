// TLS over a connected socket, by OpenSSL, which is set up when the first connection is made.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "io/files/fd.h"
#include "io/loop/task.h"
#include "io/net/socket.h"

namespace pi_mcp::io {

struct TlsOptions {
  std::string host;     // the certificate must be for this name or address
  std::string ca_file;  // PEM, absolute; replaces the system's roots. Empty: system roots
  // SSL_CERT_FILE and SSL_CERT_DIR name other system roots, NODE_EXTRA_CA_CERTS more of them.
  std::map<std::string, std::string> environment;
};

// Handshake as the client, TLS 1.2 or later, certificate and name checked, ALPN "http/1.1".
// invalid_argument: the ca file. unavailable: why the handshake failed, with the next step where
// there is one. cancelled. Without a deadline of its own.
Task<Result<std::unique_ptr<Socket>>> start_tls(Fd fd, TlsOptions options);

}  // namespace pi_mcp::io

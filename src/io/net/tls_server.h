// The other side of TLS: who we are to those who connect to us.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "io/files/fd.h"
#include "io/files/file.h"
#include "io/loop/task.h"
#include "io/net/socket.h"

namespace pi_mcp::io {

// A certificate and its key from files, read again when they change.
class TlsIdentity {
 public:
  // PEM: the certificate with those that lead to its root, and its key without a password.
  // invalid_argument names the file and what is wrong with it: no PEM, or a key of another
  // certificate. io: a file cannot be read.
  static Result<TlsIdentity> read(std::string certificate_file, std::string key_file);

  // Reads the files again if they have changed. While they do not fit together, as between the
  // writing of one and of the other, what was read before counts; the log says so once.
  void look();

  // What connections from now on use; a context lives as long as its connections.
  [[nodiscard]] const std::shared_ptr<SSL_CTX>& context() const { return context_; }

 private:
  TlsIdentity(std::string certificate_file, std::string key_file)
      : certificate_(std::move(certificate_file)), key_(std::move(key_file)) {}
  Result<void> load();
  [[nodiscard]] bool note_stamps();

  std::string certificate_;  // paths
  std::string key_;
  std::optional<FileStamp> certificate_stamp_;
  std::optional<FileStamp> key_stamp_;
  std::shared_ptr<SSL_CTX> context_;
};

// Handshake as the server, ALPN "http/1.1". unavailable: why it failed; cancelled. Without a
// deadline of its own.
Task<Result<std::unique_ptr<Socket>>> accept_tls(Fd fd, std::shared_ptr<SSL_CTX> context);

}  // namespace pi_mcp::io

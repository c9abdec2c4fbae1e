#include "io/net/openssl.h"

#include <openssl/crypto.h>

namespace pi_mcp::io {

void use_openssl_alone() {
  // The first call decides. It fails for want of memory alone, and whatever comes next says so.
  (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
}

}  // namespace pi_mcp::io

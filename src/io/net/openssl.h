// OpenSSL as it is linked in: without the machine's configuration, which may name modules to load
// into a program that has a C library of its own (docs/decisions/0067-one-file.md).
#pragma once

namespace pi_mcp::io {

// Has to be called before anything else of OpenSSL; again costs nothing.
void use_openssl_alone();

}  // namespace pi_mcp::io

// What OpenSSL does when a program starts, which most of ours never use. Part of the programs, not
// of the library; CMakeLists.txt says whose.
#include <utility>

// It asks the processor seven times what it can do, and each answer costs a virtual machine 4 µs.
// OPENSSL_init_crypto(), which is before any use, asks again; so the first time is passed over. (On
// arm64 a constructor asks, which is not passed over, and what follows it has nothing to add.)
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): --wrap names them
void __real_OPENSSL_cpuid_setup();
void __wrap_OPENSSL_cpuid_setup();

void __wrap_OPENSSL_cpuid_setup() {
  static bool has_started = false;
  if (std::exchange(has_started, true)) {
    __real_OPENSSL_cpuid_setup();
  }
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

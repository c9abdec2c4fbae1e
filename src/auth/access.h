// Which server tokens are for and how they are obtained.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "auth/client_settings.h"
#include "base/result.h"
#include "base/time.h"
#include "io/loop/task.h"
#include "io/process/kernel.h"

namespace pi_mcp::auth {

class SharedLogins;

// keyring: where one answers, else in a file. encrypted_file: see auth/sealed.h.
enum class LoginStore : std::uint8_t { keyring, file, encrypted_file };

struct Access {
  std::string server;  // configured name, for messages and for the store
  std::string url;     // resolved
  ClientSettings settings;
  std::string agent_dir;         // absolute
  std::string principal;         // whose logins these are, see config::Settings; empty: the user's
  std::string adapter_dir;       // absolute, of the adapter's token files; empty: where it began
  bool adapter_tokens = false;   // the adapter's token file counts: "auth": "oauth"
  bool may_ask = false;          // autoAuth: a person may be asked while a call waits
  std::string protocol_version;  // MCP's, for metadata requests; may be empty
  // The session's, for opening a browser and for the keyring.
  std::map<std::string, std::string> variables;
  // Where new logins go (oauthCredentialStore). This program, run once more, asks the keyring.
  LoginStore store = LoginStore::keyring;
  std::string key_file;  // absolute; holds the key of LoginStore::encrypted_file. Empty: none
  std::string keyring_program = io::own_program();
  // For cross_app_access: asked anew for each login, since identity tokens live for minutes. Empty:
  // none is configured.
  std::function<io::Task<Result<std::string>>()> identity_token;
  // What replicas have in common; null: there are none, and files have it all. Outlives all logins.
  SharedLogins* shared = nullptr;
};

// Each request to an authorisation server; a person at the browser.
constexpr Milliseconds request_max{30'000};
constexpr Milliseconds person_max{300'000};
// How long another process may take to redeem a token: its request, and some more.
constexpr Milliseconds lock_max{45'000};

}  // namespace pi_mcp::auth

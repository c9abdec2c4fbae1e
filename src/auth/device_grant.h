// A login with a code that a person enters on any device (RFC 8628), as a machine: what the
// authorization server hands out, when to ask for the tokens next, and when to stop. Pure.
#pragma once

#include <string>
#include <vector>

#include "auth/token_request.h"
#include "base/result.h"
#include "base/time.h"
#include "http/address_rule.h"
#include "http/form.h"
#include "http/message.h"

namespace pi_mcp::auth {

// What a person needs.
struct DevicePrompt {
  std::string page;            // where the code is entered
  std::string page_with_code;  // the same with the code in it; empty: none
  std::string code;            // printable
  Milliseconds good_for{0};
};

class DeviceGrant {
 public:
  // Reads the answer to the device authorization request (section 3.2). protocol: a member is
  // missing, or a page is not one that a person may be sent to.
  static Result<DeviceGrant> parse(const http::Answer& answer,
                                   const http::AddressRule& addresses,
                                   EpochMs now);

  [[nodiscard]] const DevicePrompt& prompt() const { return prompt_; }
  // The token request, without what shows who we are (section 3.4).
  [[nodiscard]] http::Form form() const;
  // The time until the next token request. timed_out: the code has expired.
  [[nodiscard]] Result<Milliseconds> pause(EpochMs now) const;

  // The code was not used yet, or the server has a problem. True: ask again after pause().
  bool goes_on_after(TokenFailure::Kind kind);

 private:
  DevicePrompt prompt_;
  std::string device_code_;  // secret
  Milliseconds interval_{0};
  EpochMs ends_at_;
};

}  // namespace pi_mcp::auth

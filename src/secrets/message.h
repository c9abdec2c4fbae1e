// Messages that are to be kept, without what nobody may see. Pure.
#pragma once

#include <string>
#include <string_view>

#include "json/document.h"
#include "secrets/secrets.h"

namespace pi_mcp::secrets {

// The JSON with "***" in the place of: the known secrets, values of members that are called like a
// secret, and what looks like a key, in texts and in JSON inside of texts too. Narrower than
// mask.h, because tools have arguments called `key`: a name that is often harmless hides only what
// could be a token. Names, types and the shape of the message stay, and so do pictures, cursors and
// progress tokens, which belong to the protocol.
std::string mask_message(json::Value message, const Secrets& known);

// The same of lines that a program writes for people. Names of variables (GITHUB_TOKEN) stay: they
// are what is to be mended.
std::string mask_prose(std::string_view text);

}  // namespace pi_mcp::secrets

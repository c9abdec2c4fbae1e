// Requests of servers that are forwarded up to a host: which ones, with what params, and what the
// server hears when there is no answer. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_text.h"
#include "mcp/client_features.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

// The member of params._meta that tells the host which server asks.
constexpr std::string_view asking_server_key = "pi-mcp/server";

struct Refusal {
  std::int64_t code = 0;  // JSON-RPC
  std::string message;
};

// Why a request is not for the host: the method is none of elicitation/create,
// sampling/createMessage and roots/list, its capability was not declared, or (-32602, as
// client/elicitation and client/sampling want it) its mode or its tools were not. nullopt: it is.
std::optional<Refusal> refusal_of(std::string_view method,
                                  json::Value params,
                                  const ClientFeatures& features);

// What a form's schema says of members that a host may leave out: `"name":default,...`; empty:
// there are no defaults, or it is not a form.
std::string form_defaults(std::string_view method, json::Value params);

// The host's answer to a form; where it accepts, members that it left out have their defaults.
Result<rpc::Message> with_form_defaults(rpc::Message answer, const std::string& defaults);

// The url that an elicitation wants a person to open; nullopt for every other request.
std::optional<std::string> page_of(std::string_view method, json::Value params);

// in_text: what the user reads begins with the name of the server. by_host: the host reads
// asking_server_key and shows it itself, as our extension for Pi does. known: the host has only
// this server, and gets its words as they are.
enum class AskerShown : std::uint8_t { in_text, by_host, known };

// The params for the host: the bytes of the server's, with asking_server_key in front. A
// progressToken of the server is taken out, since tokens are per hop. What its user reads of it
// (docs/decisions/0016-who-asks.md): the message of an elicitation, the system prompt of a sampling
// request.
SharedText forwarded_params(std::string_view method,
                            json::Value params,
                            std::string_view server,
                            AskerShown asker = AskerShown::in_text);

// What the server gets for the host's answer, with its bytes unchanged.
rpc::Outgoing forwarded_answer(const rpc::Id& id, const rpc::Message& answer);

// What it gets when there is none: a person who does not answer in time has not decided (cancel).
rpc::Outgoing forwarded_failure(const rpc::Id& id, std::string_view method, const Error& error);

}  // namespace pi_mcp::mcp

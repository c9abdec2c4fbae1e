#include "tool/modes/bearer_token.h"

#include <algorithm>
#include <utility>

#include "auth/secret_store.h"
#include "base/ascii.h"
#include "base/text.h"
#include "base/variable_reference.h"
#include "json/writer.h"
#include "registry/server_registry.h"
#include "servers/launch/oauth_access.h"
#include "tool/consent/user_question.h"
#include "tool/failures.h"
#include "tool/modes/manage.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

constexpr std::size_t secret_name_max = 64;
constexpr std::string_view key = "bearerToken";

// The name under which it is stored: letters, digits and "_.-".
std::string secret_of(std::string_view server) {
  std::string name(server);
  std::ranges::replace_if(name, [](char c) { return !ascii::is_alphanumeric_or(c, "_.-"); }, '-');
  constexpr std::string_view ending = "-token";
  return name.substr(0, secret_name_max - ending.size()) + std::string(ending);
}

Answer failed_token(const std::string& server, std::string_view why) {
  return Reply(std::nullopt,
               Failure::usage,
               "token_not_changed",
               "The token of " + quoted(server) + " was not changed: " + std::string(why))
      .take();
}

auth::SecretStore store_of(const ModeParts& parts) {
  return auth::SecretStore(
      servers::store_access(parts.registry->environment(), parts.registry->settings()));
}

// Why this server takes no token of ours; empty: it does.
std::string_view problem_of(const config::Server* server) {
  if (server == nullptr) {
    return "there is no such server";
  }
  if (!server->url) {
    return "it is a program on this machine, which takes its secrets from \"env\"";
  }
  return server->standing == config::Standing::user
             ? ""
             : "a file of the project defines it, and a project gets no secret of yours: /mcp add "
               "a server of your own";
}

Answer failed_secret(const std::string& name, std::string_view why) {
  return Reply(std::nullopt,
               Failure::usage,
               "secret_not_changed",
               "The secret " + quoted(name) + " was not changed: " + std::string(why))
      .take();
}

// What a dialog asks for and where it is stored.
struct AskedSecret {
  std::string name;
  std::string question;
};

// Asks and stores. Where it is now.
io::Task<Result<std::string>> keep_asked(auth::SecretStore store,
                                         AskedSecret wanted,
                                         CallContext context) {
  const Result<std::string> typed = co_await ask_text(
      context, wanted.question + " (it is seen while you type, and stored as a secret)");
  if (!typed) {
    co_return fail(typed.error());
  }
  const std::string secret(text::trim(*typed));
  if (secret.empty() || secret.size() > auth::secret_bytes_max) {
    co_return fail(ErrorCode::invalid_argument, "it is empty or has more than 64 KiB");
  }
  std::string place = "the keyring";
  Result<void> kept = co_await store.keep(wanted.name, secret, auth::SecretPlace::keyring);
  if (!kept && kept.error().code() == ErrorCode::unavailable) {
    const Result<std::string> file = co_await ask_choice(
        context,
        "The keyring does not take it: " + kept.error().message(),
        {{.value = "file", .title = "Store it in " + store.path() + ", for your eyes only (0600)"},
         {.value = "no", .title = "Do not store it"}});
    if (file && *file == "file") {
      place = store.path();
      kept = co_await store.keep(wanted.name, secret, auth::SecretPlace::file);
    }
  }
  co_return kept ? Result<std::string>(std::move(place)) : fail(kept.error());
}

}  // namespace

io::Task<Answer> set_bearer_token(ModeParts* parts, std::string server, CallContext context) {
  if (const std::string_view problem = problem_of(parts->registry->find(server));
      !problem.empty()) {
    co_return failed_token(server, problem);
  }
  const std::string name = secret_of(server);
  AskedSecret wanted{.name = name, .question = "The bearer token of " + server};
  const Result<std::string> place =
      co_await keep_asked(store_of(*parts), std::move(wanted), std::move(context));
  if (!place) {
    co_return failed_token(server, place.error().message());
  }
  const std::string value = "${keyring:" + name + "}";
  const Result<std::string> file = parts->access->edit(
      {.server = server, .key = key, .value_json = json::quoted(value), .scope = Scope::standard});
  if (!file) {
    co_return failed_token(server, file.error().message());
  }
  co_return Reply(std::nullopt,
                  "The token of " + quoted(server) + " is in " + *place + " as " + name +
                      ", and is used from now on. /mcp reconnect " + server + " tries it.")
      .take();
}

io::Task<Answer> remove_bearer_token(ModeParts* parts, std::string server) {
  if (const std::string_view problem = problem_of(parts->registry->find(server));
      !problem.empty()) {
    co_return failed_token(server, problem);
  }
  const std::optional<std::string> said = parts->registry->find(server)->bearer_token;
  const std::string name = secret_of(server);
  if (said && *said != "${keyring:" + name + "}") {
    co_return failed_token(server, "its entry has one that was written there: /mcp edit " + server);
  }
  const Result<bool> removed = co_await store_of(*parts).remove(name);
  if (!removed) {
    co_return failed_token(server, removed.error().message());
  }
  if (said) {
    const Result<std::string> file = parts->access->edit(
        {.server = server, .key = key, .value_json = "", .scope = Scope::standard});
    if (!file) {
      co_return failed_token(server, file.error().message());
    }
  }
  co_return Reply(std::nullopt,
                  *removed || said ? "The token of " + quoted(server) + " is removed."
                                   : "No token of " + quoted(server) + " is stored.")
      .take();
}

io::Task<Answer> set_secret(ModeParts* parts, std::string name, CallContext context) {
  if (!is_name_of_secret(name)) {
    co_return failed_secret(name, "a name has letters, digits, \"_\", \".\" and \"-\", 64 at most");
  }
  AskedSecret wanted{.name = name, .question = "The secret " + name};
  const Result<std::string> place =
      co_await keep_asked(store_of(*parts), std::move(wanted), std::move(context));
  if (!place) {
    co_return failed_secret(name, place.error().message());
  }
  co_return Reply(std::nullopt,
                  "The secret is in " + *place + ". ${keyring:" + name +
                      "} in an entry of yours stands for it; /mcp reconnect tries it.")
      .take();
}

io::Task<Answer> remove_secret(ModeParts* parts, std::string name) {
  const Result<bool> removed = co_await store_of(*parts).remove(name);
  if (!removed) {
    co_return failed_secret(name, removed.error().message());
  }
  co_return Reply(std::nullopt,
                  *removed ? "The secret " + quoted(name) + " is removed."
                           : "There is no secret " + quoted(name) + ".")
      .take();
}

}  // namespace pi_mcp::tool

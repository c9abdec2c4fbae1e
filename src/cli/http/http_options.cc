#include "cli/http/http_options.h"

#include <utility>

#include "cli/http/listen_address.h"
#include "config/load.h"
#include "io/loop/clock.h"
#include "io/process/kernel.h"
#include "io/process/net_program.h"

namespace pi_mcp::cli {
namespace {

constexpr std::size_t drain_seconds_default = 30;
constexpr std::size_t drain_seconds_max = 3600;

Result<Milliseconds> drain_option(const CommandLine& line) {
  const Result<std::optional<std::size_t>> seconds = count_option(line, OptionId::drain, 0);
  if (!seconds) {
    return fail(seconds.error());
  }
  if (seconds->value_or(0) > drain_seconds_max) {
    return fail(ErrorCode::invalid_argument,
                "--drain wants at most " + std::to_string(drain_seconds_max) + " seconds");
  }
  return Milliseconds(seconds->value_or(drain_seconds_default) * 1000);
}

Result<std::optional<io::TlsIdentity>> tls_options(const CommandLine& line) {
  const std::optional<std::string> certificate = line.value(OptionId::tls_cert);
  const std::optional<std::string> key = line.value(OptionId::tls_key);
  if (certificate.has_value() != key.has_value()) {
    return fail(ErrorCode::invalid_argument, "--tls-cert and --tls-key go together");
  }
  if (!certificate) {
    return std::nullopt;
  }
  Result<io::TlsIdentity> identity = io::TlsIdentity::read(*certificate, *key);
  if (!identity) {
    return fail(identity.error());
  }
  return std::optional(*std::move(identity));
}

Result<std::optional<io::LineLog>> log_option(const CommandLine& line) {
  const std::optional<std::string> file = line.value(OptionId::access_log);
  if (!file) {
    return std::nullopt;
  }
  Result<io::LineLog> opened = io::LineLog::open(*file);
  if (!opened) {
    return fail(opened.error());
  }
  return std::optional(*std::move(opened));
}

Error no_net_program(const std::string& address, const Error& why) {
  return Error(ErrorCode::unavailable,
               "--http " + address + " is served by a second file of a release, but " +
                   why.message() +
                   "; install both files, or let a proxy that speaks TLS pass on to --http "
                   "127.0.0.1:8808 --allow-host NAME");
}

// By which clients call it.
std::vector<std::string> names_of(const CommandLine& line,
                                  const std::optional<access::OAuthRules>& oauth) {
  std::vector<std::string> hosts = line.values(OptionId::allow_host);
  if (oauth) {
    hosts.push_back(oauth->host());
  }
  return hosts;
}

Result<access::Gate> make_gate(const CommandLine& line,
                               const std::string& address,
                               const std::optional<ReplicaOptions>& replica,
                               std::vector<std::string> hosts) {
  if (replica) {  // other replicas name it so
    hosts.push_back(replica->own_url.substr(replica->own_url.find("://") + 3));
  }
  return access::Gate::make({.is_local_only = access::is_local_address(address),
                             .allowed_hosts = std::move(hosts),
                             .allowed_origins = line.values(OptionId::allow_origin),
                             .own_user = io::own_user_id()});
}

}  // namespace

Result<HttpOptions> read_http_options(const Setup& setup, access::TokenFile& tokens) {
  const CommandLine& line = setup.line;
  Result<std::string> address = listen_address(line.value(OptionId::http).value_or(""));
  if (!address) {
    return fail(address.error());
  }
  const config::Settings settings = load_settings(setup);
  Result<HttpSettings> http = read_http_settings(settings);
  if (!http) {
    return fail(http.error());
  }
  const bool anybody_may = tokens.has_any(io::epoch_now()) || http->oauth.has_value();
  if (Result<void> may = access::may_listen(*address, anybody_may); !may) {
    return fail(may.error());
  }
  if (!access::is_local_address(*address) && !io::is_net_program()) {
    return fail(no_net_program(*address, io::become_net_program()));
  }
  Result<std::optional<ReplicaOptions>> replica = replica_options(setup);
  if (!replica) {
    return fail(replica.error());
  }
  std::vector<std::string> names = names_of(line, http->oauth);
  Result<access::Gate> gate = make_gate(line, *address, *replica, names);
  if (!gate) {
    return fail(gate.error());
  }
  const std::optional<std::string> key_file = line.value(OptionId::session_key);
  Result<access::SessionKeys> keys =
      key_file ? access::SessionKeys::read(*key_file) : access::SessionKeys::in_memory();
  if (!keys) {
    return fail(keys.error());
  }
  const Result<Milliseconds> drain = drain_option(line);
  if (!drain) {
    return fail(drain.error());
  }
  Result<std::optional<io::LineLog>> access_log = log_option(line);
  if (!access_log) {
    return fail(access_log.error());
  }
  Result<std::optional<io::TlsIdentity>> identity = tls_options(line);
  if (!identity) {
    return fail(identity.error());
  }
  return HttpOptions{.address = *std::move(address),
                     .gate = *std::move(gate),
                     .keys = *std::move(keys),
                     .drain = *drain,
                     .access_log = *std::move(access_log),
                     .identity = *std::move(identity),
                     .replica = *std::move(replica),
                     .http = *std::move(http),
                     .private_hosts = settings.private_hosts,
                     .names = std::move(names)};
}

}  // namespace pi_mcp::cli

#include "mcp/server/envelope.h"

#include <string>
#include <utility>

#include "json/writer.h"
#include "mcp/discovery.h"

namespace pi_mcp::mcp {
namespace {

constexpr std::size_t shown_bytes_max = 64;  // of a version that is not ours

std::string supported(json::Value asked) {
  json::Writer data;
  data.begin_object().member_raw("supported", revisions_json());
  if (asked) {
    data.member_raw("requested", asked.raw());
  }
  return data.end_object().take();
}

rpc::Outgoing missing(const rpc::Id& request, std::string_view key, std::string_view kind) {
  return rpc::failure(request,
                      rpc::error_code::invalid_params,
                      "a request without a handshake needs params._meta[\"" + std::string(key) +
                          "\"], " + std::string(kind),
                      supported({}));
}

rpc::Outgoing wrong(const rpc::Id& request, std::string_view key, std::string_view kind) {
  return rpc::failure(request,
                      rpc::error_code::invalid_params,
                      "params._meta[\"" + std::string(key) + "\"] must be " + std::string(kind));
}

rpc::Outgoing unsupported(const rpc::Id& request, json::Value asked) {
  const std::string version = asked.string_or("");
  const bool is_by_handshake = parse_handshake_revision(version).has_value();
  return rpc::failure(request,
                      error_code::unsupported_version,
                      is_by_handshake ? "protocol version " + version + " begins with initialize"
                                      : "unsupported protocol version " +
                                            json::quoted(version.substr(0, shown_bytes_max)),
                      supported(asked));
}

}  // namespace

HostInfo read_host(json::Value info, json::Value capabilities, Revision revision) {
  return {.name = info.find("name").string_or(""),
          .version = info.find("version").string_or(""),
          .features = read_client_features(capabilities),
          .wants_details = capabilities.at({"experimental", details_key}).is_object(),
          .revision = revision};
}

bool has_envelope(json::Value params) {
  return params.at({"_meta", meta_key::protocol_version}).exists();
}

bool has_part_of_envelope(json::Value params) {
  const json::Value meta = params.find("_meta");
  return meta.find(meta_key::client_capabilities) || meta.find(meta_key::client_info);
}

rpc::Outgoing version_missing(const rpc::Id& request) {
  return missing(request, meta_key::protocol_version, "a string");
}

tl::expected<Envelope, rpc::Outgoing> read_envelope(const rpc::Message& request) {
  const json::Value meta = request.params().find("_meta");
  const json::Value version = meta.find(meta_key::protocol_version);
  if (!version.is_string()) {
    return tl::unexpected(version_missing(request.id()));
  }
  const std::optional<Revision> revision = parse_revision(version.string_or(""));
  if (!revision || traits(*revision).has_handshake) {
    return tl::unexpected(unsupported(request.id(), version));
  }
  const json::Value capabilities = meta.find(meta_key::client_capabilities);
  if (!capabilities.is_object()) {
    return tl::unexpected(missing(request.id(), meta_key::client_capabilities, "an object"));
  }
  const json::Value info = meta.find(meta_key::client_info);
  if (info && !(info.find("name").is_string() && info.find("version").is_string())) {
    return tl::unexpected(
        wrong(request.id(), meta_key::client_info, "an object with a name and a version"));
  }
  const json::Value level = meta.find(meta_key::log_level);
  const std::optional<LogLevel> log_level = parse_log_level(level.string_or(""));
  if (level && !log_level) {
    return tl::unexpected(wrong(request.id(),
                                meta_key::log_level,
                                "one of debug, info, notice, warning, error, critical, alert, "
                                "emergency"));
  }
  Envelope envelope{.host = read_host(info, capabilities, *revision), .log_level = log_level};
  envelope.host.features.roots_list_changed = false;  // there is no such notice
  return envelope;
}

}  // namespace pi_mcp::mcp

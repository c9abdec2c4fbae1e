#include "host/resources.h"

#include <optional>
#include <string>

#include "json/writer.h"
#include "mcp/methods.h"
#include "mcp/server_session.h"

namespace pi_mcp::host {
namespace {

namespace method = mcp::method;

std::string uri_params(std::string_view uri) {
  json::Writer params;
  return params.begin_object().member("uri", uri).end_object().take();
}

rpc::Outgoing unknown_resource(const rpc::Message& request, std::string_view uri) {
  constexpr std::size_t shown_bytes_max = 128;
  return rpc::failure(request.id(),
                      rpc::error_code::resource_not_found,
                      "there is no resource " + json::quoted(uri.substr(0, shown_bytes_max)) +
                          "; resources/list has them all",
                      uri_params(uri.substr(0, shown_bytes_max)));
}

}  // namespace

rpc::Outgoing HostResources::answer(const rpc::Message& request) {
  const std::string_view asked = request.method();
  if (asked == mcp::method::resources_list) {
    return rpc::result(request.id(), rpc::Outgoing(std::string(tool::OwnResources::list_result())));
  }
  if (asked == mcp::method::resources_templates_list) {
    return rpc::result(request.id(),
                       rpc::Outgoing(std::string(tool::OwnResources::templates_result())));
  }
  const std::string uri = request.params().find("uri").string_or("");
  if (asked == mcp::method::resources_read) {
    std::optional<std::string> result = resources_.read(uri);
    return result ? rpc::result(request.id(), rpc::Outgoing(*std::move(result)))
                  : unknown_resource(request, uri);
  }
  if (asked == mcp::method::resources_subscribe || asked == mcp::method::resources_unsubscribe) {
    const bool known = asked == mcp::method::resources_subscribe ? resources_.subscribe(uri)
                                                                 : resources_.unsubscribe(uri);
    return known ? rpc::result(request.id(), rpc::Outgoing("{}")) : unknown_resource(request, uri);
  }
  return mcp::unknown_method(request);
}

void HostResources::tell() {
  for (const std::string_view uri : resources_.take_changed()) {
    send_(rpc::notification(mcp::method::resource_updated, SharedText(uri_params(uri))));
  }
}

}  // namespace pi_mcp::host

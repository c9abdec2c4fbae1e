#include "tool/completion.h"

#include <string>
#include <utility>

#include "json/writer.h"
#include "mcp/forwarded_request.h"
#include "mcp/methods.h"
#include "tool/forward.h"

namespace pi_mcp::tool {
namespace {

// The params with the prompt's own name.
SharedText with_name(const SharedText& given, const std::string& prompt) {
  const Result<json::Document> document = json::Document::parse_view(given.view());
  const json::Value params = document ? document->root() : json::Value();
  json::Writer out;
  out.begin_object();
  for (const json::Member member : params.members()) {
    if (!member.key.equals("ref")) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  out.key("ref").begin_object();
  for (const json::Member member : params.find("ref").members()) {
    if (!member.key.equals("name")) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  return SharedText(out.member("name", prompt).end_object().end_object().take());
}

// Empty: there is none.
std::string_view fault_of(json::Value ref) {
  const json::Value type = ref.find("type");
  if (type.equals("ref/prompt")) {
    return ref.find("name").is_string() ? "" : "a ref/prompt needs params.ref.name, a string";
  }
  if (type.equals("ref/resource")) {
    return ref.find("uri").is_string() ? "" : "a ref/resource needs params.ref.uri, a string";
  }
  return "completion/complete needs params.ref, whose type is ref/prompt or ref/resource";
}

rpc::Outgoing refused(const rpc::Message& request, std::string_view why) {
  return rpc::failure(request.id(), rpc::error_code::invalid_params, why);
}

}  // namespace

io::Task<rpc::Outgoing> complete(CompletionParts parts,
                                 const rpc::Message* request,
                                 CallContext context) {
  const json::Value ref = request->params().find("ref");
  if (const std::string_view wrong = fault_of(ref); !wrong.empty()) {
    co_return refused(*request, wrong);
  }
  Forwarded what{
      .server = {}, .method = mcp::method::completion_complete, .params = params_of(*request)};
  if (ref.find("type").equals("ref/prompt")) {
    const Prompts::Target target =
        parts.prompts->find(ref.find("name").string_or(""),
                            request->params().at({"_meta", mcp::asking_server_key}).string_or(""));
    if (target.server.empty()) {
      co_return refused(*request, "no server has this prompt; prompts/list has them all");
    }
    if (!target.ambiguous.empty()) {
      co_return refused(*request, target.ambiguous);
    }
    what.server = target.server;
    what.params = with_name(what.params, target.prompt);
  } else {
    const std::vector<std::string> servers = parts.owners->of(ref.find("uri").string_or(""));
    if (servers.empty()) {
      co_return refused(*request,
                        "no server has this template; resources/templates/list has them all");
    }
    what.server = servers.front();
  }
  const std::string server = what.server;
  const Result<rpc::Message> answer =
      co_await ask_server(parts.registry, std::move(what), std::move(context));
  // That is how a server says that it completes nothing.
  if (answer && answer->error().find("code").as_int() == rpc::error_code::method_not_found) {
    co_return rpc::result(request->id(), rpc::Outgoing(R"({"completion":{"values":[]}})"));
  }
  co_return reply_of(*parts.registry, *request, server, answer);
}

}  // namespace pi_mcp::tool

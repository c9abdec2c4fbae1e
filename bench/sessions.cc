// What one more session of a gateway costs when 10,000 tools are cached: memory and time, with its
// configuration shared, and with one of its own. Prints one JSON object a line.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/cache_file.h"
#include "config/identity.h"
#include "gateway/gateway.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "json/document.h"
#include "meter.h"

namespace {

using namespace pi_mcp;
using bench::allocated_mb;
using bench::processor_ms;

constexpr std::size_t servers = 100;
constexpr std::size_t tools_of_each = 100;
constexpr std::size_t sessions = 8;

config::Settings settings_for(const std::string& agent_dir) {
  config::Settings settings;
  settings.agent_dir = agent_dir;
  for (std::size_t i = 0; i < servers; ++i) {
    config::Server server;
    server.name = "server" + std::to_string(i);
    server.command = "/bin/false";  // never run
    server.entry_json = R"({"command":"/bin/false","args":[")" + server.name + "\"]}";
    settings.servers.push_back(std::move(server));
  }
  return settings;
}

void fill_cache(const config::Settings& settings) {
  catalog::CacheFile cache(settings.agent_dir);
  for (const config::Server& server : settings.servers) {
    catalog::CacheEntry entry;
    const Result<json::Document> text = json::Document::parse_view(server.entry_json);
    entry.identity.own = config::identity_hash(text->root());
    entry.cached_at = io::epoch_now();
    for (std::size_t i = 0; i < tools_of_each; ++i) {
      mcp::Tool& tool = entry.listing.tools.emplace_back();
      tool.name = "read_item_" + std::to_string(i);
      tool.description = "Reads item " + std::to_string(i) + " of the store behind " + server.name +
                         " and gives it back with its owner, its labels and when it was changed.";
      tool.input_schema = SharedText(std::string(
          R"({"type":"object","properties":{"path":{"type":"string","description":"Where it is"},)"
          R"("depth":{"type":"integer","description":"How many levels to follow"}},)"
          R"("required":["path"]})"));
    }
    cache.put(server.name, std::move(entry));
  }
  cache.flush();
}

// Opens a session and searches all it knows.
io::Task<void> use(gateway::Session* session) {
  tool::ToolRequest request;
  request.mode = tool::Mode::search;
  request.subject = "read item 17 with its labels";
  const tool::Answer answer = co_await session->run(std::move(request), {});
  if (answer.is_error()) {
    std::fprintf(stderr, "%s\n", text_of(answer, tool::Reader::shell).c_str());
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): a program of one thread
  }
}

// `apart`: every session has another prefix for one server, so none shares.
io::Task<int> measure(io::Executor executor, config::Settings settings, bool apart) {
  gateway::Gateway gateway(executor);
  config::Environment environment;
  environment.home = environment.cwd = settings.agent_dir;
  for (std::size_t i = 1; i <= sessions; ++i) {
    config::Settings own = settings;
    if (apart) {
      own.servers.front().exclude_tools = {"none_" + std::to_string(i)};
    }
    const double memory = allocated_mb();
    const double began = processor_ms();
    gateway::Session& session = gateway.open(std::move(own), environment, {});
    co_await use(&session);
    std::printf(R"({"session":%zu,"shared":%s,"ms":%.2f,"mb":%.2f,"catalogs":%zu})"
                "\n",
                i,
                apart ? "false" : "true",
                processor_ms() - began,
                allocated_mb() - memory,
                gateway.catalogs().size());
  }
  co_await gateway.close();
  co_return 0;
}

}  // namespace

int main() {
  std::string folder = std::filesystem::temp_directory_path() / "pi-mcp-sessions-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    return 1;
  }
  const config::Settings settings = settings_for(folder);
  fill_cache(settings);
  for (const bool apart : {false, true}) {
    io::run([&settings, apart](const io::Executor& executor) {
      return measure(executor, settings, apart);
    });
  }
  std::filesystem::remove_all(folder);
  return 0;
}

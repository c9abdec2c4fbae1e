// `pi-mcp __complete`: what the completion scripts of completion.h ask. Prints candidates; starts
// no server and says nothing about a configuration that is wrong.
#include <map>
#include <memory>
#include <utility>

#include "access/token_file.h"
#include "auth/secret_store.h"
#include "base/count_text.h"
#include "base/log.h"
#include "cli/commands/commands.h"
#include "cli/commands/line_tool.h"
#include "cli/real_files.h"
#include "cli/show/status_view.h"
#include "cli/words/completion.h"
#include "config/import/hosts.h"
#include "config/import/imports.h"
#include "config/secret_use.h"
#include "gateway/gateway.h"
#include "io/loop/loop.h"
#include "servers/launch/oauth_access.h"

namespace pi_mcp::cli {
namespace {

// Makes the session when it is first asked for: most words need none.
class SessionFacts : public CompletionFacts {
 public:
  SessionFacts(const io::Executor& executor, const Setup& setup)
      : setup_(setup), gateway_(executor) {}

  [[nodiscard]] std::vector<Candidate> servers() const override {
    std::vector<Candidate> found;
    for (const config::Server& server : session().settings().servers) {
      const std::size_t tools = session().catalog().tools(server.name).size();
      found.emplace_back(server.name,
                         server.disabled ? "disabled" : text::count_text(tools, "tool"));
    }
    return found;
  }

  [[nodiscard]] std::vector<Candidate> tools() const override {
    std::vector<Candidate> found;
    for (const config::Server& server : session().settings().servers) {
      if (server.disabled) {
        continue;
      }
      for (const catalog::CatalogTool& tool : session().catalog().tools(server.name)) {
        found.emplace_back(tool.name, tool.description);
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<Candidate> import_kinds() const override {
    std::vector<Candidate> found;
    for (const std::string& kind : config::import_kinds()) {
      found.emplace_back(kind, "");
    }
    return found;
  }

  [[nodiscard]] std::vector<Candidate> secrets() const override {
    const config::Settings& settings = session().settings();
    std::map<std::string, std::string> found;  // with the server that uses it
    for (const config::Server& server : settings.servers) {
      for (const config::SecretUse& use : config::secret_uses(server)) {
        found.emplace(use.name, server.name);
      }
    }
    const auth::SecretStore store(servers::store_access(setup_.environment, settings));
    if (const Result<std::vector<std::string>> names = store.names_in_file()) {
      for (const std::string& name : *names) {
        found.emplace(name, "");
      }
    }
    std::vector<Candidate> candidates;
    candidates.reserve(found.size());
    for (const auto& [name, server] : found) {
      candidates.emplace_back(name, server);
    }
    return candidates;
  }

  [[nodiscard]] std::vector<Candidate> tokens() const override {
    std::vector<Candidate> found;
    const access::TokenFile file(config::agent_dir(setup_.environment));
    const auto records = file.list();
    for (const access::TokenRecord& record :
         records ? *records : std::vector<access::TokenRecord>()) {
      found.emplace_back(record.principal->name, "");
    }
    return found;
  }

  [[nodiscard]] std::vector<Candidate> host_kinds() const override {
    std::vector<Candidate> found;
    found.reserve(config::hosts().size());
    for (const config::Host& host : config::hosts()) {
      found.emplace_back(std::string(host.kind), std::string(host.name));
    }
    return found;
  }

  [[nodiscard]] std::vector<Candidate> tools_of(const std::string& server) const override {
    std::vector<Candidate> found;
    for (const catalog::CatalogTool& tool : session().catalog().tools(server)) {
      found.emplace_back(tool.original, tool.description);
    }
    return found;
  }

  [[nodiscard]] SharedText schema(const std::vector<std::string>& words) const override {
    const Result<CalledTool> called = called_tool(words, names_of(session()));
    const catalog::CatalogTool* tool =
        called ? session().catalog().find(called->tool, called->server, {}).tool : nullptr;
    return tool == nullptr ? SharedText() : tool->input_schema;
  }

  io::Task<void> close() { co_await gateway_.close(); }

 private:
  [[nodiscard]] gateway::Session& session() const {
    if (session_ == nullptr) {
      session_ = &gateway_.open(load_settings(setup_), setup_.environment, {});
    }
    return *session_;
  }

  const Setup& setup_;
  mutable gateway::Gateway gateway_;
  mutable gateway::Session* session_ = nullptr;
};

io::Task<ExitStatus> complete_main(io::Executor executor, const Setup* setup) {
  SessionFacts facts(executor, *setup);
  setup->console->print(complete(setup->line.words(), facts).text());
  co_await facts.close();
  co_return ExitStatus::done;
}

// The words are not parsed as a command line, but some options among them decide what there is.
Setup with_options_of_words(Setup setup) {
  const std::vector<std::string>& words = setup.line.words();
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i] == "--config") {
      setup.load_options.config_file = words[i + 1];
    } else if (words[i] == "--cwd") {
      setup.environment.cwd = io::canonical_path(words[i + 1]);
    }
  }
  return setup;
}

}  // namespace

ExitStatus run_complete_command(const Setup& setup) {
  log::set_level(log::Level::off);
  const Setup completed = with_options_of_words(setup);
  return io::run(
      [&completed](const io::Executor& executor) { return complete_main(executor, &completed); });
}

}  // namespace pi_mcp::cli

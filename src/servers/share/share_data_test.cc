// Which sessions share a server: a table of pairs, and environments as real programs hand them on
// (tests/data/sharing).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "config/server.h"
#include "io/loop/loop.h"
#include "json/document.h"
#include "servers/share/passing.h"
#include "servers/share/scope.h"
#include "support/pool_fixture.h"

namespace pi_mcp::servers {
namespace {

json::Document read(std::string_view name) {
  std::ifstream file(std::string(PI_MCP_SOURCE_DIR) + "/tests/data/sharing/" + std::string(name));
  std::stringstream text;
  text << file.rdbuf();
  Result<json::Document> document = json::Document::parse(text.str());
  EXPECT_TRUE(document) << name;
  return document ? *std::move(document) : json::Document();
}

class ShareData : public testing::Test {
 protected:
  ShareData() {
    std::string pattern = testing::TempDir() + "/pi-mcp-share-XXXXXX";
    dir = ::mkdtemp(pattern.data());
  }
  ShareData(const ShareData&) = delete;
  ShareData& operator=(const ShareData&) = delete;
  ShareData(ShareData&&) = delete;
  ShareData& operator=(ShareData&&) = delete;
  ~ShareData() override { std::filesystem::remove_all(dir); }

  std::string dir;
};

// One side of a pair.
struct Side {
  config::RawObject entry;
  config::Environment environment;
  config::Settings settings;
  SeenOfServer seen;
  std::string scope;
  std::string roots;
  mcp::ClientFeatures features;
};

ResourceLimit limit_of(json::Value pair) {
  return {.soft = static_cast<std::uint64_t>(pair.element(0).as_int().value_or(0)),
          .hard = static_cast<std::uint64_t>(pair.element(1).as_int().value_or(0))};
}

void add_process(ProcessTraits& traits, json::Value what) {
  traits.umask =
      static_cast<unsigned>(what.find("umask").as_int().value_or(std::int64_t{traits.umask}));
  traits.niceness = static_cast<int>(what.find("niceness").as_int().value_or(traits.niceness));
  if (const json::Value files = what.find("open_files")) {
    traits.limits.at(open_files_resource) = limit_of(files);
  }
  if (const json::Value core = what.find("core")) {
    traits.limits.at(4) = limit_of(core);
  }
}

void add_features(mcp::ClientFeatures& features, json::Value words) {
  for (const json::Value word : words.elements()) {
    features.sampling = features.sampling || word.equals("sampling");
    features.elicitation_form = features.elicitation_form || word.equals("elicitation");
    features.roots = features.roots || word.equals("roots");
  }
}

void add(Side& side, json::Value what, const std::string& dir) {
  for (const json::Member member : what.find("server").members()) {
    side.entry.set(member.name(), std::string(member.value.raw()));
  }
  for (const json::Member member : what.find("set").members()) {
    side.environment.variables[member.name()] =
        text::replace_all(member.value.string_or(""), "DIR", dir);
  }
  for (const json::Value name : what.find("unset").elements()) {
    side.environment.variables.erase(name.string_or(""));
  }
  side.environment.cwd = what.find("cwd").string_or(side.environment.cwd);
  side.environment.home = what.find("home").string_or(side.environment.home);
  add_process(*side.environment.process, what);
  side.settings.folder_trusted = what.find("trusted").bool_or(side.settings.folder_trusted);
  side.settings.agent_dir = what.find("agent_dir").string_or(side.settings.agent_dir);
  side.settings.principal = what.find("principal").string_or(side.settings.principal);
  for (const json::Value host : what.find("private_hosts").elements()) {
    side.settings.private_hosts.push_back(host.string_or(""));
  }
  if (const json::Value seen = what.find("seen")) {
    side.seen = read_seen(seen.string_or(""));
  }
  side.scope = what.find("scope").string_or(side.scope);
  side.roots = what.find("roots").string_or(side.roots);
  add_features(side.features, what.find("features"));
}

// As registry::RegistryEntry does.
io::Task<Launch> launch_of(Side side) {
  config::MergedServer merged;
  merged.name = "s";
  for (const config::RawField& field : side.entry.fields()) {
    config::set_field(merged, field, {});
  }
  const config::Server server = config::make_server(merged, side.settings);
  const Scope scope = scope_of(server, side.seen);
  const bool is_for_one = scope.share == config::Share::session;
  Sharing sharing{.with_others = true,
                  .share = is_for_one ? scope_of(server, {}).share : scope.share,
                  .session = is_for_one ? side.scope : ""};
  Result<Launch> launch =
      co_await resolve_launch(server, side.environment, side.settings, std::move(sharing));
  EXPECT_TRUE(launch) << launch.error().message();
  Launch made = launch ? *std::move(launch) : Launch();
  made.features = side.features;
  made.roots = side.roots;
  co_return made;
}

// Whether the second of two sessions comes to the server that the first has started.
io::Task<bool> share(io::Executor executor, Side first, Side second) {
  test::PoolFixture fixture(executor);
  fixture.scripts["s"] =
      test::well_behaved([](test::ScriptedLink& link, const rpc::Message& asked) {
        link.deliver(R"({"jsonrpc":"2.0","id":)" + asked.id().json() +
                     R"(,"error":{"code":-32601,"message":"no such method"}})");
      });
  const Launch one = fixture.pool->placed(co_await launch_of(std::move(first)));
  const Result<std::shared_ptr<Connection>> open =
      co_await fixture.pool->acquire(one, Use::implicit);
  EXPECT_TRUE(open) << open.error().message();
  const Launch other = fixture.pool->placed(co_await launch_of(std::move(second)));
  co_await fixture.pool->close();
  co_return one.key() == other.key();
}

TEST_F(ShareData, pairs_share_or_do_not) {
  for (const char* name : {"one", "two"}) {
    std::filesystem::create_directory(dir + "/" + name);
    std::ofstream(dir + "/" + name + "/true") << "#!/bin/sh\n";
    std::filesystem::permissions(dir + "/" + name + "/true", std::filesystem::perms::owner_all);
  }
  const json::Document data = read("pairs.json");
  std::size_t count = 0;
  for (const json::Value pair : data.root().find("pairs").elements()) {
    Side first;
    first.environment.process = ProcessTraits{};
    first.settings.agent_dir = "/tmp";
    add(first, data.root().find("session"), dir);
    add(first, pair.find("both"), dir);
    Side second = first;
    add(first, pair.find("a"), dir);
    add(second, pair.find("b"), dir);
    const bool shared =
        io::run([&](const io::Executor& executor) { return share(executor, first, second); });
    EXPECT_EQ(shared, pair.find("same").bool_or(false)) << pair.find("name").raw();
    ++count;
  }
  EXPECT_GE(count, 40U);
}

// A set-up with all that it begins with.
Variables variables_of(json::Value setups, json::Value setup) {
  Variables variables;
  for (const json::Value base : setup.find("from").elements()) {
    for (const json::Value other : setups.elements()) {
      if (other.find("name").equals(base.string_or(""))) {
        const Variables begun = variables_of(setups, other);
        variables.insert(begun.begin(), begun.end());
      }
    }
  }
  for (const json::Member member : setup.find("set").members()) {
    variables[member.name()] = member.value.string_or("");
  }
  return variables;
}

TEST_F(ShareData, environments_of_real_programs_end_in_one_key_where_nothing_that_matters_differs) {
  std::filesystem::create_directories(dir + "/fnm_multishells");
  std::filesystem::create_directories(dir + "/node/bin");
  for (const char* shell : {"11_1", "22_2"}) {
    std::filesystem::create_directory_symlink(dir + "/node",
                                              dir + "/fnm_multishells/" + std::string(shell));
  }
  const json::Document data = read("environments.json");
  const json::Value setups = data.root().find("setups");
  std::map<std::string, std::set<std::string>> keys_of_group;
  std::map<std::string, std::string> group_of_key;
  std::size_t count = 0;
  for (const json::Value setup : setups.elements()) {
    const std::string group = setup.find("group").string_or("");
    count += group.empty() ? 0 : 1;
    for (const json::Value run : setup.find("runs").elements()) {
      Side side;
      side.environment.variables = variables_of(setups, setup);
      for (const json::Member member : run.members()) {
        side.environment.variables[member.name()] = text::replace_all(
            member.value.string_or(""), "/run/user/1000/fnm_multishells", dir + "/fnm_multishells");
      }
      side.environment.home = side.environment.cwd = "/usr";
      side.entry.set("command", "\"/bin/true\"");
      const std::string key = io::run([&](const io::Executor&) { return launch_of(side); }).key();
      keys_of_group[group].insert(key);
      EXPECT_EQ(keys_of_group[group].size(), 1U) << setup.find("name").raw();
      const auto [known, is_new] = group_of_key.emplace(key, group);
      EXPECT_EQ(known->second, group) << setup.find("name").raw();
    }
  }
  EXPECT_GE(count, 15U);
}

TEST_F(ShareData, a_shared_child_gets_nothing_of_the_terminal) {
  const json::Document data = read("environments.json");
  const json::Value setups = data.root().find("setups");
  for (const json::Value setup : setups.elements()) {
    Side side;
    side.environment.variables = variables_of(setups, setup);
    side.environment.home = side.environment.cwd = "/usr";
    side.entry.set("command", "\"/bin/true\"");
    const Launch launch = io::run([&](const io::Executor&) { return launch_of(side); });
    for (const auto& [name, value] : launch.env) {
      EXPECT_EQ(find_passing(name, side.environment.variables), nullptr)
          << name << " in " << setup.find("name").raw();
      EXPECT_EQ(value.find("/tmp/arg0/"), std::string::npos) << setup.find("name").raw();
    }
  }
}

}  // namespace
}  // namespace pi_mcp::servers

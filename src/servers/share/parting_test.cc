#include "servers/share/parting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::servers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Launch child() {
  Launch launch;
  launch.command = "/bin/x";
  launch.env = {{"HOME", "/h"}, {"TOKEN", "secret one"}};
  launch.cwd = "/a";
  launch.process = ProcessTraits{};
  return launch;
}

std::vector<std::string> texts(const config::Server& server,
                               const Launch& one,
                               const Launch& other) {
  std::vector<std::string> all;
  for (const Parting& parting : partings(server, one, other)) {
    all.push_back(parting_text(parting));
  }
  return all;
}

std::string join(const config::Server& server, const Launch& one, const Launch& other) {
  const std::vector<const Launch*> launches = {&one, &other};
  return copies_of(server, launches).join;
}

TEST(Partings, of_equal_launches_there_are_none) {
  EXPECT_THAT(partings({}, child(), child()), IsEmpty());
  Launch other = child();
  other.process->limits.at(open_files_resource).soft = 5;
  EXPECT_THAT(partings({}, child(), other), IsEmpty());
  EXPECT_EQ(child().key(), other.key());
}

TEST(Partings, name_variables_without_their_values) {
  Launch other = child();
  other.env["TOKEN"] = "secret two";
  other.env["ONLY_HERE"] = "x";
  EXPECT_THAT(texts({}, child(), other),
              ElementsAre("the variable ONLY_HERE", "the variable TOKEN"));
  EXPECT_EQ(join({}, child(), other), R"("inheritEnv": false)");
  config::Server server;
  server.env["TOKEN"] = "${TOKEN}";
  other.env.erase("ONLY_HERE");
  EXPECT_THAT(texts(server, child(), other), ElementsAre("the configured variable TOKEN"));
  EXPECT_EQ(join(server, child(), other), "") << "it is another account";
}

TEST(Partings, tell_what_joins_two_folders) {
  Launch other = child();
  other.cwd = "/b";
  EXPECT_THAT(texts({}, child(), other), ElementsAre("the folder"));
  EXPECT_EQ(join({}, child(), other), R"("share": "user")");
  other.short_list = true;
  other.env.erase("TOKEN");
  EXPECT_THAT(texts({}, child(), other),
              ElementsAre("a host that hands on few variables", "the folder"));
  EXPECT_EQ(join({}, child(), other), R"("share": "user")");
}

TEST(Partings, tell_only_what_does_join) {
  constexpr const char* user = R"("share": "user")";
  constexpr const char* no_inheritance = R"("inheritEnv": false)";
  for (const auto& [name, joins] : {std::pair{"TOKEN", no_inheritance},
                                    {"HTTPS_PROXY", no_inheritance},
                                    {"LANG", user},
                                    {"LC_ALL", user},
                                    {"TMPDIR", ""},
                                    {"PI_MCP_DEPTH", ""}}) {
    Launch other = child();
    other.env[name] = "x";
    EXPECT_EQ(join({}, child(), other), joins) << name;
  }
  config::Server bare;
  bare.inherit_env = false;
  for (const auto& [name, joins] : {std::pair{"LANG", user}, {"TMPDIR", ""}}) {
    Launch other = child();
    other.env[name] = "x";
    EXPECT_EQ(join(bare, child(), other), joins) << name;
  }
  config::Server server;
  server.cwd = "${workspace}/x";
  Launch other = child();
  other.cwd = "/b";
  EXPECT_EQ(join(server, child(), other), "") << "a folder of its own";
}

TEST(Partings, tell_nothing_to_those_that_are_for_all) {
  Launch one = child();
  one.not_in_key = {"PATH", "LANG"};
  Launch other = one;
  other.env["HTTPS_PROXY"] = "http://proxy";
  EXPECT_EQ(join({}, one, other), "");
  other = one;
  other.leads_to = {"/opt/x"};
  EXPECT_EQ(join({}, one, other), "");
}

TEST(Partings, by_a_path_join_where_both_lead_to_the_same) {
  Launch one = child();
  one.command = "sh";
  one.env["PATH"] = "/usr/bin";
  Launch other = one;
  other.env["PATH"] = "/nowhere:/usr/bin";
  EXPECT_EQ(join({}, one, other), R"("share": "user")");
  other.env["PATH"] = "/nowhere";
  EXPECT_EQ(join({}, one, other), "");
}

TEST(Partings, of_the_process_are_named) {
  Launch other = child();
  other.process->umask = 077;
  other.process->niceness = 5;
  other.process->limits.at(4).soft = 5;
  EXPECT_THAT(texts({}, child(), other),
              ElementsAre("the umask", "the niceness", "the limits of the process"));
  EXPECT_EQ(join({}, child(), other), "");
}

TEST(Partings, of_links_are_named) {
  Launch one;
  one.remote = RemoteLaunch();
  one.remote->url = "https://a.example/";
  one.remote->headers["X-Key"] = "secret one";
  Launch other = one;
  other.remote->headers["X-Key"] = "secret two";
  other.remote->ca_file = "/ca.pem";
  other.remote->environment["HTTPS_PROXY"] = "http://u:p@proxy";
  EXPECT_THAT(
      texts({}, one, other),
      ElementsAre("the header X-Key", "the file of certificates", "the variable HTTPS_PROXY"));
}

TEST(Partings, of_hosts_and_sessions_are_named) {
  Launch other = child();
  other.session = "b";
  EXPECT_EQ(join({}, child(), other), R"("share": "folder")");
  other.features.sampling = true;
  other.roots = "r";
  EXPECT_THAT(texts({}, child(), other),
              ElementsAre("what the hosts can do",
                          "the roots of the hosts",
                          "the session, for which it keeps a state"));
}

TEST(Partings, are_there_whenever_the_keys_differ) {
  const std::vector<void (*)(Launch&)> changes = {
      [](Launch& launch) { launch.command = "/bin/y"; },
      [](Launch& launch) { launch.args = {"a"}; },
      [](Launch& launch) { launch.env["A"] = "b"; },
      [](Launch& launch) { launch.cwd = "/b"; },
      [](Launch& launch) { launch.leads_to = {"/bin/z"}; },
      [](Launch& launch) { launch.short_list = true; },
      [](Launch& launch) { launch.kept_out = true; },
      [](Launch& launch) { launch.process->umask = 077; },
      [](Launch& launch) { launch.process->limits.at(open_files_resource).hard = 5; },
      [](Launch& launch) { launch.principal = "1f"; },
      [](Launch& launch) { launch.socket = "/s"; },
      [](Launch& launch) { launch.remote = RemoteLaunch(); },
      [](Launch& launch) { launch.protocol = mcp::Protocol::handshake; },
      [](Launch& launch) { launch.tasks = false; },
      [](Launch& launch) { launch.features.sampling = true; },
      [](Launch& launch) { launch.session = "s"; },
      [](Launch& launch) { launch.roots = "r"; },
      [](Launch& launch) { launch.copy = 1; },
      [](Launch& launch) {
        launch.pages.addresses.private_hosts = {"h"};
      }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Launch other = child();
    changes[i](other);
    EXPECT_NE(other.key(), child().key()) << i;
    EXPECT_FALSE(partings({}, child(), other).empty()) << i;
  }
}

TEST(Partings, of_several_copies_are_those_of_any_two_once) {
  config::Server server;
  server.name = "files";
  const Launch one = child();
  Launch other = child();
  other.cwd = "/b";
  Launch third = other;
  third.env["TOKEN"] = "secret two";
  const std::vector<const Launch*> launches = {&one, &other, &third};
  EXPECT_EQ(
      copies_of(server, launches),
      (Copies{.server = "files",
              .count = 3,
              .parted_by = {{.by = PartedBy::folder}, {.by = PartedBy::variable, .name = "TOKEN"}},
              .join = R"("share": "user")"}));
}

TEST(Partings, have_names_for_programs_that_come_back) {
  for (const PartedBy by : {PartedBy::variable, PartedBy::short_list, PartedBy::session}) {
    EXPECT_EQ(read_parted_by(parted_by_name(by)), by);
  }
  EXPECT_EQ(parted_by_name(PartedBy::short_list), "shortList");
  EXPECT_EQ(read_parted_by("luck"), std::nullopt);
}

}  // namespace
}  // namespace pi_mcp::servers

#include "attach/socket_folder.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "io/net/local_socket.h"
#include "io/process/kernel.h"
#include "support/processes.h"

namespace pi_mcp::attach {
namespace {

using test::TempFolder;

TEST(SocketFolderTest, stands_in_the_folder_of_the_login_where_that_is_ours) {
  const TempFolder base;
  const auto folder =
      open_socket_folder({.agent_folder = base.file("agent"), .runtime_folder = base.path()});
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->path, base.path() + "/pi-mcp");
  EXPECT_TRUE(folder->folder.is_open());
  EXPECT_FALSE(std::filesystem::exists(base.file("agent"))) << "nothing else was made";
}

TEST(SocketFolderTest, a_folder_that_is_not_there_or_not_named_in_full_is_passed_over) {
  const TempFolder base;
  const auto plain = open_socket_folder({.agent_folder = base.file("agent"), .runtime_folder = ""});
  ASSERT_TRUE(plain);
  for (const std::string& runtime : {base.file("gone"), std::string("relative")}) {
    const auto folder =
        open_socket_folder({.agent_folder = base.file("agent"), .runtime_folder = runtime});
    ASSERT_TRUE(folder) << runtime;
    EXPECT_EQ(folder->path, plain->path) << runtime;
  }
}

TEST(SocketFolderTest, to_look_for_it_makes_none) {
  const TempFolder base;
  const MeetingPlace place{.agent_folder = base.file("agent"), .runtime_folder = base.path()};
  EXPECT_FALSE(has_socket_folder(place));
  EXPECT_FALSE(std::filesystem::exists(base.file("pi-mcp")));
  ASSERT_TRUE(open_socket_folder(place));
  EXPECT_TRUE(has_socket_folder(place));
}

TEST(SocketFolderTest, one_that_others_may_use_is_refused_by_name) {
  const TempFolder base;
  std::filesystem::create_directory(base.file("pi-mcp"));
  std::filesystem::permissions(base.file("pi-mcp"), std::filesystem::perms(0777));
  const auto folder =
      open_socket_folder({.agent_folder = base.file("agent"), .runtime_folder = base.path()});
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message().find(base.file("pi-mcp")), std::string::npos);
}

TEST(SocketNameTest, is_short_and_differs_in_what_must_not_meet) {
  const io::Standing own = io::own_standing();
  const io::ProcessTraits traits = io::own_traits();
  const std::string name = socket_name("/home/ann/.pi/agent", own, traits);
  EXPECT_LT(name.size(), 60U);
  EXPECT_EQ(name, socket_name("/home/ann/.pi/agent", own, traits));
  EXPECT_NE(name, socket_name("/home/ann/other", own, traits));
  io::Standing other = own;
  other.label += "x";
  EXPECT_NE(name, socket_name("/home/ann/.pi/agent", other, traits));
  io::ProcessTraits lowered = traits;
  lowered.limits.at(4).hard = 5;  // of core files
  EXPECT_NE(name, socket_name("/home/ann/.pi/agent", own, lowered));
  lowered = traits;
  lowered.limits.at(open_files_resource).soft -= 1;
  EXPECT_EQ(name, socket_name("/home/ann/.pi/agent", own, lowered)) << "programs raise it again";
}

TEST(SocketNameTest, those_of_other_builds_and_of_other_limits_are_told_apart) {
  const TempFolder base;
  const MeetingPlace place{.agent_folder = base.file("agent"), .runtime_folder = base.path()};
  EXPECT_TRUE(sockets_of_other_builds(place).empty());
  const auto folder = open_socket_folder(place);
  ASSERT_TRUE(folder);
  const std::string own = socket_name(place.agent_folder, io::own_standing(), io::own_traits());
  const std::string elsewhere =
      socket_name("/home/ann/other", io::own_standing(), io::own_traits());
  const std::string beside = name_beside(own);
  std::string other_build = own;
  char& digit = other_build.at(std::string_view(PI_MCP_VERSION "-").size());
  digit = digit == '0' ? '1' : '0';
  const std::string other_version = "9.8.7-rc.1" + own.substr(own.find('-'));
  std::vector<io::Fd> listeners;
  for (const std::string& name :
       {own, elsewhere, beside, other_build, other_version, std::string("x"), std::string("-")}) {
    auto listener = io::LocalListener::listen_in(folder->folder, name);
    ASSERT_TRUE(listener) << name;
    listeners.push_back(*std::move(listener));
  }
  EXPECT_EQ(sockets_of_other_builds(place), (std::vector{other_build, other_version}));
  EXPECT_EQ(sockets_beside(folder->folder, own), std::vector{beside});
  EXPECT_EQ(sockets_to_see(place, io::own_traits()), (std::vector{own, beside}));
}

TEST(SocketNameTest, tells_builds_by_what_the_linker_made_of_their_content) {
  EXPECT_EQ(io::own_program_stamp().size(), 20U) << "size and time of the file are longer";
}

}  // namespace
}  // namespace pi_mcp::attach

#include "io/process/standing.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/processes.h"

namespace pi_mcp::io {
namespace {

using test::TempFolder;
using testing::HasSubstr;

Standing free_standing() {
  Standing standing;
  standing.rights = {"Uid:\t1000\t1000\t1000\t1000",
                     "CapEff:\t0000000000000000",
                     "NoNewPrivs:\t0",
                     "Seccomp:\t0",
                     "Seccomp_filters:\t0"};
  standing.namespaces.fill("mnt:[4026531841]");
  standing.root = "/ (inode 2, device 8:1, mount 29)";
  standing.label = "unconfined";
  standing.groups = "0::/user.slice\n";
  return standing;
}

TEST(StandingTest, equal_ones_do_not_differ) {
  EXPECT_EQ(difference(free_standing(), free_standing()), std::nullopt);
}

TEST(StandingTest, no_new_privileges_refuse_on_either_side_and_on_both) {
  Standing confined = free_standing();
  confined.no_new_privileges = true;
  EXPECT_EQ(difference(free_standing(), confined), "NoNewPrivs is set");
  EXPECT_EQ(difference(confined, free_standing()), "NoNewPrivs is set");
  EXPECT_EQ(difference(confined, confined), "NoNewPrivs is set");
}

TEST(StandingTest, what_cannot_be_seen_is_not_equal) {
  Standing hidden = free_standing();
  hidden.seen = false;
  EXPECT_THAT(difference(hidden, hidden).value_or(""), HasSubstr("cannot be seen"));
}

TEST(StandingTest, every_line_of_the_rights_counts_and_is_named) {
  for (std::size_t i = 0; i < free_standing().rights.size(); ++i) {
    Standing other = free_standing();
    other.rights[i] += "9";
    const std::string name = other.rights[i].substr(0, other.rights[i].find(':'));
    EXPECT_THAT(difference(free_standing(), other).value_or(""), HasSubstr(name + " differs"));
    EXPECT_NE(difference(other, free_standing()), std::nullopt);
  }
  Standing shorter = free_standing();
  shorter.rights.pop_back();
  EXPECT_NE(difference(free_standing(), shorter), std::nullopt);
}

TEST(StandingTest, every_namespace_the_root_and_the_label_count) {
  for (std::size_t i = 0; i < namespace_names.size(); ++i) {
    Standing other = free_standing();
    other.namespaces.at(i) = "mnt:[1]";
    EXPECT_EQ(difference(free_standing(), other),
              "the " + std::string(namespace_names.at(i)) + " namespace differs");
  }
  Standing elsewhere = free_standing();
  elsewhere.root = "/ (inode 2, device 8:1, mount 30)";
  EXPECT_THAT(difference(free_standing(), elsewhere).value_or(""), HasSubstr("root folder"));
  Standing labelled = free_standing();
  labelled.label = "snap.app (enforce)";
  EXPECT_THAT(difference(free_standing(), labelled).value_or(""), HasSubstr("snap.app (enforce)"));
}

TEST(StandingTest, limits_of_groups_that_are_not_the_same_count_both_ways) {
  Standing here = free_standing();
  Standing there = free_standing();
  there.groups = "0::/user.slice/small.scope\n";
  EXPECT_THAT(difference(here, there).value_or(""), HasSubstr("cannot be seen"));
  here.limits.emplace();
  there.limits.emplace();
  EXPECT_EQ(difference(here, there), std::nullopt);
  there.limits = {{.group = "/user.slice/small.scope", .file = "memory.max", .value = "1000000"}};
  EXPECT_EQ(difference(here, there),
            "the control group /user.slice/small.scope limits only one of both: memory.max = "
            "1000000");
  EXPECT_EQ(difference(there, here), difference(here, there));
  here.limits = there.limits;  // one that is above both
  EXPECT_EQ(difference(here, there), std::nullopt);
}

TEST(StandingTest, the_digest_leaves_out_the_groups_alone) {
  Standing moved = free_standing();
  moved.groups = "0::/elsewhere\n";
  EXPECT_EQ(standing_digest(free_standing()), standing_digest(moved));
  EXPECT_EQ(standing_digest(moved).size(), 16U);
  for (const auto change : {+[](Standing& one) { one.rights[1] += "1"; },
                            +[](Standing& one) { one.namespaces[3] += "1"; },
                            +[](Standing& one) { one.root += "1"; },
                            +[](Standing& one) {
                              one.label += "1";
                            }}) {
    Standing other = free_standing();
    change(other);
    EXPECT_NE(standing_digest(free_standing()), standing_digest(other));
  }
}

TEST(StandingTest, our_own_can_be_seen) {
  const Standing own = own_standing();
  EXPECT_TRUE(own.seen);
  EXPECT_EQ(own.rights.size(), 11U);
  EXPECT_EQ(own.rights, standing_of(::getpid()).rights);
  EXPECT_THAT(own.root, testing::StartsWith("/ (inode "));
}

TEST(StandingTest, a_process_that_is_not_there_cannot_be_seen) {
  EXPECT_FALSE(standing_of(-1).seen);
}

class GroupLimitsTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder.file(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  [[nodiscard]] auto limits(const std::string& groups) const {
    return group_limits(groups, folder.path());
  }
  TempFolder folder;
};

TEST_F(GroupLimitsTest, are_those_of_a_group_and_of_all_above_it) {
  write("cgroup.controllers", "memory pids\n");
  write("user.slice/app.scope/memory.max", "max\n");
  write("user.slice/app.scope/cpu.max", "50000 100000\n");
  write("user.slice/memory.max", "4294967296\n");
  EXPECT_EQ(limits("0::/user.slice/app.scope\n"),
            (std::vector<GroupLimit>{
                {.group = "/user.slice/app.scope", .file = "cpu.max", .value = "50000 100000"},
                {.group = "/user.slice", .file = "memory.max", .value = "4294967296"}}));
}

TEST_F(GroupLimitsTest, say_nothing_where_there_is_none) {
  write("cgroup.controllers", "memory pids\n");
  write("a/memory.max", "max\n");
  write("a/memory.high", "max\n");
  write("a/cpu.max", "max 100000\n");
  write("a/pids.max", "9216\n");  // as systemd gives to every unit
  write("a/io.max", "");
  EXPECT_EQ(limits("0::/a\n"), std::vector<GroupLimit>());
  EXPECT_EQ(limits("0::/\n"), std::vector<GroupLimit>());
}

TEST_F(GroupLimitsTest, of_the_first_version_are_each_in_a_hierarchy_of_their_own) {
  write("memory/a/memory.limit_in_bytes", "9223372036854710272\n");
  write("pids/a/pids.max", "100\n");
  write("devices/a/devices.list", "c 1:3 rwm\n");
  write("unified/a/cgroup.procs", "");
  EXPECT_EQ(
      limits("9:name=systemd:/a\n4:memory:/a\n3:pids:/a\n2:devices:/a\n0::/a\n"),
      (std::vector<GroupLimit>{{.group = "/a", .file = "pids.max", .value = "100"},
                               {.group = "/a", .file = "devices.list", .value = "c 1:3 rwm"}}));
}

TEST_F(GroupLimitsTest, of_processors_are_what_they_come_to) {
  write("cgroup.controllers", "cpuset\n");
  write("a/cpuset.cpus.effective", "0-1\n");
  write("b/cpuset.cpus.effective", "0-1\n");
  EXPECT_EQ(limits("0::/a\n"), limits("0::/b\n"));
}

TEST_F(GroupLimitsTest, that_nobody_can_see_are_none_that_are_known) {
  write("cgroup.controllers", "memory\n");
  EXPECT_EQ(limits("0::/../outside\n"), std::nullopt);
}

TEST_F(GroupLimitsTest, a_service_of_the_system_is_one_by_itself) {
  write("cgroup.controllers", "memory\n");
  write("system.slice/agent.service/inner/cgroup.procs", "");
  EXPECT_EQ(limits("0::/system.slice/agent.service/inner\n"),
            (std::vector<GroupLimit>{
                {.group = "/system.slice/agent.service", .file = "a service", .value = ""}}));
}

}  // namespace
}  // namespace pi_mcp::io

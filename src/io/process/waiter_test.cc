#include "io/process/waiter.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include <gtest/gtest.h>

#include "io/files/memory_file.h"
#include "io/process/keeper_program.h"
#include "io/process/waiter_program.h"
#include "io/process/wake_format.h"

namespace pi_mcp::io {
namespace {

TEST(WaiterTest, what_it_is_told_has_one_width_and_comes_back) {
  const std::string text = wake_text({.control = 3,
                                      .memory = 4,
                                      .staging = 0,
                                      .program = 1'000'000,
                                      .died = 123'456'789'012,
                                      .died_before = 7});
  EXPECT_EQ(text, "000000000003,000000000004,000000000000,000001000000,123456789012,000000000007");
  const auto wake = parse_wake_text(text);
  ASSERT_TRUE(wake);
  EXPECT_EQ(wake_text(*wake), text);
  EXPECT_EQ(wake->died, 123'456'789'012);
}

TEST(WaiterTest, nothing_else_is_taken_for_it) {
  const std::string good = wake_text({});
  EXPECT_TRUE(parse_wake_text(good));
  EXPECT_FALSE(parse_wake_text(""));
  EXPECT_FALSE(parse_wake_text(good + ",000000000000"));
  EXPECT_FALSE(parse_wake_text(good.substr(1)));
  EXPECT_FALSE(parse_wake_text("-00000000001" + good.substr(12)));
  EXPECT_FALSE(parse_wake_text("-00000000000" + good.substr(12)));
  EXPECT_FALSE(parse_wake_text("00000000000x" + good.substr(12)));
}

TEST(WaiterTest, a_front_takes_what_it_left_out_of_its_environment) {
  auto memory = make_memory_file("memory");
  ASSERT_TRUE(memory);
  ASSERT_TRUE(fix_size(*memory));
  ASSERT_EQ(::fcntl(memory->get(), F_SETFD, 0), 0);
  std::map<std::string, std::string> environment = {
      {wake_variable, wake_text({.memory = memory->get(), .died = 70, .died_before = 20})},
      {"HOME", "/home/ann"}};
  auto woken = take_woken(environment);
  ASSERT_TRUE(woken);
  EXPECT_EQ(environment, (std::map<std::string, std::string>{{"HOME", "/home/ann"}}));
  EXPECT_EQ(woken->memory.get(), memory->release());
  EXPECT_NE(::fcntl(woken->memory.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_FALSE(woken->staging.is_open());
  EXPECT_EQ(woken->died, 70);
  EXPECT_EQ(woken->died_before, 20);
  EXPECT_FALSE(take_woken(environment));
}

TEST(WaiterTest, a_variable_that_no_waiter_has_left_is_only_removed) {
  const Fd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  for (const std::string& text :
       {std::string("1"), wake_text({.memory = file.get()}), wake_text({})}) {
    std::map<std::string, std::string> environment = {{wake_variable, text}};
    EXPECT_FALSE(take_woken(environment));
    EXPECT_TRUE(environment.empty());
    EXPECT_GE(::fcntl(file.get(), F_GETFD), 0) << "it was not closed";
  }
}

// Pages have 4 KiB on most machines, 16 or 64 KiB on some for arm64; on each a segment has to have
// its own.
void expect_runs_anywhere(std::string_view program) {
  constexpr std::size_t page_bytes_max = std::size_t{64} << 10U;
  ASSERT_GT(program.size(), sizeof(Elf64_Ehdr));
  EXPECT_LT(program.size(), std::size_t{8} << 10U) << "it is to be a few pages";
  Elf64_Ehdr head{};
  std::memcpy(&head, program.data(), sizeof head);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(head.e_ident), SELFMAG), ELFMAG);
  std::size_t free_from = 0;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment{};
    const std::size_t at = head.e_phoff + std::size_t{i} * sizeof segment;
    ASSERT_LE(at + sizeof segment, program.size());
    std::memcpy(&segment, program.data() + at, sizeof segment);
    if (segment.p_type == PT_LOAD) {
      EXPECT_EQ(segment.p_vaddr % page_bytes_max, segment.p_offset % page_bytes_max);
      EXPECT_GE(segment.p_vaddr / page_bytes_max, free_from);
      free_from = (segment.p_vaddr + segment.p_memsz) / page_bytes_max + 1;
      EXPECT_FALSE((segment.p_flags & PF_W) != 0 && (segment.p_flags & PF_X) != 0);
    }
  }
  EXPECT_GT(free_from, 0U);
}

TEST(WaiterTest, its_program_runs_whatever_size_pages_have) {
  expect_runs_anywhere(waiter_program());
}

TEST(KeeperTest, its_program_runs_whatever_size_pages_have) {
  expect_runs_anywhere(keeper_program());
}

TEST(MemoryFileTest, that_is_sealed_comes_back_and_cannot_be_changed) {
  const auto file = make_sealed_file("x", "text");
  ASSERT_TRUE(file);
  EXPECT_EQ(read_sealed_file(*file, 4).value_or(""), "text");
  EXPECT_LT(::pwrite(file->get(), "y", 1, 0), 0);
  EXPECT_TRUE(has_fixed_size(*file));
  EXPECT_EQ(read_sealed_file(*file, 3).error().code(), ErrorCode::protocol);
}

TEST(MemoryFileTest, what_could_change_under_us_is_not_read) {
  const auto open = make_memory_file("x");
  ASSERT_TRUE(open);
  EXPECT_FALSE(has_fixed_size(*open));
  EXPECT_FALSE(read_sealed_file(*open, 4));
  ASSERT_TRUE(fix_size(*open));
  EXPECT_TRUE(has_fixed_size(*open));
  EXPECT_FALSE(read_sealed_file(*open, 4)) << "its content can still be written";
  const Fd ordinary(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(read_sealed_file(ordinary, 4));
}

}  // namespace
}  // namespace pi_mcp::io

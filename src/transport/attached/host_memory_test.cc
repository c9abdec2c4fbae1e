// Each test stops at some point, as if the process had been killed there, and looks at what the
// next one finds.
#include "transport/attached/host_memory.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::transport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Memory = std::unique_ptr<HostMemory>;

class HostMemoryTest : public testing::Test {
 protected:
  static Memory made() {
    Result<Memory> memory = HostMemory::create();
    EXPECT_TRUE(memory) << memory.error().message();
    return memory ? *std::move(memory) : nullptr;
  }
  static Memory next(const Memory& dead, std::size_t staged = 0) {
    Result<Memory> memory = HostMemory::recover(dead->number(), staged);
    EXPECT_TRUE(memory) << memory.error().message();
    return memory ? *std::move(memory) : nullptr;
  }
  // A read(2) of the host's bytes whose count was not stored.
  static void bring(HostMemory& memory, std::string_view text) {
    const std::span<char> space = memory.space();
    ASSERT_LE(text.size(), space.size());
    std::memcpy(space.data(), text.data(), text.size());
  }
  static void read(HostMemory& memory, std::string_view text) {
    bring(memory, text);
    memory.publish(text.size());
  }
  static std::vector<std::string> lines(HostMemory& memory) {
    std::vector<std::string> all;
    while (const auto line = memory.next_line()) {
      all.emplace_back(line->text);
      memory.take(line->end);
    }
    memory.clean();
    return all;
  }
  static rpc::Id id(std::int64_t number) { return rpc::Id(number); }
  static rpc::Outgoing answer(std::int64_t number, std::string_view text = "{}") {
    rpc::Outgoing message = rpc::result(id(number), rpc::Outgoing(std::string(text)));
    message.add("\n");
    return message;
  }
  static std::vector<std::string> lost(const HostMemory& memory) {
    std::vector<std::string> ids;
    for (const rpc::Id& request : memory.lost()) {
      ids.push_back(request.json());
    }
    return ids;
  }
  static std::string line_of(std::int64_t number) { return answer(number).flat(); }
  // A request was read, noted and taken.
  static void begin(HostMemory& memory, std::int64_t number) {
    read(memory, "request\n");
    const auto line = memory.next_line();
    ASSERT_TRUE(line);
    memory.note(id(number), line->end);
    memory.take(line->end);
    memory.clean();
  }
};

TEST_F(HostMemoryTest, bytes_that_were_read_and_not_published_are_found) {
  const Memory memory = made();
  read(*memory, "one\ntw");
  bring(*memory, "o\nthree\n");
  EXPECT_THAT(lines(*next(memory)), ElementsAre("one", "two", "three"));
}

TEST_F(HostMemoryTest, a_line_that_was_taken_is_not_read_again) {
  const Memory memory = made();
  read(*memory, "one\ntwo\nhalf");
  memory->take(memory->next_line()->end);
  const Memory after = next(memory);
  EXPECT_THAT(lines(*after), ElementsAre("two"));
  EXPECT_EQ(after->rest(), "half");
}

TEST_F(HostMemoryTest, a_request_that_was_noted_and_not_yet_taken_may_have_run) {
  const Memory memory = made();
  read(*memory, "one\ntwo\n");
  memory->note(id(1), memory->next_line()->end);
  const Memory after = next(memory);
  EXPECT_THAT(lost(*after), ElementsAre("1"));
  EXPECT_THAT(lines(*after), ElementsAre("two"));
}

TEST_F(HostMemoryTest, an_answer_that_was_only_appended_has_not_left) {
  const Memory memory = made();
  begin(*memory, 1);
  ASSERT_TRUE(memory->append(answer(1)));
  const Memory after = next(memory);
  EXPECT_THAT(lost(*after), ElementsAre("1"));
  EXPECT_EQ(after->owed(), "");
}

TEST_F(HostMemoryTest, an_answer_that_was_committed_is_owed_and_nothing_is_lost) {
  const Memory memory = made();
  begin(*memory, 1);
  begin(*memory, 2);
  ASSERT_TRUE(memory->append(answer(2)));
  memory->commit();
  const Memory after = next(memory);
  EXPECT_THAT(lost(*after), ElementsAre("1"));
  EXPECT_EQ(after->owed(), line_of(2));
}

TEST_F(HostMemoryTest, an_answer_that_left_whole_is_not_owed) {
  const Memory memory = made();
  begin(*memory, 1);
  ASSERT_TRUE(memory->append(answer(1)));
  memory->left();
  const Memory after = next(memory);
  EXPECT_THAT(lost(*after), IsEmpty());
  EXPECT_EQ(after->owed(), "");
}

TEST_F(HostMemoryTest, what_has_left_the_staging_pipe_is_known_to_the_byte) {
  const Memory memory = made();
  begin(*memory, 1);
  ASSERT_TRUE(memory->append(answer(1)));
  memory->commit();
  const std::string owed(memory->owed());
  memory->stage(owed.size());
  EXPECT_EQ(next(memory, owed.size())->owed(), owed);                // nothing has left it
  EXPECT_EQ(next(memory, owed.size() - 5)->owed(), owed.substr(5));  // five bytes have
  EXPECT_EQ(next(memory, 0)->owed(), "");
  memory->unstage(owed.size());
  EXPECT_EQ(next(memory)->owed(), "");
}

TEST_F(HostMemoryTest, the_next_process_may_die_too) {
  Memory memory = made();
  begin(*memory, 1);
  read(*memory, "two\n");
  memory = next(memory);
  EXPECT_EQ(memory->generation(), 1U);
  memory = next(memory);
  EXPECT_EQ(memory->generation(), 2U);
  EXPECT_THAT(lost(*memory), ElementsAre("1"));
  ASSERT_TRUE(memory->append(answer(1)));
  memory->commit();
  memory = next(memory);
  EXPECT_THAT(lost(*memory), IsEmpty());
  EXPECT_EQ(memory->owed(), line_of(1));
  EXPECT_THAT(lines(*memory), ElementsAre("two"));
}

TEST_F(HostMemoryTest, a_request_that_gets_no_answer_is_forgotten) {
  const Memory memory = made();
  begin(*memory, 1);
  begin(*memory, 2);
  memory->settle(id(1));
  EXPECT_THAT(lost(*next(memory)), ElementsAre("2"));
}

TEST_F(HostMemoryTest, a_batch_answers_all_of_its_requests) {
  const Memory memory = made();
  begin(*memory, 1);
  begin(*memory, 2);
  rpc::Outgoing both = answer(1);
  both.add(answer(2));
  ASSERT_TRUE(memory->append(both));
  memory->commit();
  EXPECT_THAT(lost(*next(memory)), IsEmpty());
}

TEST_F(HostMemoryTest, the_newest_of_what_was_declared_is_kept_in_the_first_order) {
  const Memory memory = made();
  EXPECT_TRUE(memory->declare("initialize", "a"));
  EXPECT_TRUE(memory->declare("level", "b"));
  EXPECT_TRUE(memory->declare("sub", "c"));
  EXPECT_TRUE(memory->declare("level", "d"));
  memory->forget_declared("sub");
  EXPECT_FALSE(memory->declare("much", std::string(declared_bytes_max, 'x')));
  EXPECT_THAT(next(memory)->declared(), ElementsAre("a", "d"));
}

TEST_F(HostMemoryTest, as_many_requests_as_fit_are_noted_and_places_are_used_again) {
  const Memory memory = made();
  for (std::size_t i = 0; i < flights_max; ++i) {
    ASSERT_TRUE(memory->can_note());
    memory->note(id(static_cast<std::int64_t>(i)), 1);
  }
  EXPECT_FALSE(memory->can_note());
  memory->settle(id(7));
  EXPECT_TRUE(memory->can_note());
  EXPECT_EQ(next(memory)->lost().size(), flights_max - 1);
}

// Long traffic goes round; what is given back reads as zeros, or unpublished bytes would not show.
TEST_F(HostMemoryTest, the_rings_go_round) {
  const Memory memory = made();
  const std::string line = std::string(60'000, 'x') + "\n";
  for (int i = 0; i < 2'000; ++i) {
    read(*memory, line);
    if (i % 7 == 0) {
      EXPECT_FALSE(lines(*memory).empty());
    }
    rpc::Outgoing out{std::string(line)};
    ASSERT_TRUE(memory->append(out));
    memory->commit();
    memory->stage(line.size());
    memory->unstage(line.size());
  }
  lines(*memory);
  bring(*memory, "last\n");
  EXPECT_THAT(lines(*next(memory)), ElementsAre("last"));
}

// Read, taken and answered, with as many bytes both ways.
void pass(HostMemory& memory, std::size_t bytes) {
  std::string line(bytes - 1, 'x');
  line += '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const std::span<char> space = memory.space();
    const std::size_t part = std::min(rest.size(), space.size());
    std::memcpy(space.data(), rest.data(), part);
    memory.publish(part);
    rest.remove_prefix(part);
  }
  const auto found = memory.next_line();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, std::string_view(line).substr(0, bytes - 1));
  memory.take(found->end);
  memory.clean();
  ASSERT_TRUE(memory.append(rpc::Outgoing(std::string(line))));
  memory.commit();
  while (!memory.owed().empty()) {
    const std::string_view owed = memory.owed().substr(0, io::HostOutput::stage_bytes_max);
    EXPECT_EQ(owed, std::string_view(line).substr(line.size() - memory.owed().size(), owed.size()));
    memory.stage(owed.size());
    memory.unstage(owed.size());
  }
}

std::size_t resident_bytes(const HostMemory& memory) {
  struct stat facts{};
  EXPECT_EQ(::fstat(memory.number(), &facts), 0);
  constexpr std::size_t block_bytes = 512;  // stat(2)
  return static_cast<std::size_t>(facts.st_blocks) * block_bytes;
}

constexpr std::size_t mib = std::size_t{1} << 20U;

TEST_F(HostMemoryTest, long_messages_leave_a_few_pages_for_the_next_and_no_more_after_a_while) {
  const Memory memory = made();
  for (const std::size_t bytes : {5 * mib, 3 * mib + 5, 5 * mib + 4097, 7 * mib}) {
    pass(*memory, bytes);
    EXPECT_TRUE(memory->holds_much());
  }
  EXPECT_LE(resident_bytes(*memory), 17 * mib);
  memory->shrink();
  EXPECT_LE(resident_bytes(*memory), mib / 4);
  EXPECT_FALSE(memory->holds_much());
  pass(*memory, 5 * mib);
  begin(*memory, 1);
  EXPECT_THAT(lost(*next(memory)), ElementsAre("1"));
}

TEST_F(HostMemoryTest, what_is_longer_than_may_be_kept_is_given_back_at_once) {
  const Memory memory = made();
  for (int i = 0; i < 40; ++i) {
    pass(*memory, 12 * mib);
  }
  EXPECT_LE(resident_bytes(*memory), mib / 4);
}

TEST_F(HostMemoryTest, what_is_under_way_stays_when_pages_are_given_back) {
  const Memory memory = made();
  pass(*memory, 5 * mib);
  read(*memory, "half");
  ASSERT_TRUE(memory->append(answer(7)));
  memory->commit();
  bring(*memory, " a line\n");
  memory->shrink();
  EXPECT_EQ(memory->rest(), "half");
  EXPECT_EQ(memory->owed(), line_of(7));
  memory->publish(std::string_view(" a line\n").size());
  EXPECT_THAT(lines(*memory), ElementsAre("half a line"));
}

TEST_F(HostMemoryTest, a_message_that_is_too_large_is_refused_and_changes_nothing) {
  const Memory memory = made();
  rpc::Outgoing large;
  const SharedText part(std::string(std::size_t{64} << 20U, 'x'));
  for (int i = 0; i < 9; ++i) {
    large.add(part);
  }
  EXPECT_FALSE(memory->append(large));
  EXPECT_EQ(memory->fresh(), "");
}

TEST_F(HostMemoryTest, other_files_are_no_memory) {
  Result<io::SharedMemory> other = io::SharedMemory::create(std::size_t{1} << 20U);
  ASSERT_TRUE(other);
  EXPECT_FALSE(HostMemory::recover(other->number(), 0));
}

}  // namespace
}  // namespace pi_mcp::transport

#include "io/files/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "io/files/fd.h"

namespace pi_mcp::io {
namespace {

using std::chrono_literals::operator""ms;

class File : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "pi-mcp-file-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder + "/" + name; }
  [[nodiscard]] std::string text(const std::string& name) const {
    return read_file(path(name)).value().value_or("(no file)");
  }
  [[nodiscard]] unsigned mode(const std::string& name) const {
    struct stat status{};
    EXPECT_EQ(::stat(path(name).c_str(), &status), 0);
    return status.st_mode & 07777U;
  }
  std::string folder;
};

TEST_F(File, reading_a_missing_file_gives_no_text_and_no_error) {
  EXPECT_EQ(read_file(path("missing")).value(), std::nullopt);
  EXPECT_EQ(read_file(path("missing/deeper")).value(), std::nullopt);
}

TEST_F(File, reading_a_folderor_a_too_large_file_is_an_error_that_names_it) {
  const auto read = read_file(folder);
  EXPECT_EQ(read.error().code(), ErrorCode::io);
  EXPECT_EQ(read.error().message(), "cannot read " + folder + ": Is a directory");
  ASSERT_TRUE(write_file(path("large"), std::string(101, 'x')));
  const auto large = read_file(path("large"), 100);
  EXPECT_EQ(large.error().message(), path("large") + " is larger than 100 bytes");
  EXPECT_EQ(read_file(path("large"), 101).value()->size(), 101U);
}

TEST_F(File, files_whose_size_is_not_known_are_read_whole) {
  const auto status = read_file("/proc/self/status");
  EXPECT_NE(status.value()->find("VmPeak"), std::string::npos);
}

TEST_F(File, a_named_pipe_without_writer_does_not_hang) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(text("pipe"), "");
}

TEST_F(File, writing_makes_private_files_and_folders) {
  ASSERT_TRUE(write_file(path("a/b/c"), "text"));
  EXPECT_EQ(text("a/b/c"), "text");
  EXPECT_EQ(mode("a/b/c"), 0600U);
  EXPECT_EQ(mode("a/b"), 0700U);
  EXPECT_EQ(mode("a"), 0700U);
}

TEST_F(File, writing_keeps_the_mode_of_the_file_and_the_link_to_it) {
  ASSERT_TRUE(write_file(path("real"), "old", WriteOptions{.mode = 0640}));
  ASSERT_EQ(::symlink("real", path("link").c_str()), 0);
  ASSERT_EQ(::symlink("folder/new", path("dangling").c_str()), 0);
  ASSERT_TRUE(write_file(path("link"), "new"));
  EXPECT_EQ(text("real"), "new");
  EXPECT_EQ(mode("real"), 0640U);
  ASSERT_TRUE(write_file(path("dangling"), "made"));
  EXPECT_EQ(text("folder/new"), "made");
  struct stat status{};
  ASSERT_EQ(::lstat(path("link").c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
}

TEST_F(File, a_failed_write_keeps_the_old_text_and_leaves_nothing_behind) {
  const auto onto_folder = write_file(folder, "text");
  EXPECT_EQ(onto_folder.error().message(), "cannot write " + folder + ": Is a directory");
  ASSERT_TRUE(write_file(path("file"), "text"));
  const auto below_file = write_file(path("file/below"), "text");
  EXPECT_EQ(below_file.error().code(), ErrorCode::io);
  EXPECT_EQ(text("file"), "text");
}

TEST_F(File, output_goes_into_what_is_there_and_makes_no_folder) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const Fd reader(::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(write_output(path("pipe"), "text"));
  std::array<char, 8> read{};
  EXPECT_EQ(::read(reader.get(), read.data(), read.size()), 4);
  ASSERT_TRUE(write_output(path("file"), "longer"));
  ASSERT_TRUE(write_output(path("file"), "new"));
  EXPECT_EQ(text("file"), "new");
  const Result<void> refused = write_output(path("none/file"), "text");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("none/file"), std::string::npos);
}

TEST_F(File, output_that_finds_no_room_leaves_what_was_there) {
  ASSERT_TRUE(write_output(path("file"), "old"));
  ASSERT_EQ(::chmod(path("file").c_str(), 0640), 0);
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small{.rlim_cur = 8, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const bool over = write_output(path("file"), "more than there is room for").has_value();
  const bool fresh = write_output(path("new"), "more than there is room for").has_value();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  (void)std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(over);
  EXPECT_FALSE(fresh);
  EXPECT_EQ(text("file"), "old");
  EXPECT_FALSE(is_file(path("new")));
  ASSERT_TRUE(write_output(path("file"), "new"));
  struct stat status{};
  ASSERT_EQ(::stat(path("file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(File, an_update_gets_the_old_text_and_may_leave_the_file_alone) {
  const auto append = [](std::string old) {
    return std::optional<std::string>(old + "x");
  };
  ASSERT_TRUE(update_file(path("file"), append, 100ms));
  ASSERT_TRUE(update_file(path("file"), append, 100ms));
  const auto nothing = [](const std::string&) {
    return std::optional<std::string>();
  };
  ASSERT_TRUE(update_file(path("file"), nothing, 100ms));
  EXPECT_EQ(text("file"), "xx");
}

TEST_F(File, an_update_waits_for_the_lock_only_so_long) {
  const Fd lock(::open(path("file.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  const auto change = [](const std::string&) {
    return std::optional<std::string>("new");
  };
  const auto updated = update_file(path("file"), change, 20ms);
  EXPECT_EQ(updated.error().code(), ErrorCode::timed_out);
  EXPECT_EQ(read_file(path("file")).value(), std::nullopt);
}

TEST_F(File, concurrent_updates_lose_nothing) {
  const auto append_ten = [this] {
    for (int i = 0; i < 10; ++i) {
      const auto append = [](std::string old) {
        return std::optional<std::string>(old + "x");
      };
      EXPECT_TRUE(update_file(path("file"), append, 10'000ms));
    }
  };
  std::array<std::jthread, 4> writers;
  for (std::jthread& writer : writers) {
    writer = std::jthread(append_ten);
  }
  for (std::jthread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(text("file").size(), 40U);
}

TEST_F(File, paths_are_resolved_when_they_exist) {
  ASSERT_TRUE(write_file(path("real"), "text"));
  ASSERT_EQ(::symlink("real", path("link").c_str()), 0);
  EXPECT_EQ(canonical_path(path("link")), canonical_path(folder) + "/real");
  EXPECT_EQ(canonical_path(path("missing")), path("missing"));
  EXPECT_TRUE(is_directory(folder));
  EXPECT_FALSE(is_directory(path("real")));
  EXPECT_FALSE(is_directory(path("missing")));
}

TEST_F(File, a_path_has_one_spelling) {
  const std::string whole = canonical_path(folder);
  const std::string name = std::filesystem::path(whole).filename().string();
  ASSERT_TRUE(make_folders(path("real")));
  ASSERT_EQ(::symlink("real", path("link").c_str()), 0);
  ASSERT_TRUE(write_file(path("real/.file"), "text"));
  for (const std::string spelled : {"/real/.file",
                                    "/link/.file",
                                    "//real/.file",
                                    "/./real/.file",
                                    "/real/../link/.file",
                                    "/real//.file"}) {
    EXPECT_EQ(canonical_path(whole + spelled), whole + "/real/.file") << spelled;
  }
  EXPECT_EQ(canonical_path(whole + "/real/"), whole + "/real");
  EXPECT_EQ(canonical_path(whole + "/../" + name), whole);
  EXPECT_EQ(canonical_path(whole + "/.hidden"), whole + "/.hidden");
  EXPECT_EQ(canonical_path("/"), "/");
}

TEST_F(File, writes_that_leave_the_same_time_are_told_apart) {
  EXPECT_FALSE(stamp_of(path("none")));
  const auto write = [this](const std::string& text) {
    EXPECT_TRUE(write_file(path("f"), text));
    const std::array<timespec, 2> times{timespec{.tv_sec = 1, .tv_nsec = 5},
                                        timespec{.tv_sec = 1, .tv_nsec = 5}};
    EXPECT_EQ(::utimensat(AT_FDCWD, path("f").c_str(), times.data(), 0), 0);
    return stamp_of(path("f"));
  };
  const std::optional<FileStamp> first = write("one");
  EXPECT_EQ(first, stamp_of(path("f")));
  EXPECT_EQ(first->modified_ns, 1'000'000'005);
  EXPECT_NE(first, write("two"));
}

}  // namespace
}  // namespace pi_mcp::io

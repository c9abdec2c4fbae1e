// The stdio transport against a server that misbehaves in every way it can.
#include <fcntl.h>
#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "base/log.h"
#include "io/loop/loop.h"
#include "support/link.h"
#include "transport/line_writer.h"

namespace pi_mcp::transport {
namespace {

using test::eventually;
using test::fake_server_options;
using test::Link;
using test::TempFolder;

io::Task<int> simple_calls(io::Executor /*executor*/) {
  Link link = co_await Link::open(fake_server_options({"--tools", "all"}));
  EXPECT_EQ(co_await link.ask("echo", R"({"text":"hello"})"), "result hello");
  EXPECT_EQ(co_await link.ask("add", R"({"a":2,"b":3})"), "result 5");
  EXPECT_EQ(co_await link.ask("pid"), "result " + std::to_string(link->process_id()));
  EXPECT_EQ(co_await link.ask("glued"), "result glued");
  EXPECT_EQ(co_await link.next(), "notification notifications/message");
  EXPECT_EQ(co_await link.ask("rpc_error"), "failure refused");
  co_await link->close();
  EXPECT_EQ(link->end().reason, "exited with status 0");
  EXPECT_EQ(co_await link.next(), "ended the link was closed");
  EXPECT_EQ(link->send(rpc::Outgoing("{}")).error().code(), ErrorCode::io);
  co_await link->close();
  co_return 0;
}

TEST(StdioChild, carries_messages_both_ways_until_it_is_closed) {
  io::run(simple_calls);
}

io::Task<int> environment_and_folder(const TempFolder* folder) {
  StdioChildOptions options = fake_server_options({});
  options.command.environment["FAKE_VARIABLE"] = "its value";
  options.command.environment.erase("HOME");
  options.command.folder = folder->path();
  Link link = co_await Link::open(std::move(options));
  EXPECT_EQ(co_await link.ask("env", R"({"name":"FAKE_VARIABLE"})"), "result its value");
  EXPECT_EQ(co_await link.ask("env", R"({"name":"HOME"})"), "result (not set)");
  EXPECT_EQ(co_await link.ask("cwd"), "result " + folder->path());
  co_await link->close();
  co_return 0;
}

TEST(StdioChild, the_server_gets_the_environment_and_the_folder_it_was_given) {
  const TempFolder folder;
  io::run([&](const io::Executor& /*executor*/) { return environment_and_folder(&folder); });
}

io::Task<int> junk_on_stdout(io::Executor /*executor*/) {
  Link link = co_await Link::open(fake_server_options({"--stdout", "Server ready!"}));
  EXPECT_EQ(co_await link.ask("garbage", R"({"lines":4})"), "result after garbage");
  EXPECT_EQ(link->counters().junk_lines, 5U);
  co_await link->close();
  co_return 0;
}

TEST(StdioChild, lines_that_are_no_messages_are_passed_over_and_counted) {
  io::run(junk_on_stdout);
}

io::Task<int> broken_answers(io::Executor /*executor*/) {
  StdioChildOptions options = fake_server_options({});
  options.line_limits.line_bytes_max = std::size_t{1} << 20U;
  Link link = co_await Link::open(std::move(options));
  std::string answer = co_await link.ask("bad_json");
  EXPECT_EQ(answer.substr(0, 45), "failure fake sent a broken answer: not JSON: ");
  answer = co_await link.ask("deep");
  EXPECT_EQ(answer.substr(0, 34), "failure fake sent a broken answer:");
  answer = co_await link.ask("big", R"({"bytes":3000000})");
  EXPECT_EQ(answer, "failure fake sent a broken answer: the message has 2.9MB, the limit is 1.0MB");
  EXPECT_EQ(co_await link.ask("bad_utf8"), "result caf\xEF\xBF\xBD \xEF\xBF\xBD");
  EXPECT_EQ(co_await link.ask("duplicate"), "result first");
  EXPECT_EQ(co_await link.next(), "result second");  // for the table of calls to drop
  EXPECT_EQ(co_await link.ask("stranger"), "result for nobody");
  EXPECT_EQ(co_await link.next(), "result for you");
  EXPECT_EQ(co_await link.ask("echo", R"({"text":"still here"})"), "result still here");
  EXPECT_EQ(link->counters().oversized_lines, 1U);
  co_await link->close();
  co_return 0;
}

TEST(StdioChild, a_broken_answer_fails_its_call_and_no_other) {
  io::run(broken_answers);
}

io::Task<int> ends(io::Executor /*executor*/) {
  Link exits = co_await Link::open(fake_server_options({"--stderr", "out of \x1b[31mluck"}));
  EXPECT_EQ(co_await exits.ask("exit", R"({"status":3})"), "ended exited with status 3");
  EXPECT_EQ(exits->end().stderr_tail, "out of luck\n");
  EXPECT_EQ(exits->send(rpc::Outgoing("{}")).error().code(), ErrorCode::io);
  co_await exits->close();

  Link crashes = co_await Link::open(fake_server_options({}));
  EXPECT_EQ(co_await crashes.ask("crash"), "ended killed by SIGKILL");
  co_await crashes->close();

  Link leaves = co_await Link::open(fake_server_options({"--exit-at", "start"}));
  EXPECT_EQ(co_await leaves.next(), "ended exited with status 1");
  co_await leaves->close();
  co_return 0;
}

TEST(StdioChild, the_end_of_a_server_is_seen_with_its_reason_and_last_words) {
  io::run(ends);
}

io::Task<int> exit_with_heirs(const TempFolder* folder) {
  Link link = co_await Link::open(fake_server_options(
      {"--grandchild", "--escaped-grandchild", "--pid-file", folder->file("pids")}));
  EXPECT_EQ(co_await link.ask("echo", R"({"text":"up"})"), "result up");
  link.call("exit", R"({"status":0})");
  const TimePoint start = io::now();
  EXPECT_EQ(co_await link.next(), "ended exited with status 0");
  EXPECT_LT(io::now() - start, Milliseconds(450));  // its grandchildren hold the pipe for longer
  co_await link->close();
  for (const int id : folder->numbers("pids")) {
    EXPECT_FALSE(test::is_alive(id));
  }
  co_return 0;
}

TEST(StdioChild, the_end_is_seen_at_once_though_grandchildren_hold_the_pipes) {
  const TempFolder folder;
  io::run([&](const io::Executor& /*executor*/) { return exit_with_heirs(&folder); });
}

io::Task<int> closed_stdout(io::Executor /*executor*/) {
  Link link = co_await Link::open(fake_server_options({"--close-stdout"}));
  EXPECT_TRUE(link->send(rpc::request(rpc::Id(1), "initialize", SharedText())));
  EXPECT_EQ((co_await link.next()).substr(0, 7), "result ");
  EXPECT_EQ(co_await link.next(), "ended closed its output");
  co_await link->close();
  co_return 0;
}

TEST(StdioChild, a_server_that_closes_its_stdout_has_ended_the_link) {
  io::run(closed_stdout);
}

io::Task<int> half_a_line(io::Executor /*executor*/) {
  Link link = co_await Link::open(fake_server_options({}));
  link.call("half");
  const std::string answer = co_await link.ask("pid");
  EXPECT_EQ(answer.substr(0, 55), "failure fake sent a broken answer: not JSON: line 1, co");
  EXPECT_EQ((co_await link.ask("pid")).substr(0, 7), "result ");
  co_await link->close();
  co_return 0;
}

TEST(StdioChild, half_a_line_spoils_only_the_next_message) {
  io::run(half_a_line);
}

io::Task<int> stderr_flood(io::Executor /*executor*/) {
  Link link = co_await Link::open(fake_server_options({"--stderr-flood", "3000000"}));
  EXPECT_EQ(co_await link.ask("flood_stderr", R"({"bytes":3000000})"), "result after flood");
  co_await link->close();
  EXPECT_EQ(link->end().stderr_tail.size(), 32700U);  // whole lines of 100
  co_return 0;
}

TEST(StdioChild, a_server_that_floods_its_stderr_is_not_held_up) {
  io::run(stderr_flood);
}

io::Task<int> debug_output(bool debug) {
  StdioChildOptions options = fake_server_options({"--stderr", "words of the server"});
  options.debug = debug;
  Link link = co_await Link::open(std::move(options));
  EXPECT_EQ(co_await link.ask("exit"), "ended exited with status 1");
  co_await link->close();
  co_return 0;
}

TEST(StdioChild, stderr_is_shown_only_with_debug) {
  testing::internal::CaptureStderr();
  io::run([](const io::Executor& /*executor*/) { return debug_output(false); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  io::run([](const io::Executor& /*executor*/) { return debug_output(true); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "words of the server\n");
}

io::Task<int> large_messages(io::Executor /*executor*/) {
  Link link = co_await Link::open(fake_server_options({}));
  const std::string text(5'000'000, 't');
  const std::string answer = co_await link.ask("echo", R"({"text":")" + text + "\"}");
  EXPECT_TRUE(answer == "result " + text);
  const std::string big = co_await link.ask("big", R"({"bytes":20000000})");
  EXPECT_EQ(big.size(), 20'000'007U);
  co_await link->close();
  co_return 0;
}

TEST(StdioChild, messages_larger_than_a_pipe_pass_whole) {
  io::run(large_messages);
}

io::Task<int> laid_out_messages(io::Executor /*executor*/) {
  Link link = co_await Link::open(fake_server_options({}));
  EXPECT_TRUE(link->send(
      rpc::Outgoing("{\"jsonrpc\":\"2.0\",\r\n \"id\":1, \"method\":\"tools/call\",\n \"params\":\n"
                    "{\"name\":\"echo\",\n\"arguments\":{\"text\":\"a\\nb\"}}}\n")));
  EXPECT_EQ(co_await link.next(), "result a\nb");
  co_await link->close();
  co_return 0;
}

TEST(StdioChild, a_message_laid_out_in_lines_is_sent_as_one_line) {
  io::run(laid_out_messages);
}

io::Task<int> reader_that_stops(io::Executor executor) {
  StdioChildOptions options = fake_server_options({});
  options.command.program = "sleep";
  options.command.arguments = {"1000"};
  options.close_times = {.after_input_end = Milliseconds(0)};
  Link link = co_await Link::open(std::move(options));
  const std::string megabyte(std::size_t{1} << 20U, 'x');
  const auto message = [&] {
    return rpc::notification("x", SharedText("\"" + megabyte + "\""));
  };
  int accepted = 0;
  while (link->send(message())) {
    ++accepted;
  }
  EXPECT_EQ(accepted, 64);  // the beginning of the first is in the pipe
  const auto refused = link->send(message());
  EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(refused.error().message().substr(0, 32), "the other side does not read: 63");
  io::TaskGroup tasks(executor);
  const auto drained = co_await io::with_deadline(Milliseconds(20), "draining", link->drain(1000));
  EXPECT_EQ(drained.error().code(), ErrorCode::timed_out);
  co_await link->close();
  const auto after = co_await link->drain(0);
  EXPECT_EQ(after.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(link->end().reason, "killed by SIGTERM");
  co_return 0;
}

TEST(StdioChild, what_a_server_does_not_read_is_queued_only_so_far) {
  io::run(reader_that_stops);
}

io::Task<int> turn_of_the_loop(io::Executor executor) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
  io::ReadStream out(executor, io::Fd(ends[0]));
  io::WriteStream in(executor, io::Fd(ends[1]));
  io::TaskGroup tasks(executor);
  LineWriter writer(executor, &in, &tasks);
  std::string space(std::size_t{64} * 1024, '\0');
  const auto read_now = [&] {
    return space.substr(0, out.read_now(space).value_or(0));
  };
  for (const char* word : {"one", "two", "three"}) {
    EXPECT_TRUE(writer.send(rpc::Outgoing(word)));
  }
  EXPECT_EQ(read_now(), "one\n") << "at once";
  EXPECT_EQ(writer.queued_bytes(), 10U);
  co_await writer.flush(Milliseconds(10'000));
  EXPECT_EQ(read_now(), "two\nthree\n") << "together, before the loop waits";
  EXPECT_TRUE(writer.send(rpc::Outgoing("four")));
  EXPECT_TRUE(writer.send(rpc::Outgoing(std::string(60'000, 'x'))));
  EXPECT_TRUE(writer.send(rpc::Outgoing(std::string(10'000, 'y'))));
  EXPECT_EQ(read_now().size(), 65'536U) << "much is not held back";
  EXPECT_TRUE(writer.send(rpc::Outgoing("last")));
  co_await writer.flush(Milliseconds(10'000));
  EXPECT_EQ(read_now().size(), 5 + 60'001 + 10'001 - 65'536 + 5);
  EXPECT_TRUE(writer.send(rpc::Outgoing("a")));
  EXPECT_TRUE(writer.send(rpc::Outgoing("b")));
  writer.close();
  EXPECT_EQ(read_now(), "a\nb\n");
  co_await tasks.join();
  co_return 0;
}

TEST(LineWriter, writes_what_one_turn_of_the_loop_says_in_two_writes) {
  io::run(turn_of_the_loop);
}

io::Task<void> receive_into(Transport* link, std::vector<ErrorCode>* codes) {
  const auto message = co_await link->receive();
  codes->push_back(message ? ErrorCode::io : message.error().code());
}

io::Task<int> cancelled_receive(io::Executor executor) {
  Link link = co_await Link::open(fake_server_options({}));
  io::TaskGroup tasks(executor);
  std::vector<ErrorCode> codes;
  tasks.spawn("receiving", receive_into(&*link, &codes), io::log_only);
  tasks.cancel();
  co_await tasks.join();
  EXPECT_EQ(co_await link.ask("echo", R"({"text":"not lost"})"), "result not lost");
  tasks.spawn("receiving", receive_into(&*link, &codes), io::log_only);
  co_await link->close();
  co_await tasks.join();
  EXPECT_EQ(codes, std::vector<ErrorCode>(2, ErrorCode::cancelled));
  co_return 0;
}

TEST(StdioChild, a_receive_ends_when_its_task_or_the_link_does) {
  io::run(cancelled_receive);
}

io::Task<void> close_link(Transport* link) {
  co_await link->close();
}

io::Task<int> cancelled_close(io::Executor executor, const TempFolder* folder) {
  StdioChildOptions options = fake_server_options(
      {"--ignore-eof", "--ignore-sigterm", "--grandchild", "--pid-file", folder->file("pids")});
  options.close_times = {.after_input_end = Milliseconds(50), .after_terminate = Milliseconds(50)};
  Link link = co_await Link::open(std::move(options));
  const auto started = [&] {
    return folder->numbers("pids").size() == 2;
  };
  EXPECT_TRUE(co_await eventually(started));
  io::TaskGroup tasks(executor);
  tasks.spawn("closing", close_link(&*link), io::log_only);
  tasks.spawn("closing again", close_link(&*link), io::log_only);
  tasks.cancel();
  co_await tasks.join();
  for (const int id : folder->numbers("pids")) {
    EXPECT_FALSE(test::is_alive(id));
  }
  EXPECT_EQ(link->end().reason, "killed by SIGKILL");
  co_return 0;
}

TEST(StdioChild, a_close_goes_on_to_its_end_though_its_caller_is_cancelled) {
  const TempFolder folder;
  io::run([&](io::Executor executor) { return cancelled_close(std::move(executor), &folder); });
}

io::Task<int> cycles(io::Executor /*executor*/) {
  std::size_t files = 0;
  for (int cycle = 0; cycle < 50; ++cycle) {
    Link link = co_await Link::open(fake_server_options({}));
    EXPECT_EQ(co_await link.ask("echo", R"({"text":"x"})"), "result x");
    co_await link->close();
    if (cycle == 0) {
      files = test::open_files();
    }
  }
  EXPECT_LE(test::open_files(), files);
  EXPECT_TRUE(test::child_processes().empty());
  co_return 0;
}

TEST(StdioChild, starts_and_stops_leave_no_file_and_no_process) {
  io::run(cycles);
}

}  // namespace
}  // namespace pi_mcp::transport

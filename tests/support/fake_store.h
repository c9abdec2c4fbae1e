// A store of replicas in memory, for tests: the commands for their logins, and the ways of a store
// that is away, slow or something else. What is in the scripts a real one runs
// (tests/integration/shared_logins_test.py).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "replicas/store_address.h"
#include "support/peer_script.h"

namespace pi_mcp::test {

class FakeStore {
 public:
  enum class Mood : std::uint8_t {
    answers,
    hangs_up,  // on whoever comes or says something
    silent,
    garbage,  // no RESP
    loading,  // refuses
    strange,  // every answer is a number that nobody has asked for
  };
  struct Kept {
    std::string value;
    std::string lasts;  // "EX 600"
  };
  using Words = std::vector<std::string>;

  explicit FakeStore(const io::Executor& executor)
      : changed(executor), script_(executor, [this](std::shared_ptr<BytePeer> peer) {
          return serve(std::move(peer));
        }) {}

  // What tests set and look at.
  Mood mood = Mood::answers;
  std::size_t hangs_up_at = 0;  // the command of this number; 0: none
  std::map<std::string, Kept> kept;
  std::vector<Words> heard;  // but for SELECT
  io::Condition changed;     // something was heard

  [[nodiscard]] replicas::StoreAddress address() const {
    return {.host = "127.0.0.1",
            .port = static_cast<std::uint16_t>(script_.port()),
            .is_secure = false,
            .user = {},
            .password = {},
            .database = 0};
  }
  // For messages.
  [[nodiscard]] std::string name() const { return "the store " + address().text(); }
  [[nodiscard]] auto count(const std::string& command) const {
    return std::ranges::count_if(heard,
                                 [&command](const Words& each) { return each.front() == command; });
  }
  // The keys of this kind: "login", "waiting", "turn".
  [[nodiscard]] Words keys(const std::string& kind) const {
    Words found;
    for (const auto& [key, entry] : kept) {
      if (key.starts_with("pi-mcp:1:" + kind + ":")) {
        found.push_back(key);
      }
    }
    return found;
  }
  [[nodiscard]] bool has_heard(std::string_view part) const {
    return std::ranges::any_of(heard, [part](const Words& words) {
      return std::ranges::any_of(
          words, [part](const std::string& word) { return word.find(part) != std::string::npos; });
    });
  }

  io::Task<void> close() { return script_.close(); }

 private:
  io::Task<void> serve(std::shared_ptr<BytePeer> peer) {
    std::string unread;
    while (mood != Mood::hangs_up) {
      const std::optional<std::string> bytes = co_await peer->read();
      if (!bytes) {
        co_return;
      }
      unread += *bytes;
      std::string answers;
      for (Words words = take_command(unread); !words.empty(); words = take_command(unread)) {
        answers += answer(words);
      }
      changed.notify_all();
      if (!answers.empty() && !co_await peer->write(std::move(answers))) {
        co_return;
      }
    }
  }

  // Empty: not all of it is there.
  static Words take_command(std::string& unread) {
    std::size_t at = 0;
    const auto number = [&] {  // "*3\r\n"
      const std::size_t end = unread.find("\r\n", at);
      const std::size_t begin = std::exchange(at, end == std::string::npos ? end : end + 2);
      return end == std::string::npos ? std::string::npos
                                      : std::stoul(unread.substr(begin + 1, end - begin - 1));
    };
    Words words;
    const std::size_t count = number();
    while (at != std::string::npos && words.size() < count) {
      const std::size_t size = number();
      if (at == std::string::npos || unread.size() < at + size + 2) {
        return {};
      }
      words.push_back(unread.substr(at, size));
      at += size + 2;
    }
    if (at == std::string::npos) {
      return {};
    }
    unread.erase(0, at);
    return words;
  }

  std::string answer(const Words& words) {
    const bool is_greeting = words.front() == "SELECT";
    if (!is_greeting) {
      heard.push_back(words);
      mood = heard.size() == hangs_up_at ? Mood::hangs_up : mood;
    }
    if (mood == Mood::silent || mood == Mood::hangs_up) {
      return "";
    }
    if (mood == Mood::garbage) {
      return "HTTP/1.1 400 Bad Request\r\n\r\n";
    }
    if (is_greeting) {
      return "+OK\r\n";
    }
    if (mood == Mood::loading) {
      return "-LOADING Redis is loading the dataset in memory\r\n";
    }
    return mood == Mood::strange ? ":5\r\n" : done(words);
  }

  std::string done(const Words& words) {
    const std::string& command = words.front();
    const std::string& key = words.at(command == "EVAL" ? 3 : 1);
    const auto found = kept.find(key);
    const std::string value = found == kept.end() ? "" : found->second.value;
    if (command == "GET") {
      return found == kept.end() ? "$-1\r\n"
                                 : "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
    }
    if (command == "SET") {
      const bool is_new = words.at(3) == "NX";
      if (is_new && found != kept.end()) {
        return "$-1\r\n";
      }
      kept[key] = {.value = words.at(2), .lasts = words.at(is_new ? 4 : 3) + " " + words.back()};
      return "+OK\r\n";
    }
    if (command == "DEL") {
      return ":" + std::to_string(kept.erase(key)) + "\r\n";
    }
    return run({words.begin() + 4, words.end()}, key, value);
  }

  // What the scripts do, told apart by how much they are given.
  std::string run(const Words& given, const std::string& key, const std::string& value) {
    constexpr std::size_t replacing = 3;
    constexpr std::size_t keeping = 2;
    if (given.size() == replacing && value == given[0]) {
      kept[key] = {.value = given[1], .lasts = "EX " + given[2]};
      return ":1\r\n";
    }
    if (given.size() == keeping && (value.empty() || value == given[0])) {
      kept[key] = {.value = given[0], .lasts = "PX " + given[1]};
      return ":1\r\n";
    }
    const bool is_given_up = given.size() == 1 && value == given[0];
    return ":" + std::to_string(is_given_up ? kept.erase(key) : 0) + "\r\n";
  }

  PeerScript<BytePeer> script_;
};

}  // namespace pi_mcp::test

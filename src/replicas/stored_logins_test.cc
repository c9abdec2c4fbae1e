#include "replicas/stored_logins.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/token_store.h"
#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "replicas/sealed_login.h"
#include "support/auth_scene.h"
#include "support/fake_store.h"

namespace pi_mcp::replicas {
namespace {

using Mood = test::FakeStore::Mood;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Milliseconds patience{10'000};
constexpr const char* for_turns =
    "; without it no login is renewed, because other replicas may redeem the same refresh token, "
    "which can work once: call again when it is back";

const auth::LoginName name{.principal = "p", .server = "far", .url = "https://far.example/mcp"};

access::SessionKeys keys_of(const std::string& digits) {
  std::string lines;
  for (const char digit : digits) {
    lines += std::string(64, digit) + "\n";
  }
  return *access::SessionKeys::parse(lines, "keys");
}

std::string key_of(const auth::LoginName& of) {
  return "pi-mcp:1:login:" + login_id(of);
}

auth::Credentials login(const std::string& number, std::int64_t turn = 0) {
  auth::Credentials credentials;
  credentials.server_url = name.url;
  credentials.issuer = "https://as.example";
  credentials.client.id = "client";
  credentials.client.secret = "planted-secret";
  credentials.client.source = auth::ClientSource::registered;
  credentials.made_at = EpochMs{1'000};
  credentials.turn = turn;
  credentials.tokens = auth::Tokens{.access = "planted-access-" + number,
                                    .refresh = "planted-refresh-" + number,
                                    .scope = "a",
                                    .stale_at = EpochMs{2'000},
                                    .login_ends_at = EpochMs{3'000}};
  return credentials;
}

// What was found, or what is wrong.
std::string said(const Result<std::optional<auth::Credentials>>& found) {
  if (!found) {
    return found.error().message();
  }
  if (!*found) {
    return "none";
  }
  return (*found)->tokens ? (*found)->tokens->access : "logged out";
}

template <class T>
std::string problem(const Result<T>& outcome) {
  return outcome ? "none" : outcome.error().message();
}

// One of several, with a connection of its own.
struct Replica {
  Replica(const io::Executor& executor,
          const test::FakeStore& store,
          const std::string& digits = "a",
          Milliseconds answer_max = patience)
      : keys(keys_of(digits)),
        redis(executor,
              {.address = store.address(),
               .environment = {},
               .connect_max = answer_max,
               .answer_max = answer_max,
               .pause_min = Milliseconds(1),
               .pause_max = Milliseconds(5),
               .warns = false}),
        logins(executor, redis, keys) {
    redis.start();
  }
  io::Task<void> end() {
    co_await logins.close();
    co_await redis.close();
  }

  access::SessionKeys keys;
  Redis redis;
  StoredLogins logins;
};

struct Scene {
  explicit Scene(const io::Executor& executor)
      : executor(executor),
        store(executor),
        a(executor, store),
        b(executor, store),
        agent_dir(testing::TempDir() + "/stored-logins-" + io::random_hex(8)) {}

  // Looks when the store has heard something, and now and then for what nobody tells.
  template <class Predicate>
  io::Task<void> until(Predicate holds) {
    constexpr Milliseconds pause{5};
    const TimePoint deadline = io::now() + patience;
    while (!holds() && io::now() < deadline) {
      (void)co_await store.changed.wait_until(io::now() + pause);  // the predicate decides
    }
    EXPECT_TRUE(holds());
  }
  [[nodiscard]] auth::TokenStore tokens(Replica& replica) const {
    auth::Access access;
    access.server = name.server;
    access.url = name.url;
    access.principal = name.principal;
    access.agent_dir = agent_dir;
    access.store = auth::LoginStore::file;
    access.shared = &replica.logins;
    return auth::TokenStore(access);
  }
  [[nodiscard]] std::string lasts(const std::string& kind) const {
    return store.kept.at(store.keys(kind).front()).lasts;
  }
  io::Task<void> end() {
    co_await a.end();
    co_await b.end();
    co_await store.close();
    std::filesystem::remove_all(agent_dir);
  }

  io::Executor executor;
  test::FakeStore store;
  Replica a;
  Replica b;
  std::string agent_dir;
};

void play(io::Task<int> (*test)(Scene*)) {
  test::play(test);
}

TEST(StoredLogins, what_one_writes_all_read_and_the_store_has_no_secret_of_it) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "none");
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("1", 4)));
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "planted-access-1");
    const std::optional<auth::Credentials> seen = scene->b.logins.remembered(name);
    EXPECT_EQ(seen->tokens->refresh, "planted-refresh-1");
    EXPECT_EQ(seen->tokens->stale_at, EpochMs{2'000});
    EXPECT_EQ(seen->tokens->login_ends_at, EpochMs{3'000});
    EXPECT_EQ(seen->client.secret, "planted-secret");
    EXPECT_EQ(seen->turn, 4);
    EXPECT_THAT(scene->store.keys("login"), ElementsAre(key_of(name)));
    EXPECT_EQ(scene->lasts("login"), "EX 31536000");
    for (const char* part : {"planted", "\"far\"", "as.example", "client"}) {
      EXPECT_FALSE(scene->store.has_heard(part)) << part;
    }
    co_return 0;
  });
}

TEST(StoredLogins, one_that_waits_for_a_person_goes_on_elsewhere_for_ten_minutes) {
  play([](Scene* scene) -> io::Task<int> {
    auth::WaitingLogin waiting;
    waiting.so_far = login("1");
    waiting.so_far.tokens.reset();
    waiting.redirect_uri = "http://127.0.0.1:1/callback";
    waiting.state = "planted-state";
    waiting.verifier = "planted-verifier";
    EXPECT_TRUE(co_await scene->a.logins.note_waiting(name, waiting));
    EXPECT_EQ((**co_await scene->b.logins.waiting(name)).verifier, "planted-verifier");
    EXPECT_EQ(scene->lasts("waiting"), "EX 600");
    EXPECT_FALSE(scene->store.has_heard("planted"));
    auth::LoginName other = name;
    other.principal = "q";
    scene->store.kept["pi-mcp:1:waiting:" + login_id(other)] =
        scene->store.kept.at(scene->store.keys("waiting").front());
    EXPECT_FALSE(*co_await scene->b.logins.waiting(other)) << "it is p's";
    EXPECT_TRUE(co_await scene->b.logins.note_waiting(name, std::nullopt));
    EXPECT_FALSE(*co_await scene->a.logins.waiting(name));
    co_return 0;
  });
}

TEST(StoredLogins, what_is_not_sealed_for_this_name_is_an_error_until_a_new_login_replaces_it) {
  play([](Scene* scene) -> io::Task<int> {
    const std::string strange = scene->store.name() +
                                " has something in the place of this login that none with these "
                                "session keys has put there; log in again, or give all replicas "
                                "the same keys";
    std::vector<std::string> wrong = {"x", "{}", std::string(4'000, 'A')};
    for (const auth::LoginName& other :
         {auth::LoginName{.principal = "q", .server = name.server, .url = name.url},
          auth::LoginName{.principal = "", .server = name.server, .url = name.url},
          auth::LoginName{.principal = name.principal, .server = "near", .url = name.url},
          auth::LoginName{.principal = name.principal, .server = name.server, .url = "x:/"}}) {
      EXPECT_TRUE(co_await scene->a.logins.write(other, login("1")));
      wrong.push_back(scene->store.kept.at(key_of(other)).value);
    }
    for (const std::string& each : wrong) {
      scene->store.kept[key_of(name)].value = each;
      const Result<std::optional<auth::Credentials>> found = co_await scene->b.logins.read(name);
      EXPECT_EQ(said(found), strange) << each;
      EXPECT_TRUE(!found && found.error().code() == ErrorCode::protocol);
    }
    EXPECT_EQ(scene->store.kept.at(key_of(name)).value, wrong.back()) << "nothing was put there";
    EXPECT_TRUE(co_await scene->b.logins.write(name, login("2")));
    EXPECT_EQ(said(co_await scene->a.logins.read(name)), "planted-access-2");
    co_return 0;
  });
}

TEST(StoredLogins, one_of_an_older_key_is_sealed_by_the_first_when_it_is_read) {
  play([](Scene* scene) -> io::Task<int> {
    Replica both(scene->executor, scene->store, "ba");
    Replica newest(scene->executor, scene->store, "b");
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("1")));
    EXPECT_THAT(said(co_await newest.logins.read(name)), HasSubstr("give all replicas the same"));
    EXPECT_EQ(said(co_await both.logins.read(name)), "planted-access-1");
    EXPECT_EQ(said(co_await newest.logins.read(name)), "planted-access-1");
    co_await both.end();
    co_await newest.end();
    co_return 0;
  });
}

TEST(StoredLogins, the_newest_that_was_seen_counts_whatever_the_store_has) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("1")));
    const test::FakeStore::Kept older = scene->store.kept.at(key_of(name));
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("2", 1)));
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "planted-access-2");

    scene->store.kept[key_of(name)] = older;
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "planted-access-2");
    scene->store.kept.clear();
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "planted-access-2");
    Replica fresh(scene->executor, scene->store);
    EXPECT_EQ(said(co_await fresh.logins.read(name)), "planted-access-2") << "b has put it back";

    EXPECT_TRUE(co_await scene->b.logins.write(name, login("3", 2)));
    EXPECT_TRUE(co_await fresh.logins.write(name, login("late", 1)));
    EXPECT_EQ(said(fresh.logins.remembered(name)), "planted-access-3");
    EXPECT_EQ(said(co_await scene->a.logins.read(name)), "planted-access-3");
    co_await fresh.end();

    scene->store.kept.clear();  // a year is over
    Replica later(scene->executor, scene->store);
    EXPECT_EQ(said(co_await later.logins.read(name)), "none");
    co_await later.end();
    co_return 0;
  });
}

using Turn = std::unique_ptr<auth::SharedLogins::Turn>;

io::Task<void> take(StoredLogins* logins, std::optional<Result<Turn>>* turn) {
  turn->emplace(co_await logins->take_turn(name, patience));
}

TEST(StoredLogins, one_has_the_turn_and_who_waits_takes_what_that_one_got) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("1")));
    Result<Turn> first = co_await scene->a.logins.take_turn(name, patience);
    EXPECT_TRUE(first);
    EXPECT_EQ(scene->lasts("turn"), "PX 10000");
    std::optional<Result<Turn>> second;
    io::TaskGroup tasks(scene->executor);
    tasks.spawn("the other", take(&scene->b.logins, &second), io::log_only);
    co_await scene->until([scene] { return scene->store.count("SET") >= 3; });
    EXPECT_FALSE(second) << "it has asked twice, and waits";
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("2", 1)));
    first->reset();
    co_await tasks.join();
    EXPECT_EQ(problem(*second), "none");
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "planted-access-2");
    second.reset();
    co_await scene->until([scene] { return scene->store.keys("turn").empty(); });
    co_return 0;
  });
}

TEST(StoredLogins, requests_of_one_replica_wait_for_each_other_without_asking) {
  play([](Scene* scene) -> io::Task<int> {
    Result<Turn> first = co_await scene->a.logins.take_turn(name, patience);
    std::optional<Result<Turn>> second;
    io::TaskGroup tasks(scene->executor);
    tasks.spawn("the other", take(&scene->a.logins, &second), io::log_only);
    EXPECT_EQ(said(co_await scene->a.logins.read(name)), "none");
    EXPECT_EQ(scene->store.count("SET"), 1);
    EXPECT_FALSE(second);
    first->reset();
    co_await tasks.join();
    EXPECT_EQ(problem(*second), "none");
    co_return 0;
  });
}

TEST(StoredLogins, who_does_not_get_the_turn_in_time_is_told_who_has_it) {
  play([](Scene* scene) -> io::Task<int> {
    const Result<Turn> turn = co_await scene->a.logins.take_turn(name, patience);
    EXPECT_TRUE(turn);
    for (const auto& [logins, who] :
         {std::pair(&scene->a.logins, "request"), std::pair(&scene->b.logins, "replica")}) {
      const Result<Turn> late = co_await logins->take_turn(name, Milliseconds(1));
      EXPECT_EQ(problem(late), std::string("another ") + who + " is still renewing this login");
      EXPECT_TRUE(!late && late.error().code() == ErrorCode::timed_out);
    }
    auth::LoginName other = name;
    other.principal = "q";
    EXPECT_TRUE(co_await scene->b.logins.take_turn(other, patience)) << "it is about another login";
    co_return 0;
  });
}

TEST(StoredLogins, a_turn_is_kept_while_it_lasts_and_left_to_whoever_has_it_by_then) {
  play([](Scene* scene) -> io::Task<int> {
    const TimePoint now = io::now();
    Result<Turn> turn = co_await scene->a.logins.take_turn(name, patience);
    scene->store.kept.clear();  // the store has lost it
    scene->a.logins.look_at_clock(now);
    co_await scene->until([scene] { return scene->store.count("EVAL") == 1; });
    EXPECT_EQ(scene->lasts("turn"), "PX 10000");
    scene->a.logins.look_at_clock(now + StoredLogins::renewal_pause / 2);
    EXPECT_EQ(said(co_await scene->a.logins.read(name)), "none");
    EXPECT_EQ(scene->store.count("EVAL"), 1) << "it was kept just now";

    scene->store.kept.clear();  // a stood still until its turn was over
    Result<Turn> next = co_await scene->b.logins.take_turn(name, patience);
    EXPECT_TRUE(next);
    const std::string mark = scene->store.kept.at(scene->store.keys("turn").front()).value;
    scene->a.logins.look_at_clock(now + StoredLogins::renewal_pause);
    co_await scene->until([scene] { return scene->store.count("EVAL") == 2; });
    turn->reset();
    co_await scene->until([scene] { return scene->store.count("EVAL") == 3; });
    EXPECT_EQ(scene->store.kept.at(scene->store.keys("turn").front()).value, mark);
    co_return 0;
  });
}

// With everything that is asked of a store that does not answer as it should, and nothing lost.
io::Task<void> ask_all(Scene* scene, Replica* replica, std::string why) {
  const std::string text = scene->store.name() + ": " + why;
  StoredLogins& logins = replica->logins;
  const Result<std::optional<auth::Credentials>> found = co_await logins.read(name);
  EXPECT_EQ(said(found), text);
  EXPECT_TRUE(!found && found.error().code() == ErrorCode::unavailable);
  const Result<Turn> turn = co_await logins.take_turn(name, patience);
  EXPECT_EQ(problem(turn), text + for_turns);
  EXPECT_TRUE(!turn && turn.error().code() == ErrorCode::unavailable);
  EXPECT_EQ(problem(co_await logins.note_waiting(name, auth::WaitingLogin())), text);
  EXPECT_EQ(problem(co_await logins.waiting(name)), text);
  EXPECT_EQ(problem(co_await scene->tokens(*replica).remove()), text);
  EXPECT_EQ(said(logins.remembered(name)), "planted-access-1");
  EXPECT_EQ(problem(co_await logins.write(name, login("2", 1))), "none") << "it counts here";
  EXPECT_EQ(said(logins.remembered(name)), "planted-access-2");
}

// The store is told, by look_at_clock(), what it could not be.
io::Task<void> tell_all(Scene* scene, Replica* replica) {
  scene->store.mood = Mood::answers;
  const std::string before = scene->store.kept.at(key_of(name)).value;
  co_await scene->until([scene, replica, before] {
    replica->logins.look_at_clock(io::now());
    return scene->store.kept.at(key_of(name)).value != before;
  });
  Replica fresh(scene->executor, scene->store);
  EXPECT_EQ(said(co_await fresh.logins.read(name)), "planted-access-2");
  co_await fresh.end();
}

TEST(StoredLogins, a_store_that_goes_away_is_named_and_told_when_it_is_back) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("1")));
    scene->store.mood = Mood::hangs_up;
    co_await ask_all(scene, &scene->a, "the connection broke");
    co_await tell_all(scene, &scene->a);
    co_return 0;
  });
}

TEST(StoredLogins, a_store_that_refuses_is_named_with_its_words) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("1")));
    scene->store.mood = Mood::loading;
    co_await ask_all(
        scene, &scene->a, "it refuses: LOADING Redis is loading the dataset in memory");
    co_await tell_all(scene, &scene->a);
    co_return 0;
  });
}

TEST(StoredLogins, a_store_that_is_none_is_said_to_be_none) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("1")));
    scene->store.mood = Mood::garbage;
    co_await ask_all(scene,
                     &scene->a,
                     "what it says is not the protocol of Redis (Protocol error, got \"H\" as "
                     "reply type byte)");
    co_await tell_all(scene, &scene->a);
    co_return 0;
  });
}

TEST(StoredLogins, a_store_that_does_not_answer_costs_no_more_than_its_time) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("1")));
    Replica hasty(scene->executor, scene->store, "a", Milliseconds(50));
    co_await scene->until([&hasty] { return hasty.redis.is_up(); });
    scene->store.mood = Mood::silent;
    const TimePoint before = io::now();
    EXPECT_EQ(said(co_await hasty.logins.read(name)),
              scene->store.name() + ": no answer within 50 ms");
    EXPECT_GE(io::now() - before, Milliseconds(50));
    EXPECT_THAT(problem(co_await hasty.logins.take_turn(name, patience)), HasSubstr(for_turns));
    EXPECT_EQ(problem(co_await hasty.logins.write(name, login("2", 1))), "none");
    EXPECT_EQ(said(hasty.logins.remembered(name)), "planted-access-2");
    co_await tell_all(scene, &hasty);
    co_await hasty.end();
    co_return 0;
  });
}

TEST(StoredLogins, a_store_that_is_not_there_is_said_to_be_so) {
  play([](Scene* scene) -> io::Task<int> {
    test::FakeStore gone(scene->executor);
    co_await gone.close();
    Replica alone(scene->executor, gone);
    EXPECT_EQ(said(co_await alone.logins.read(name)),
              gone.name() + ": nothing listens there (connection refused); is the server running?");
    co_await alone.end();
    co_return 0;
  });
}

TEST(StoredLogins, answers_to_something_else_are_no_login_and_no_turn) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("1")));
    scene->store.mood = Mood::strange;
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "none");
    EXPECT_EQ(said(co_await scene->a.logins.read(name)),
              scene->store.name() + " has another login each time");
    EXPECT_EQ(problem(co_await scene->a.logins.take_turn(name, Milliseconds(1))),
              "another replica is still renewing this login");
    EXPECT_FALSE(*co_await scene->a.logins.waiting(name));
    EXPECT_EQ(said(scene->a.logins.remembered(name)), "planted-access-1");
    scene->store.mood = Mood::answers;
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "planted-access-1");
    co_return 0;
  });
}

TEST(StoredLogins, what_the_store_could_not_be_told_it_is_told_at_the_end) {
  play([](Scene* scene) -> io::Task<int> {
    Replica ending(scene->executor, scene->store);
    scene->store.mood = Mood::hangs_up;
    EXPECT_TRUE(co_await ending.logins.write(name, login("1")));
    scene->store.mood = Mood::answers;
    co_await scene->until([&ending] { return ending.redis.is_up(); });
    EXPECT_THAT(scene->store.keys("login"), IsEmpty());
    co_await ending.end();
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "planted-access-1");
    co_return 0;
  });
}

io::Task<void> write(StoredLogins* logins, auth::Credentials credentials) {
  EXPECT_TRUE(co_await logins->write(name, std::move(credentials)));
}

TEST(StoredLogins, the_newer_of_two_that_are_written_at_once_is_remembered) {
  play([](Scene* scene) -> io::Task<int> {
    scene->store.hangs_up_at = 4;  // both were asked for, and the older one is written
    io::TaskGroup tasks(scene->executor);
    tasks.spawn("older", write(&scene->a.logins, login("1")), io::log_only);
    tasks.spawn("newer", write(&scene->a.logins, login("2", 1)), io::log_only);
    co_await tasks.join();
    EXPECT_THAT(scene->store.keys("login"), SizeIs(1));
    EXPECT_EQ(said(scene->a.logins.remembered(name)), "planted-access-2");
    co_await tell_all(scene, &scene->a);
    co_return 0;
  });
}

TEST(StoredLogins, one_that_is_too_long_counts_here_and_keeps_no_other_from_the_store) {
  play([](Scene* scene) -> io::Task<int> {
    std::string logged;
    log::set_sink([&logged](log::Level, std::string_view line) { logged.append(line); });
    auth::LoginName first = name;
    auth::LoginName second = name;
    second.principal = "q";
    if (login_id(second) < login_id(first)) {
      std::swap(first, second);
    }
    scene->store.mood = Mood::hangs_up;
    EXPECT_TRUE(co_await scene->a.logins.write(second, login("1")));
    EXPECT_TRUE(co_await scene->a.logins.write(first, login(std::string(login_bytes_max, 'x'))));
    scene->store.mood = Mood::answers;
    co_await scene->until([scene] {
      scene->a.logins.look_at_clock(io::now());
      return !scene->store.keys("login").empty();
    });
    EXPECT_THAT(scene->store.keys("login"), ElementsAre(key_of(second)));
    EXPECT_EQ(scene->a.logins.remembered(first)->tokens->scope, "a");
    logged.clear();
    EXPECT_TRUE(co_await scene->a.logins.write(first, login(std::string(login_bytes_max, 'y'), 1)));
    log::set_sink(nullptr);
    EXPECT_THAT(logged,
                HasSubstr("far: other replicas do not have its new login yet: its tokens are too "
                          "long to be kept in the store"));
    co_return 0;
  });
}

TEST(StoredLogins, who_logs_out_is_logged_out_at_all_and_no_older_login_comes_back) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(co_await scene->a.logins.write(name, login("1")));
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "planted-access-1");
    EXPECT_TRUE(*co_await scene->tokens(scene->a).remove());
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "logged out");
    EXPECT_EQ(said(co_await scene->tokens(scene->b).read()), "none");
    EXPECT_FALSE(*co_await scene->tokens(scene->b).remove()) << "nobody was logged in";

    Replica late(scene->executor, scene->store);
    EXPECT_TRUE(co_await late.logins.write(name, login("1", 1)));
    EXPECT_EQ(said(co_await late.logins.read(name)), "logged out");
    co_await late.end();

    EXPECT_TRUE(co_await scene->tokens(scene->b).write_login(login("2")));
    EXPECT_EQ(said(co_await scene->a.logins.read(name)), "planted-access-2");
    co_return 0;
  });
}

TEST(StoredLogins, a_new_login_is_newer_than_one_that_this_replica_has_not_seen) {
  play([](Scene* scene) -> io::Task<int> {
    auth::Credentials ahead = login("1");  // by a machine whose clock is ahead
    ahead.made_at = EpochMs{io::epoch_now().value + 3'600'000};
    EXPECT_TRUE(co_await scene->a.logins.write(name, ahead));
    EXPECT_TRUE(co_await scene->tokens(scene->b).write_login(login("2")));
    EXPECT_EQ(said(co_await scene->b.logins.read(name)), "planted-access-2");
    EXPECT_EQ(said(co_await scene->a.logins.read(name)), "planted-access-2");
    co_return 0;
  });
}

}  // namespace
}  // namespace pi_mcp::replicas

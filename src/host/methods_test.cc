// Conversations with a host, without one: tests/transcripts/host/*.txt. What is asked of the
// machine is answered by the transcript, so that only the protocol is tested.
//
//   {…}                     a line of the host; ENVELOPE in it: `envelope` below
//   setup WORDS             first of all: pi, running=N, waiting=N, questions=N, initialized (by a
//   host
//                           of 2025-11-25), rounds=N, rounds-bytes=N, listens=N, streams (show on
//                           whose stream a message goes), through (the host sees one server)
//   reply N RESULT          request N, which runs, ends with this result; refuse N TEXT: with an
//   error
//   progress N PARAMS       a server's progress for it; phase N SECONDS TEXT: one of ours
//   notify METHOD PARAMS    something has changed
//   log SERVER PARAMS       a server's message; notice LEVEL TEXT: one of ours; report; wait MS
//   ask METHOD PARAMS       a request to the host; give-up N: nobody waits for its answer
//   ask-in N METHOD PARAMS  the same for request N, whose result asks; expire: time is looked at
//   watched N URIS          what subscriptions/listen N wants is watched; updated URI: it changed
//   end                     the host has gone
#include "host/methods.h"

#include <map>

#include <gtest/gtest.h>

#include "base/text.h"
#include "mcp/methods.h"
#include "mcp/server/server_session.h"
#include "support/transcript.h"

namespace pi_mcp::host {
namespace {

namespace upward = mcp::upward;

const mcp::UpwardMethod* find_row(std::string_view name) {
  const HostMethod* const method = find_method(name);
  return method != nullptr ? &method->row : nullptr;
}
const mcp::UpwardMethod* find_through_row(std::string_view name) {
  return &find_through_method(name)->row;
}

// What every request of 2026-07-28 says, in transcripts.
constexpr std::string_view envelope_word = "ENVELOPE";
constexpr std::string_view envelope =
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}})";

constexpr std::string_view hello =
    R"({"id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25"}})";

constexpr std::string_view hello_ends = R"({"method":"notifications/initialized"})";

// Takes the first word off.
std::string word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string taken(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return taken;
}

std::vector<std::string> words(std::string_view rest) {
  std::vector<std::string> all;
  while (!rest.empty()) {
    all.push_back(word(rest));
  }
  return all;
}

// The line of a transcript for one action.
struct Line {
  const mcp::ServerSession& machine;
  bool shows_streams = false;

  std::string operator()(const upward::Send& action) const {
    const bool shows = shows_streams && action.during.exists();
    return "send " + action.message.flat() + (shows ? " (of " + action.during.json() + ")" : "");
  }
  std::string operator()(const upward::Answer& action) const {
    return "answer " + action.request.method() + ", id " + action.request.id().json() +
           (action.members.empty() ? "" : ", with " + action.members);
  }
  std::string operator()(const upward::Begin& action) const {
    return "begin " + std::to_string(action.key.serial) + ": " + action.request.method() + ", id " +
           action.request.id().json();
  }
  std::string operator()(const upward::Cancel& action) const {
    return "cancel " + std::to_string(action.key.serial) +
           (action.reason.empty() ? "" : ": " + action.reason);
  }
  std::string operator()(const upward::Answered& action) const {
    return "answered " + std::to_string(action.question) + ": " +
           std::string(action.answer.root().raw());
  }
  std::string operator()(const upward::Unanswered& action) const {
    return "no answer to " + action.request.json();
  }
  std::string operator()(const upward::Watch& action) const {
    return "watch " + std::to_string(action.key.serial) + ": " + text::join(action.uris, " ");
  }
  std::string operator()(const upward::Unwatch& action) const {
    return "unwatch " + text::join(action.uris, " ");
  }
  std::string operator()(const upward::ExpireLater& /*action*/) const { return "expire later"; }
  std::string operator()(const upward::Met& /*action*/) const {
    const mcp::HostInfo& host = machine.host();
    return "met " + host.name + " " + host.version + " " + mcp::capabilities_json(host.features);
  }
  std::string operator()(const upward::RootsChanged& /*action*/) const {
    return "roots of the host changed";
  }
  std::string operator()(const upward::LogLevelSet& action) const {
    return "log level " + std::string(mcp::name_of(action.level));
  }
  std::string operator()(const upward::ReportLater& /*action*/) const { return "report later"; }
};

class Talk {
 public:
  std::vector<std::string> operator()(std::string_view input) {
    if (input.starts_with("setup")) {
      set_up(input);
      return {};
    }
    if (!machine_) {
      machine_.emplace(options_);
    }
    std::vector<std::string> done;
    take(input, done);
    while (const std::optional<mcp::UpwardAction> action = machine_->next()) {
      if (const auto* const begun = std::get_if<upward::Begin>(&*action)) {
        keys_[begun->key.serial] = begun->key;
      } else if (const auto* const watch = std::get_if<upward::Watch>(&*action)) {
        keys_[watch->key.serial] = watch->key;
      }
      done.push_back(std::visit(Line{*machine_, shows_streams_}, *action));
    }
    if (machine_->is_flooded()) {
      done.emplace_back("read no more for now");
    }
    return done;
  }

 private:
  void set_up(std::string_view words) {
    while (!words.empty()) {
      const std::string option = word(words);
      const auto number = [&option] {
        return std::stoul(option.substr(option.find('=') + 1));
      };
      if (option == "streams") {
        shows_streams_ = true;
      } else if (option == "through") {
        options_.find_row = find_through_row;
      } else if (option == "pi") {
        options_.capabilities.resources = true;
      } else if (option == "instructions") {
        options_.instructions = [] {
          return std::string("One search per need.");
        };
      } else if (option == "initialized") {
        machine_.emplace(options_);
        rpc::Message message = *rpc::Message::parse(std::string(hello));
        machine_->on_message(message);
        rpc::Message ready = *rpc::Message::parse(std::string(hello_ends));
        machine_->on_message(ready);
        while (machine_->next()) {
        }
      } else if (option.starts_with("running=")) {
        options_.limits.running_max = number();
      } else if (option.starts_with("waiting=")) {
        options_.limits.waiting_max = number();
      } else if (option.starts_with("questions=")) {
        options_.limits.questions_max = number();
      } else if (option.starts_with("rounds=")) {
        options_.limits.rounds_max = number();
      } else if (option.starts_with("rounds-bytes=")) {
        options_.limits.rounds_bytes_max = number();
      } else if (option.starts_with("listens=")) {
        options_.limits.listens_max = number();
      }
    }
  }

  void take(std::string_view input, std::vector<std::string>& done) {
    if (input.starts_with("{") || input.starts_with("[")) {
      take_line(input, done);
      return;
    }
    const std::string what = word(input);
    if (what == "ask" || what == "ask-in") {
      const auto during =
          what == "ask" ? std::nullopt : std::optional(keys_[std::stol(word(input))]);
      const std::string method = word(input);
      const Result<mcp::QuestionToHost> question =
          machine_->ask(method, SharedText::copy(input), during, now_);
      done.push_back(question ? "question " + std::to_string(question->number) + ", " +
                                    std::to_string(question->limit.count()) + " ms"
                              : question.error().message());
    } else if (what == "reply" || what == "refuse" || what == "progress" || what == "phase" ||
               what == "give-up") {
      take_numbered(what, std::stol(word(input)), input);
    } else {
      take_event(what, input);
    }
  }

  // As a transport does.
  void take_line(std::string_view input, std::vector<std::string>& done) {
    std::string line(input);
    if (const std::size_t found = line.find(envelope_word); found != std::string::npos) {
      line.replace(found, envelope_word.size(), envelope);
    }
    Result<rpc::Message> message = rpc::Message::parse_any(SharedText::copy(line));
    if (!message) {
      const rpc::Outgoing refusal = rpc::answer_to_unreadable(line, message.error());
      done.push_back(refusal.bytes() > 0 ? "send " + refusal.flat() : "not answered");
    } else if (const auto key = machine_->on_message(*message)) {
      keys_[key->serial] = *key;
      done.push_back(Line{
          *machine_, shows_streams_}(upward::Begin{.key = *key, .request = *std::move(message)}));
    }
  }

  void take_numbered(const std::string& what, long number, std::string_view rest) {
    const mcp::RequestKey request = keys_[number];
    if (what == "reply") {
      machine_->on_reply(request,
                         rpc::result(machine_->id_of(request), rpc::Outgoing(std::string(rest))));
    } else if (what == "refuse") {
      machine_->on_reply(
          request, rpc::failure(machine_->id_of(request), rpc::error_code::internal_error, rest));
    } else if (what == "progress") {
      machine_->on_progress(request, json::Document::parse_view(rest)->root());
    } else if (what == "phase") {
      const std::chrono::seconds since(std::stol(word(rest)));
      machine_->on_phase(request, rest, since);
    } else {
      machine_->give_up(number);
    }
  }

  void take_event(const std::string& what, std::string_view rest) {
    const std::string first = word(rest);
    if (what == "notify") {
      machine_->notify(first, SharedText::copy(rest));
    } else if (what == "updated") {
      machine_->notify(
          mcp::method::resource_updated, SharedText(R"({"uri":")" + first + R"("})"), first);
    } else if (what == "watched") {
      const mcp::RequestKey listen = keys_[std::stol(first)];
      if (!machine_->on_listening(listen, words(rest))) {
        machine_->on_reply(listen, rpc::failure(machine_->id_of(listen), 0, "too many"));
      }
    } else if (what == "expire") {
      machine_->expire(now_);
    } else if (what == "log") {
      // "-": of the one server that the host sees.
      machine_->on_log(first == "-" ? "" : first, json::Document::parse_view(rest)->root(), now_);
    } else if (what == "notice") {
      machine_->on_notice(mcp::parse_log_level(first).value(), rest);
    } else if (what == "report") {
      machine_->report_left_out();
    } else if (what == "wait") {
      now_ += Milliseconds(std::stol(first));
    } else if (what == "end") {
      machine_->end();
    } else {
      ADD_FAILURE() << "not an input: " << what;
    }
  }

  mcp::ServerSession::Options options_{.version = "1.2.3",
                                       .instructions = nullptr,
                                       .capabilities = {},
                                       .find_row = find_row,
                                       .limits = {},
                                       .new_state = [this] {
                                         return "state-" + std::to_string(++states_);
                                       }};
  int states_ = 0;
  bool shows_streams_ = false;
  std::optional<mcp::ServerSession> machine_;
  std::map<long, mcp::RequestKey> keys_;  // by serial
  TimePoint now_;
};

class Upward : public testing::TestWithParam<std::string> {};

TEST_P(Upward, goes_as_written) {
  Talk talk;
  test::play_transcript(
      "host", GetParam(), [&talk](std::string_view input) { return talk(input); });
}

INSTANTIATE_TEST_SUITE_P(Transcripts,
                         Upward,
                         testing::ValuesIn(test::transcripts("host")),
                         [](const auto& name) { return test::transcript_test_name(name.param); });

}  // namespace
}  // namespace pi_mcp::host

// The client side of a link, as tests/transcripts/client/ tells it.
#include "mcp/client/client_link.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "base/text.h"
#include "mcp/discovery.h"
#include "support/transcript.h"

namespace pi_mcp::mcp {
namespace {

constexpr std::array<std::pair<std::string_view, ErrorCode>, 5> codes = {{
    {"cancelled", ErrorCode::cancelled},
    {"io", ErrorCode::io},
    {"protocol", ErrorCode::protocol},
    {"timed_out", ErrorCode::timed_out},
    {"unavailable", ErrorCode::unavailable},
}};

std::string text_of(const Error& error) {
  const auto* const code =
      std::ranges::find(codes, error.code(), [](const auto& it) { return it.second; });
  return (code == codes.end() ? "?" : std::string(code->first)) + ": " +
         text::replace_all(error.message(), handshake_revisions_text(), "ours");
}

std::string text_of(const Result<rpc::Message>& answer) {
  if (!answer) {
    return text_of(answer.error());
  }
  const bool is_failure = answer->kind() == rpc::Message::Kind::failure;
  return is_failure ? "failure " + std::string(answer->error().raw())
                    : "result " + std::string(answer->result().raw());
}

// Inputs:
//   open [http] [legacy|2026-07-28] [limit=10s] [installs] [fresh=0s] [form] [url] [roots] [host]
//                     form, url, roots: what hosts can do; host: there is one outside of any call
//   server JSON       says that, without "jsonrpc"
//   call NAME METHOD [PARAMS] [quiet=60s] [total=600s] [progress] [host=H] [meta=MEMBERS]
//   begin NAME ...    the same without a queue
//   watch URI, tell URI (the same by itself), unwatch URI
//   cancel NAME [REASON], level NAME, fail ID ERROR, refresh NAME, use, roots, give up, cancel open
//   host N ERROR or RESULT       what came of question N
//   works, done       the installation goes on, is over
//   broken TEXT       nothing can be written any more; full TEXT: not now; mended
//   end TEXT
//   5s, 200ms         so much time passes
// In what is sent "jsonrpc" and the members that each request of 2026-07-28 has are left out (of
// the log level "info" only), and the revision that is asked for first is called newest.
class LinkDriver {
 public:
  std::vector<std::string> operator()(std::string_view input) {
    lines_.clear();
    std::string_view rest = input;
    const std::string_view word = take_word(rest);
    if (!run(word, rest)) {
      lines_.push_back("not understood: " + std::string(input));
    }
    perform();
    return std::move(lines_);
  }

 private:
  static std::string_view take_word(std::string_view& text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
  }

  static std::optional<Duration> duration_of(std::string_view text) {
    std::size_t digits = 0;
    const std::string number(text);
    const long value = std::isdigit(static_cast<unsigned char>(text.front())) != 0
                           ? std::stol(number, &digits)
                           : -1;
    const std::string_view unit = text.substr(digits);
    if (value < 0 || (unit != "ms" && unit != "s" && unit != "min")) {
      return std::nullopt;
    }
    return Milliseconds(value * (unit == "ms" ? 1 : unit == "s" ? 1000 : 60'000));
  }

  bool run(std::string_view word, std::string_view rest) {
    if (word == "open") {
      open(rest);
    } else if (word == "server") {
      say(rest);
    } else if (word == "call" || word == "begin") {
      call(word, rest);
    } else if (word == "host") {
      answer(rest);
    } else if (word == "part") {
      link_->on_answer_part(rpc::Id::from_json(rest), now_);
    } else if (word == "fail") {
      const std::string id(take_word(rest));
      link_->on_call_failure(rpc::Id::from_json(id), error_of(rest), now_);
    } else if (const std::optional<Duration> time = duration_of(word)) {
      pass(*time);
    } else {
      return run_wish(word, rest);
    }
    return true;
  }

  bool run_wish(std::string_view word, std::string_view rest) {
    if (word == "cancel" && rest == "open") {
      link_->cancel(0, {}, now_);
    } else if (word == "cancel") {
      const rpc::CallNumber number = calls_.at(std::string(take_word(rest)));
      link_->cancel(number, rest, now_);
    } else if (word == "refresh") {
      link_->refresh(refreshed(rest), now_);
    } else if (word == "unknown") {
      if (!link_->look_for_unknown(refreshed(rest), now_)) {
        lines_.push_back(std::string(rest) + " does not wait");
      }
    } else if (word == "use") {
      link_->note_use(now_);
    } else if (word == "level") {
      link_->want_log_level(parse_log_level(rest).value(), now_);
    } else if (word == "watch" || word == "tell") {
      const Watching watching = link_->watch(std::string(rest), word == "tell", now_);
      lines_.emplace_back(watching == Watching::refused  ? "does not tell"
                          : watching == Watching::to_ask ? "is to be asked"
                                                         : "will tell");
    } else if (word == "unwatch") {
      link_->unwatch(std::string(rest), now_);
    } else if (word == "roots") {
      link_->tell_roots_changed();
    } else if (word == "wants") {
      link_->on_session_look(rest == "session", now_);
    } else if (word == "give") {
      link_->give_up();
    } else if (word == "works") {
      ++look_.work;
    } else if (word == "done") {
      look_.preparation.clear();
    } else if (word == "broken" || word == "full") {
      refusal_ = Error(word == "full" ? ErrorCode::unavailable : ErrorCode::io, std::string(rest));
    } else if (word == "mended") {
      refusal_.reset();
    } else if (word == "end") {
      link_->on_end({.reason = std::string(rest), .last_words = ""}, now_);
    } else {
      return false;
    }
    return true;
  }

  // REVISION,SERVER or REVISION,SERVER,session
  static Era era_of(std::string_view text) {
    const std::vector<std::string_view> parts = text::split(text, ',');
    return {.revision = parse_revision(parts.at(0)).value(),
            .has_session = parts.size() > 2,
            .tried_handshake = true,
            .server = std::string(parts.at(1))};
  }

  Refreshed refreshed(std::string_view who) {
    return [this, name = std::string(who)](const Result<void>& result) {
      lines_.push_back(name + " " + (result ? "is refreshed" : text_of(result.error())));
    };
  }

  void open(std::string_view rest) {
    LinkOptions options{.server = "s", .client_version = "1"};
    Duration limit = std::chrono::seconds(10);
    for (const std::string_view word : text::split(rest, ' ')) {
      options.has_headers = options.has_headers || word == "http";
      options.features.elicitation_form = options.features.elicitation_form || word == "form";
      options.features.elicitation_url = options.features.elicitation_url || word == "url";
      options.features.roots = options.features.roots || word == "roots";
      options.features.roots_list_changed = options.features.roots;
      if (word == "session") {
        options.has_session = [] {
          return true;
        };
      } else if (word.starts_with("known=")) {
        options.era = era_of(word.substr(6));
      } else if (word == "legacy" || word == "2026-07-28") {
        options.protocol = parse_protocol(word);
      } else if (word == "host") {
        options.roots_host = [this] {
          return host("alone");
        };
      } else if (word == "installs") {
        look_.preparation = "installing x with npx";
      } else if (word.starts_with("limit=")) {
        limit = *duration_of(word.substr(6));
      } else if (word.starts_with("fresh=")) {
        options.list_fresh_min =
            std::chrono::duration_cast<Milliseconds>(*duration_of(word.substr(6)));
      }
    }
    options.look = [this] {
      return look_;
    };
    link_ = std::make_unique<ClientLink>(std::move(options));
    link_->open(now_ + limit, now_);
  }

  void say(std::string_view json) {
    Result<rpc::Message> message = rpc::Message::parse(std::string(json));
    if (!message) {
      lines_.push_back("junk: " + message.error().message());
    } else if (const Answered answered = link_->take_answer(*message)) {
      answered(std::move(message));
    } else {
      link_->on_message(*std::move(message), now_);
    }
  }

  void call(std::string_view how, std::string_view rest) {
    const std::string name(take_word(rest));
    Call call{
        .method = std::string(take_word(rest)),
        .times = {.quiet_max = std::chrono::seconds(60), .total_max = std::chrono::seconds(600)},
        .answered = [this, name](Result<rpc::Message>&& answer) {
          lines_.push_back(name + " " + text_of(answer));
        }};
    std::string params = "{}";
    while (!rest.empty()) {
      const std::string_view word = take_word(rest);
      if (word.starts_with("quiet=")) {
        call.times.quiet_max = *duration_of(word.substr(6));
      } else if (word.starts_with("total=")) {
        call.times.total_max = *duration_of(word.substr(6));
      } else if (word.starts_with("meta=")) {
        call.meta = word.substr(5);
      } else if (word.starts_with("host=")) {
        call.host = host(std::string(word.substr(5)));
      } else if (word == "progress") {
        call.on_progress = [this, name](json::Value progress) {
          lines_.push_back(name + " progress " + std::string(progress.raw()));
        };
      } else {
        params = word;
      }
    }
    if (how == "begin") {
      begin(name, std::move(call), params);
      return;
    }
    const Result<rpc::CallNumber> number = link_->call(std::move(call), SharedText(params), now_);
    if (number) {
      calls_[name] = *number;
    } else {
      lines_.push_back(name + " " + text_of(number.error()));
    }
  }

  void begin(const std::string& name, Call call, const std::string& params) {
    std::optional<BegunCall> begun = link_->begin(std::move(call), rpc::Outgoing(params), now_);
    if (!begun) {
      lines_.push_back(name + " is not begun");
    } else if (refusal_) {
      link_->forget(begun->number);
      lines_.push_back(name + " is not sent");
    } else {
      calls_[name] = begun->number;
      lines_.push_back("sends " + shown(begun->request));
    }
  }

  static Error error_of(std::string_view text) {
    const std::string_view code = take_word(text);
    const auto* const found =
        std::ranges::find(codes, code, [](const auto& it) { return it.first; });
    return {found == codes.end() ? ErrorCode::unavailable : found->second, std::string(text)};
  }

  void answer(std::string_view rest) {
    const auto question = static_cast<QuestionNumber>(std::stoul(std::string(take_word(rest))));
    Result<rpc::Message> answer = fail(ErrorCode::io, "");
    if (rest.starts_with("{")) {
      const std::string member =
          rest.find("\"code\"") == std::string_view::npos ? "result" : "error";
      answer = rpc::Message::parse(R"({"id":1,")" + member + "\":" + std::string(rest) + "}");
    } else {
      answer = fail(error_of(rest));
    }
    link_->on_host_answer(question, std::move(answer), now_);
  }

  // As the runner does it: each time that the machine names is kept.
  void pass(Duration time) {
    const TimePoint end = now_ + time;
    while (link_->next_wake() <= end) {
      const TimePoint wake = std::max(now_, link_->next_wake());
      if (wake > now_) {
        at_ = "after " + duration_text(wake - (end - time)) + ": ";
      }
      now_ = wake;
      link_->on_time(now_);
      perform();
    }
    at_.clear();
    now_ = end;
  }

  void perform() {
    while (std::optional<Action> action = link_->next_action()) {
      std::visit([this](auto& what) { this->act(what); }, *action);
    }
  }

  void line(const std::string& text) { lines_.push_back(at_ + text); }
  void act(action::Send& send) {
    if (refusal_) {
      line("cannot send " + shown(send.message));
      if (send.number != 0) {
        link_->on_not_sent(send.number, *refusal_, now_);
      }
    } else {
      line("sends " + shown(send.message));
    }
  }
  void act(action::Complete& complete) { complete.answered(std::move(complete.answer)); }
  void act(action::Progress& progress) {
    const OnProgress* const listener =
        progress.on_progress ? &progress.on_progress : link_->in_flight().listener(progress.number);
    if (listener != nullptr) {
      (*listener)(progress.message.params());
    }
  }
  void act(action::AskHost& ask) {
    std::string text = "asks " + names_.at(ask.host.get()) + " (" + std::to_string(ask.question) +
                       ") " + ask.method + " " + std::string(ask.params.view());
    if (ask.turn > now_) {
      text += " in " + duration_text(ask.turn - now_);
    }
    line(text + (ask.page ? " if it may open " + *ask.page : ""));
  }
  // What it says is followed by what becomes of the request.
  static void act(action::Asked& /*asked*/) {}
  void act(action::Withdraw& withdraw) {
    line("withdraws (" + std::to_string(withdraw.question) + ")");
  }
  void act(action::Opened& opened) {
    if (!opened.result) {
      line("is not open: " + text_of(opened.result.error()));
      return;
    }
    line("is open: " + std::string(link_->opening().traits().name) + ", " + listing());
  }
  static void act(action::TellRefreshed& told) { told.refreshed(std::move(told.result)); }
  void act(action::ListingChanged& /*changed*/) { line("offers " + listing()); }
  void act(action::LogMessage& message) {
    line("logs " + std::string(message.notification.params().raw()));
  }
  void act(action::ElicitationComplete& complete) {
    line("elicitation complete " + std::string(complete.notification.params().raw()));
  }
  void act(action::ResourceUpdated& updated) {
    line("updated " + std::string(updated.notification.params().raw()));
  }
  void act(action::LookForSession& /*look*/) { line("looks for a session"); }
  void act(action::Starting& starting) { line("starts: " + starting.preparation); }
  void act(action::LinkDead& /*dead*/) {
    line("the link is dead");
    link_->on_end({.reason = "", .last_words = ""}, now_);
  }
  void act(action::LinkEnded& /*ended*/) { line("the link has ended"); }
  void act(action::Note& note) { line("notes: " + note.text); }

  [[nodiscard]] std::string listing() const {
    const Listing& listing = link_->lists().listing();
    std::vector<std::string> names;
    for (const Tool& tool : listing.tools) {
      names.push_back(tool.name);
    }
    for (const Resource& resource : listing.resources) {
      names.push_back(resource.uri);
    }
    for (const Prompt& prompt : listing.prompts) {
      names.push_back(prompt.name);
    }
    return names.empty() ? "nothing" : text::join(names, " ");
  }

  std::shared_ptr<Host> host(const std::string& name) {
    std::shared_ptr<Host>& host = hosts_[name];
    if (!host) {
      host = std::make_shared<Host>();
      names_[host.get()] = name;
    }
    return host;
  }

  [[nodiscard]] std::string shown(const rpc::Outgoing& message) const {
    std::string text = text::replace_all(message.flat(), R"("jsonrpc":"2.0",)", "");
    text = text::replace_all(
        text, R"(":")" + std::string(name(newest_by_handshake)) + "\"", "\":newest");
    const std::string& envelope = link_->opening().envelope();
    if (!envelope.empty()) {
      text = text::replace_all(text, R"(,"io.modelcontextprotocol/logLevel":"info")", "");
      text = text::replace_all(text, R"("_meta":{)" + envelope + "},", "");
      text = text::replace_all(text, R"("_meta":{)" + envelope + "}", "");
      text = text::replace_all(text, "," + envelope, "");
    }
    return text;
  }

  TimePoint now_ = TimePoint() + std::chrono::hours(1);
  std::string at_;
  StartLook look_;
  std::optional<Error> refusal_;
  std::unique_ptr<ClientLink> link_;
  std::map<std::string, rpc::CallNumber> calls_;
  std::map<std::string, std::shared_ptr<Host>> hosts_;
  std::map<const Host*, std::string> names_;
  std::vector<std::string> lines_;
};

class ClientTranscripts : public testing::TestWithParam<std::string> {};

TEST_P(ClientTranscripts, are_what_it_does) {
  LinkDriver driver;
  test::play_transcript("client", GetParam(), std::ref(driver));
}

INSTANTIATE_TEST_SUITE_P(Client,
                         ClientTranscripts,
                         testing::ValuesIn(test::transcripts("client")),
                         [](const auto& test) { return test::transcript_test_name(test.param); });

}  // namespace
}  // namespace pi_mcp::mcp

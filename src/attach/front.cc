#include "attach/front.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "attach/session_facts.h"
#include "base/time.h"
#include "io/files/file.h"
#include "io/files/file_lock.h"
#include "io/files/memory_file.h"
#include "io/loop/clock.h"
#include "io/loop/stream.h"
#include "io/net/local_socket.h"
#include "io/net/packets.h"
#include "io/process/handed_streams.h"
#include "io/process/newborn.h"
#include "io/process/peer.h"
#include "io/process/process_tree.h"
#include "io/process/standing.h"

namespace pi_mcp::attach {
namespace {

// A shared process that leaves, or dies before it has touched anything, is a reason to try again.
constexpr int tries_max = 50;
constexpr int failed_starts_max = 3;
constexpr Milliseconds all_tries_max{20'000};
constexpr Milliseconds lock_max{5'000};
constexpr Milliseconds start_max{10'000};
constexpr Milliseconds greeting_max{5'000};
// The next process may have to repair what the last one has left.
constexpr Milliseconds attaching_max{20'000};
// One that is being killed still answers for a moment, while its entries in /proc are empty
// already.
constexpr Milliseconds dying_max{100};
// An exec takes the processor from the process that answers the host's first messages.
constexpr Milliseconds first_answers{20};
// What kills the shared process each time (a line, say) must not do so for ever, nor for all.
constexpr io::DeathTime deaths_apart_s = 60;

constexpr const char* nobody_there = "no process is shared now";
constexpr const char* no_answer = "the shared process does not answer";
constexpr const char* has_ended = "it has ended";
constexpr const char* other_rights = "the shared process has other rights: ";
constexpr const char* no_look = "this process may not look into the shared one";

struct Failure {
  enum class Kind { again, alone, silent };
  Kind kind = Kind::again;
  std::string why;
  int silent = 0;  // who does not answer, where that is known
};

template <class T>
using Step = tl::expected<T, Failure>;

tl::unexpected<Failure> again(std::string why) {
  return tl::unexpected(Failure{.kind = Failure::Kind::again, .why = std::move(why), .silent = 0});
}

tl::unexpected<Failure> alone(std::string why) {
  return tl::unexpected(Failure{.kind = Failure::Kind::alone, .why = std::move(why), .silent = 0});
}

// It is there and does not answer, so the session is served alone.
tl::unexpected<Failure> silent(int process) {
  return tl::unexpected(
      Failure{.kind = Failure::Kind::silent, .why = no_answer, .silent = process});
}

class Front {
 public:
  explicit Front(FrontRequest request) : request_(std::move(request)) {}

  FrontOutcome run() {
    for (;;) {
      Step<Attached> attached = attach_once();
      if (!attached) {
        Failure failure = std::move(attached).error();
        return Alone{.why = std::move(failure.why),
                     .woken = std::move(request_.woken),
                     .silent = failure.silent};
      }
      if (!request_.waits) {
        return std::move(*attached);
      }
      if (const auto status = wait(std::move(*attached))) {
        return Over{.exit_status = *status};
      }
    }
  }

  std::optional<std::string> foresee() {
    if (const Step<void> ready = prepare(); !ready) {
      return ready.error().why;
    }
    const Step<io::Fd> control = connect();
    if (!control) {
      return control.error().why;
    }
    if (!control->is_open()) {
      std::optional<std::string> locked_out = lock_obstacle();
      return locked_out ? std::move(locked_out) : io::why_not_born_clean();
    }
    const int peer = io::connected_peer(control->get()).id;
    if (const auto other = io::difference_from(standing_, peer)) {
      return other_rights + *other;
    }
    return io::proof_of(peer).empty() ? std::optional<std::string>(no_look) : std::nullopt;
  }

  std::optional<Obstacle> obstacle() {
    standing_ = io::own_standing();
    if (auto bound = io::difference(standing_, standing_)) {
      return Obstacle{.why = *std::move(bound), .folder = {}, .file = {}};
    }
    if (!has_socket_folder(request_.place)) {
      return std::nullopt;
    }
    if (const Step<void> opened = open_folder(); !opened) {
      return Obstacle{
          .why = opened.error().why, .folder = socket_folder_path(request_.place), .file = {}};
    }
    const Step<io::Fd> control = connect();
    if (!control && control.error().kind == Failure::Kind::alone) {
      return in_the_way(control.error().why, name_);
    }
    const auto locked_out = control && !control->is_open() ? lock_obstacle() : std::nullopt;
    return locked_out ? std::optional(in_the_way(*locked_out, lock_name)) : std::nullopt;
  }

 private:
  Step<Attached> attach_once() {
    if (Step<void> ready = prepare(); !ready) {
      return tl::unexpected(std::move(ready).error());
    }
    const TimePoint deadline = io::now() + all_tries_max;
    std::string why;
    for (int tries = 0; tries < tries_max && io::now() < deadline; ++tries) {
      Step<Attached> attached = try_once();
      if (attached || attached.error().kind != Failure::Kind::again) {
        return attached;
      }
      why = std::move(attached).error().why;
    }
    return alone("the shared process cannot be reached: " + why);
  }

  // What can be known before anybody is asked.
  Step<void> prepare() {
    const auto& woken = request_.woken;
    if (woken && woken->died_before > 0 && woken->died - woken->died_before < deaths_apart_s) {
      return alone("the shared process has died twice within a minute");
    }
    if (secret_) {
      return {};  // not for the first time
    }
    standing_ = io::own_standing();
    if (const auto bound = io::difference(standing_, standing_)) {
      return alone(*bound);
    }
    for (const auto& [stream, name] :
         {std::pair(request_.input, "stdin "), std::pair(request_.output, "stdout ")}) {
      if (Result<void> good = io::can_be_handed(stream); !good) {
        return alone(name + good.error().message());
      }
    }
    if (!request_.starts && !has_socket_folder(request_.place)) {
      return alone(nobody_there);
    }
    if (Step<void> opened = open_folder(); !opened) {
      return opened;
    }
    Result<io::Proof> secret = io::Proof::make();
    if (!secret) {
      return alone(secret.error().message());
    }
    secret_.emplace(std::move(*secret));
    return {};
  }

  Step<void> open_folder() {
    Result<SocketFolder> folder = open_socket_folder(request_.place);
    if (!folder) {
      return alone(folder.error().message());
    }
    folder_ = std::move(*folder);
    name_ = request_.socket.empty()
                ? socket_name(request_.place.agent_folder, standing_, request_.traits)
                : request_.socket;
    return {};
  }

  [[nodiscard]] Obstacle in_the_way(std::string why, const std::string& name) const {
    const std::string path = folder_.path + "/" + name;
    const bool is_there = io::is_link(path) || io::modified_at(path).has_value();
    return {.why = std::move(why), .folder = folder_.path, .file = is_there ? path : ""};
  }

  // Who starts a shared process needs the lock.
  [[nodiscard]] std::optional<std::string> lock_obstacle() const {
    const std::string why = io::FileLock::obstacle_in(folder_.folder, lock_name);
    return why.empty() ? std::nullopt : std::optional(folder_.path + ": " + why);
  }

  Step<Attached> try_once() {
    Step<io::Fd> control = find_or_start();
    if (!control) {
      return tl::unexpected(std::move(control).error());
    }
    Step<HandOver> checked = check(*control);
    if (!checked) {
      return tl::unexpected(std::move(checked).error());
    }
    return hand_over(std::move(*control), *checked);
  }

  // Not open: nobody listens who could serve us.
  Step<io::Fd> connect() {
    Step<io::Fd> control = connect_to(name_);
    if (!control || control->is_open() || !request_.socket.empty()) {
      return control;
    }
    for (const std::string& name : sockets_beside(folder_.folder, name_)) {
      Step<io::Fd> other = connect_to(name);
      if (other && other->is_open() && (!request_.starts || can_give_our_limits(*other))) {
        return other;
      }
    }
    return io::Fd();
  }

  // It says itself once more whether it can.
  [[nodiscard]] bool can_give_our_limits(const io::Fd& control) const {
    const auto theirs = io::traits_of(io::connected_peer(control.get()).id);
    return theirs && !io::out_of_reach(*theirs, request_.traits);
  }

  // Not open: nobody listens.
  Step<io::Fd> connect_to(const std::string& name) {
    Result<io::Fd> control = io::connect_in(folder_.folder, name, greeting_max);
    if (control) {
      return std::move(*control);
    }
    if (control.error().code() == ErrorCode::not_found) {
      return io::Fd();
    }
    if (control.error().code() != ErrorCode::unavailable) {
      return alone(control.error().message());
    }
    return silent(io::process_listening_at(name));  // with a full queue nobody else can say it
  }

  Step<io::Fd> find_or_start() {
    Step<io::Fd> control = connect();
    if (!control || control->is_open()) {
      return control;
    }
    if (!request_.starts) {
      return alone(nobody_there);
    }
    Result<io::FileLock> lock = io::FileLock::wait_in(folder_.folder, lock_name, lock_max);
    if (!lock) {
      return alone(folder_.path + ": " + lock.error().message());
    }
    if (control = connect(); !control || control->is_open()) {
      return control;  // somebody else was faster
    }
    if (const auto bound = io::why_not_born_clean()) {
      return alone(*bound);
    }
    std::vector<std::string> arguments = request_.shared_process;
    arguments.push_back(name_);
    const Result<void> started = io::start_newborn(
        {.arguments = std::move(arguments), .lock = lock->number(), .folder = folder_.folder.get()},
        start_max);
    if (!started) {
      const bool enough = ++failed_starts_ >= failed_starts_max;
      return enough ? Step<io::Fd>(alone(started.error().message()))
                    : again(started.error().message());
    }
    control = connect();
    return !control || control->is_open() ? std::move(control)
                                          : again("the shared process has ended");
  }

  // The shared process must be as free as we are: a confined program that can write to the folder
  // could listen there, and would be given our environment and the host's pipes.
  Step<HandOver> check(const io::Fd& control) {
    io::PeerProcess peer = io::connected_peer(control.get());
    if (!peer.alive.is_open() || request_.check == PeerCheck::by_greeting) {
      const Step<void> sent = send_greeting(control, new_nonce());
      const Step<io::Packet> first =
          sent ? await_welcome(control, peer.id) : tl::unexpected(sent.error());
      if (!first) {
        return tl::unexpected(first.error());
      }
      peer = io::process_now(first->sender);
    }
    const std::string nonce = new_nonce();
    if (Step<void> sent = send_greeting(control, nonce); !sent) {
      return tl::unexpected(std::move(sent).error());
    }
    // While it looks at us, what needs no word of it: another user's would not say any.
    if (const auto other = io::difference_from(standing_, peer.id)) {
      return io::ends_within(peer, dying_max) ? Step<HandOver>(again(has_ended))
                                              : alone(other_rights + *other);
    }
    if (Step<void> written = write_session(peer.id); !written) {
      return tl::unexpected(std::move(written).error());
    }
    const Step<io::Packet> packet = await_welcome(control, peer.id);
    if (!packet) {
      return tl::unexpected(packet.error());
    }
    Step<HandOver> judged = judge(*packet, nonce, peer);
    const bool good = judged.has_value();
    if (good ? !io::is_alive(peer) : io::ends_within(peer, dying_max)) {
      return again(has_ended);
    }
    return judged;
  }

  Step<void> send_greeting(const io::Fd& control, const std::string& nonce) {
    if (Result<void> sent = io::send_packet(
            control.get(), io::PacketKind::greeting, text_of(Greeting{.nonce = nonce}));
        !sent) {
      return again(sent.error().message());
    }
    return {};
  }

  Step<io::Packet> await_welcome(const io::Fd& control, int peer) {
    Result<io::Packet> answer = io::await_packet(control.get(), greeting_max);
    if (answer) {
      return std::move(*answer);
    }
    if (answer.error().code() == ErrorCode::timed_out) {
      return silent(peer);
    }
    const bool may_pass = answer.error().code() == ErrorCode::unavailable;
    return may_pass ? Step<io::Packet>(again(answer.error().message()))
                    : alone("the shared process: " + answer.error().message());
  }

  Step<HandOver> judge(const io::Packet& packet,
                       const std::string& nonce,
                       const io::PeerProcess& peer) {
    const auto welcome = parse_welcome(packet.text);
    if (packet.kind != io::PacketKind::greeting || !welcome || welcome->echo != nonce ||
        packet.sender != peer.id) {
      return alone("the shared process is not who it says");
    }
    if (welcome->proof != secret_->secret()) {
      return alone("the shared process may not look into this one");
    }
    std::string proof = io::proof_of(peer.id);
    if (proof.empty()) {
      return alone(no_look);
    }
    return HandOver{.echo = welcome->nonce, .proof = std::move(proof)};
  }

  // Once: it is the same however often we try.
  Step<void> write_session(int peer) {
    if (session_.is_open()) {
      return {};
    }
    const SessionFacts facts{.arguments = request_.arguments,
                             .folder = request_.folder,
                             .environment = request_.environment,
                             .traits = session_traits(peer)};
    Result<io::Fd> session = io::make_sealed_file("session", session_text(facts));
    if (!session) {
      return alone(session.error().message());
    }
    session_ = std::move(*session);
    return {};
  }

  // Who only looks is let in whatever its limits are: nothing is started with them.
  [[nodiscard]] io::ProcessTraits session_traits(int peer) const {
    const auto theirs = request_.starts ? std::nullopt : io::traits_of(peer);
    return theirs ? *theirs : request_.traits;
  }

  Step<Attached> hand_over(io::Fd control, const HandOver& words) {
    const auto& woken = request_.woken;
    const std::string text = text_of(words);
    const auto send = [&](std::initializer_list<int> files) {
      return io::send_packet(control.get(), io::PacketKind::session, text, files);
    };
    const int in = request_.input;
    const int out = request_.output;
    const int errors = request_.errors;
    const int file = session_.get();
    const Result<void> sent =
        !woken ? send({in, out, errors, file})
        : !woken->staging.is_open()
            ? send({in, out, errors, file, woken->memory.get()})
            : send({in, out, errors, file, woken->memory.get(), woken->staging.get()});
    if (!sent) {
      return again(sent.error().message());
    }
    return await_attached(std::move(control));
  }

  Step<Attached> await_attached(io::Fd control) {
    Result<io::Packet> packet = io::await_packet(control.get(), attaching_max);
    if (!packet && packet.error().code() == ErrorCode::timed_out) {
      // It must not begin once we have given up, and may have begun just now.
      io::end_connection(control);
      packet = io::await_packet(control.get(), Milliseconds(0));
      if (!packet) {
        return silent(io::connected_peer(control.get()).id);
      }
    }
    if (!packet) {
      return again(packet.error().message());
    }
    if (packet->kind == io::PacketKind::refused) {
      return alone("the shared process refuses: " + packet->text);
    }
    if (packet->kind != io::PacketKind::attached || packet->files.empty() ||
        !io::has_fixed_size(packet->files.front())) {
      return alone("the shared process says what nobody understands");
    }
    // From here on its memory counts, not that of the process before it.
    Attached attached{.control = std::move(control),
                      .memory = std::move(packet->files[0]),
                      .staging = packet->files.size() > 1 ? std::move(packet->files[1]) : io::Fd()};
    return attached;
  }

  // The exit status; nullopt: the shared process has died.
  std::optional<int> wait(Attached attached) {
    const io::DeathTime last_death = request_.woken ? request_.woken->died : 0;
    request_.woken.reset();
    failed_starts_ = 0;
    io::have_own_stderr();
    (void)io::await_news(attached.control.get(), first_answers);
    io::become_waiter({.control = attached.control.get(),
                       .memory = attached.memory.get(),
                       .staging = attached.staging.get(),
                       .last_death = last_death,
                       .arguments = request_.arguments,
                       .environment = &request_.environment});
    constexpr Milliseconds long_time{60'000};  // there is no limit to a session
    for (;;) {
      const Result<io::Packet> packet = io::await_packet(attached.control.get(), long_time);
      if (packet && packet->kind == io::PacketKind::errors) {
        io::write_stderr(packet->text);
      } else if (packet && packet->kind == io::PacketKind::over) {
        int status = 0;
        (void)std::from_chars(
            packet->text.data(), packet->text.data() + packet->text.size(), status);
        return status;
      } else if (!packet && packet.error().code() != ErrorCode::timed_out) {
        break;
      }
    }
    request_.woken = io::Woken{.memory = std::move(attached.memory),
                               .staging = std::move(attached.staging),
                               .died = io::death_clock(),
                               .died_before = last_death};
    return std::nullopt;
  }

  FrontRequest request_;
  io::Standing standing_;
  SocketFolder folder_;
  std::string name_;
  std::optional<io::Proof> secret_;
  io::Fd session_;  // SessionFacts as a sealed file, once they are needed
  int failed_starts_ = 0;
};

}  // namespace

FrontOutcome attach(FrontRequest request) {
  return Front(std::move(request)).run();
}

std::optional<std::string> why_alone(FrontRequest request) {
  return Front(std::move(request)).foresee();
}

std::optional<Obstacle> obstacle_to(FrontRequest request) {
  return Front(std::move(request)).obstacle();
}

}  // namespace pi_mcp::attach

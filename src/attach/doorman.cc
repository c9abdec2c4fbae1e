#include "attach/doorman.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "attach/socket_folder.h"
#include "base/log.h"
#include "io/files/file.h"
#include "io/files/file_lock.h"
#include "io/files/file_watch.h"
#include "io/files/memory_file.h"
#include "io/files/own_folder.h"
#include "io/loop/condition.h"
#include "io/loop/sleep.h"
#include "io/loop/task_group.h"
#include "io/loop/with_deadline.h"
#include "io/net/local_socket.h"
#include "io/process/handed_streams.h"
#include "io/process/kernel.h"
#include "io/process/peer.h"
#include "io/process/process_limits.h"
#include "io/process/standing.h"

namespace pi_mcp::attach {
namespace {

constexpr Milliseconds cleaning_max{1000};
// How long it may take until a place that could not be had is tried again.
constexpr Milliseconds looking_max{60'000};

}  // namespace

FrontLink::FrontLink(const io::Executor& executor, io::Fd control)
    : control_(executor, std::move(control)) {}

Result<void> FrontLink::attached(int memory, int staging) {
  // The front only keeps it.
  const io::Fd kept = io::open_to_read(memory);
  if (!kept.is_open()) {
    return fail(ErrorCode::io, "the memory of a session cannot be opened to be read");
  }
  return staging < 0
             ? io::send_packet(control_.number(), io::PacketKind::attached, "", {kept.get()})
             : io::send_packet(
                   control_.number(), io::PacketKind::attached, "", {kept.get(), staging});
}

void FrontLink::refuse(std::string_view reason) {
  // A front that has gone needs no reason.
  (void)io::send_packet(
      control_.number(), io::PacketKind::refused, reason.substr(0, io::packet_text_max));
  close();
}

void FrontLink::write_errors(std::string_view text) {
  // The end of the session must always have room.
  constexpr std::size_t unread_max = std::size_t{64} << 10U;
  while (!text.empty() && io::unread_bytes(control_.number()) < unread_max) {
    const std::string_view part = text.substr(0, io::packet_text_max);
    if (!io::send_packet(control_.number(), io::PacketKind::errors, part)) {
      return;
    }
    text.remove_prefix(part.size());
  }
}

void FrontLink::over(int exit_status) {
  // Nothing is lost on a front that has gone.
  (void)io::send_packet(control_.number(), io::PacketKind::over, std::to_string(exit_status));
}

io::Task<Result<void>> FrontLink::wait_gone() {
  const Result<io::Packet> packet = co_await control_.receive();
  if (!packet && packet.error().code() == ErrorCode::cancelled) {
    co_return fail(packet.error());
  }
  co_return Result<void>();  // it is gone, or talks nonsense: it has nothing more to say
}

void FrontLink::close() {
  control_.close();
}

struct Doorman::State : Pinned {
  State(const io::Executor& on,
        io::Fd listening,
        io::BirthGifts gifts,
        const std::string& name,
        io::Proof own_secret)
      : executor(on),
        place(io::path_of(gifts.folder)),
        listener(on, std::move(listening), std::move(gifts.folder), name),
        secret(std::move(own_secret)),
        standing(io::own_standing()),
        less(on),
        tasks(on) {}

  // False: nobody stands there.
  Result<bool> let_in() {
    Result<io::Fd> front = listener.accept_now();
    if (!front) {
      return fail(std::move(front).error());
    }
    if (!front->is_open()) {
      return false;
    }
    ++greeting;
    tasks.spawn("front", meet(std::move(*front)), [this](const std::string&) { one_less(); });
    return true;
  }

  void one_less() {
    --greeting;
    less.notify_all();
  }

  io::Task<void> accept_all() {
    constexpr Milliseconds pause(100);
    for (;;) {
      if (greeting >= greeting_fronts_max) {
        if (co_await less.wait() == io::Wake::cancelled) {
          co_return;
        }
        continue;
      }
      Result<bool> came = let_in();
      if (!came) {
        log::warning(came.error().message());
        if (!co_await io::sleep_for(pause)) {
          co_return;
        }
      } else if (const int before = moves;
                 !*came && !co_await listener.wait_for_front() && moves == before) {
        co_return;
      }
    }
  }

  // Whoever cleans up such folders must not leave a process that nobody can see, stop or share.
  io::Task<void> stay_found(std::string name) {
    io::FileWatch watch(executor);
    Milliseconds pause = cleaning_max;
    while (!leaves) {
      if (const Result<void> watched = watch.watch({place + '/' + listener.name()}); !watched) {
        log::info(watched.error().message());
      }
      if (listener.is_found_in(place)) {
        pause = cleaning_max;
        if (!co_await watch.wait()) {
          co_return;
        }
      }
      // Who removes a whole tree would trip over a folder in it that is made again at once.
      if (!co_await io::sleep_for(pause)) {
        co_return;
      }
      pause = std::min(2 * pause, looking_max);
      if (!leaves && !listener.is_found_in(place)) {
        if (const Result<void> found = be_found(name); !found) {
          log::info(found.error().message());
        }
      }
    }
  }

  // unavailable: somebody starts one there just now.
  Result<void> be_found(std::string name) {
    Result<io::Fd> folder = io::open_own_folder(place);
    if (!folder) {
      return fail(std::move(folder).error());
    }
    const Result<std::optional<io::FileLock>> held = io::FileLock::try_take_in(*folder, lock_name);
    if (!held) {
      return fail(held.error());
    }
    if (!*held) {
      return fail(ErrorCode::unavailable, "somebody holds the lock");
    }
    const Result<io::Fd> other = io::connect_in(*folder, name, Milliseconds(0));
    if (other || other.error().code() != ErrorCode::not_found) {
      name = name_beside(name);
    }
    Result<io::Fd> listening = io::LocalListener::listen_in(*folder, name);
    if (!listening) {
      return fail(std::move(listening).error());
    }
    ++moves;
    listener.move_to(std::move(*listening), std::move(*folder), std::move(name));
    return {};
  }

  io::Task<void> meet(io::Fd control) {
    HandedSession session;
    session.front = std::make_unique<FrontLink>(executor, std::move(control));
    Result<void> good =
        co_await io::with_deadline(greeting_time_max, "a greeting", greet(&session));
    if (good) {
      on_session(std::move(session));
    } else if (good.error().code() !=
               ErrorCode::cancelled) {  // else it is dropped, and comes again
      log::info("a front was refused: " + good.error().message());
      session.front->refuse(good.error().message());
    }
    one_less();
  }

  // Who stands at the other end, and what it hands over.
  io::Task<Result<void>> greet(HandedSession* session) {
    io::PacketStream& control = session->front->control_;
    io::PeerProcess peer;
    if (check == PeerCheck::by_kernel) {
      peer = io::connected_peer(control.number());
    }
    const bool by_kernel = peer.alive.is_open();
    Checked checked;
    constexpr int packets_max = 4;
    for (int count = 0; count < packets_max; ++count) {
      Result<io::Packet> packet = co_await control.receive();
      if (!packet) {
        co_return fail(std::move(packet).error());
      }
      if (packet->kind == io::PacketKind::session) {
        co_return take(std::move(*packet), peer, checked, session);
      }
      const auto greeting_words = parse_greeting(packet->text);
      if (packet->kind != io::PacketKind::greeting || !greeting_words) {
        break;
      }
      if (!by_kernel) {
        peer = io::process_now(packet->sender);
      }
      checked.nonce = new_nonce();  // after the process was opened: see PeerProcess
      const Welcome welcome{
          .echo = greeting_words->nonce, .proof = io::proof_of(peer.id), .nonce = checked.nonce};
      if (Result<void> sent =
              io::send_packet(control.number(), io::PacketKind::greeting, text_of(welcome));
          !sent) {
        co_return sent;
      }
      // While it looks at us. That it is the same process is seen afterwards, by its pidfd.
      io::renew_groups(standing);
      checked.other = io::difference_from(standing, peer.id);
    }
    co_return fail(ErrorCode::protocol, "it says what nobody understands");
  }

  // What was said to a front, and seen of it.
  struct Checked {
    std::string nonce;
    std::optional<std::string> other;  // in what its rights differ from ours
  };

  Result<void> take(io::Packet packet,
                    const io::PeerProcess& peer,
                    const Checked& checked,
                    HandedSession* session) {
    const auto words = parse_hand_over(packet.text);
    if (!words || checked.nonce.empty() || words->echo != checked.nonce ||
        packet.sender != peer.id) {
      return fail(ErrorCode::protocol, "it is not who it says");
    }
    if (checked.other) {
      return fail(ErrorCode::unauthorized, "it has other rights: " + *checked.other);
    }
    if (words->proof != secret.secret()) {
      return fail(ErrorCode::unauthorized, "it may not look into the shared process");
    }
    if (!io::is_alive(peer)) {
      return fail(ErrorCode::unavailable, "it is gone");
    }
    return take_files(std::move(packet), peer.id, session);
  }

  Result<void> take_files(io::Packet packet, int process_id, HandedSession* session) {
    constexpr std::size_t files_min = 4;
    if (packet.files.size() < files_min) {
      return fail(ErrorCode::protocol, "it hands over too little");
    }
    const Result<std::string> text = io::read_sealed_file(packet.files[3], session_bytes_max);
    if (!text) {
      return fail(text.error());
    }
    Result<SessionFacts> facts = parse_session_text(*text);
    if (!facts) {
      return fail(std::move(facts).error());
    }
    if (const auto higher = io::out_of_reach(io::own_traits(), facts->traits)) {
      return fail(ErrorCode::unauthorized, *higher);
    }
    for (const std::size_t stream : {std::size_t{0}, std::size_t{1}}) {
      if (Result<void> good = io::can_be_handed(packet.files[stream].get()); !good) {
        return fail(std::move(good).error().while_doing(stream == 0 ? "stdin" : "stdout"));
      }
    }
    session->facts = std::move(*facts);
    session->facts.process_id = process_id;
    session->facts.user_id = io::own_user_id();
    session->input = std::move(packet.files[0]);
    session->output = std::move(packet.files[1]);
    session->errors = std::move(packet.files[2]);
    if (packet.files.size() > files_min) {
      session->old_memory = std::move(packet.files[4]);
    }
    if (packet.files.size() > files_min + 1) {
      session->old_staging = std::move(packet.files[5]);
    }
    if (session->old_memory.is_open() && !io::has_fixed_size(session->old_memory)) {
      return fail(ErrorCode::protocol, "it hands over a memory that is none of ours");
    }
    return {};
  }

  io::Executor executor;
  std::string place;  // the folder's path
  io::LocalListener listener;
  int moves = 0;        // how often it got another place
  bool leaves = false;  // for good
  io::Proof secret;
  io::Standing standing;  // ours
  OnSession on_session;
  PeerCheck check = PeerCheck::by_kernel;
  std::size_t greeting = 0;
  io::Condition less;
  std::optional<io::FileLock> lock;  // once we leave
  io::TaskGroup tasks;
};

Doorman::Doorman(std::unique_ptr<State> state) : state_(std::move(state)) {}
Doorman::~Doorman() = default;

Result<std::unique_ptr<Doorman>> Doorman::open(const io::Executor& executor,
                                               io::BirthGifts gifts,
                                               const std::string& socket_name,
                                               OnSession on_session,
                                               PeerCheck check) {
  Result<io::Proof> secret = io::Proof::make();
  if (!secret) {
    return fail(std::move(secret).error());
  }
  io::remove_dead_sockets(gifts.folder);
  Result<io::Fd> listening = io::LocalListener::listen_in(gifts.folder, socket_name);
  if (!listening) {
    return fail(std::move(listening).error());
  }
  const io::Fd ready = std::move(gifts.ready);
  const io::Fd lock = std::move(gifts.lock);  // given up at the end of this
  auto state = std::make_unique<State>(
      executor, std::move(*listening), std::move(gifts), socket_name, std::move(*secret));
  state->on_session = std::move(on_session);
  state->check = check;
  state->tasks.spawn("doorman", state->accept_all(), io::log_only);
  state->tasks.spawn("the socket's place", state->stay_found(socket_name), io::log_only);
  io::say_ready(ready);
  return std::unique_ptr<Doorman>(new Doorman(std::move(state)));
}

bool Doorman::may_leave() {
  Result<std::optional<io::FileLock>> lock =
      io::FileLock::try_take_in(state_->listener.folder(), lock_name);
  if (lock && !*lock) {
    return false;  // somebody starts one, or ends one: later
  }
  // Where there is no lock to be had, as in a folder that was removed, nobody can start one either,
  // and who comes between is dropped and tries again.
  while (state_->greeting < greeting_fronts_max) {
    const Result<bool> came = state_->let_in();
    if (!came || !*came) {
      break;
    }
  }
  if (state_->greeting > 0) {
    return false;
  }
  state_->leaves = true;
  state_->listener.close();
  if (lock) {
    state_->lock = std::move(*lock);
  }
  return true;
}

std::size_t Doorman::greeting() const {
  return state_->greeting;
}

io::Task<void> Doorman::close() {
  state_->listener.close();
  state_->tasks.cancel();
  co_await state_->tasks.join();
}

}  // namespace pi_mcp::attach

#include "transport/attached/host_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace pi_mcp::transport {
namespace {

constexpr std::size_t page = 4096;
constexpr std::uint64_t magic_number = 0x3130'6d65'6d2d'6970;  // "pi-mem01", as bytes
// An empty ring keeps its pages up to here until shrink(): the next long message is often as long,
// and new pages cost more than all else that is done with its bytes.
constexpr std::size_t kept_bytes_max = std::size_t{8} << 20U;
// What is left to each ring then.
constexpr std::size_t few_bytes = std::size_t{128} << 10U;

constexpr std::size_t pages(std::size_t bytes) {
  return (bytes + page - 1) / page * page;
}

}  // namespace

struct HostMemory::Parts {
  static constexpr std::size_t header = 0;
  static constexpr std::size_t flights = pages(sizeof(Header));
  static constexpr std::size_t declared = flights + pages(flights_max * sizeof(Flight));
  static constexpr std::size_t in = declared + 2 * declared_bytes_max;
  static constexpr std::size_t out = in + host_in_bytes;
  static constexpr std::size_t end = out + host_out_bytes;
};

struct HostMemory::Old {
  struct Request {
    std::string id;
    std::uint64_t line_end = 0;
    std::uint64_t answer_end = 0;
    bool lost = false;
  };
  int file = -1;
  std::uint64_t generation = 0;
  std::uint64_t head = 0, tail = 0, clean = 0, in_origin = 0;
  std::uint64_t committed = 0, out_origin = 0;
  std::uint64_t sent = 0;  // what has left, to the byte
  std::vector<Request> requests;
  std::string declared;

  static Result<Old> read(int file, std::size_t staged);
  // A part of a ring that begins at `base`.
  [[nodiscard]] Result<std::string> ring(std::size_t base,
                                         std::size_t size,
                                         std::uint64_t offset,
                                         std::size_t bytes) const;
};

Result<std::string> HostMemory::Old::ring(std::size_t base,
                                          std::size_t size,
                                          std::uint64_t offset,
                                          std::size_t bytes) const {
  std::string text(bytes, '\0');
  offset %= size;
  const std::size_t first = std::min<std::size_t>(bytes, size - offset);
  Result<void> read = io::read_range(file, base + offset, std::span(text).first(first));
  if (read) {
    read = io::read_range(file, base, std::span(text).subspan(first));
  }
  return read ? Result<std::string>(std::move(text)) : fail(read.error());
}

Result<HostMemory::Old> HostMemory::Old::read(int file, std::size_t staged) {
  const auto header = std::make_unique<Header>();
  const auto as_bytes = [](auto* values, std::size_t count) {
    return std::span(reinterpret_cast<char*>(values), count * sizeof(*values));
  };
  if (Result<void> read = io::read_range(file, Parts::header, as_bytes(header.get(), 1)); !read) {
    return fail(read.error());
  }
  Old old;
  old.file = file;
  old.generation = header->generation;
  old.head = header->head, old.tail = header->tail, old.clean = header->clean;
  old.in_origin = header->in_origin;
  old.committed = header->committed, old.out_origin = header->out_origin;
  const Sent sent(header->sent);
  old.sent = sent.position;
  if (header->out_is_socket != 0) {
    old.sent += header->counters.at(sent.batch % 2).sent();
  } else if (sent.batch > 0) {
    old.sent += sent.batch - std::min<std::uint64_t>(sent.batch, staged);
  }
  const bool fits = old.tail <= old.head && old.head - old.clean <= host_in_bytes &&
                    old.clean <= old.tail && old.in_origin <= old.clean &&
                    (old.committed <= old.sent || old.committed - old.sent <= host_out_bytes);
  if (header->magic != magic_number || !fits) {
    return fail(ErrorCode::io, "this is not the memory of a session");
  }
  const auto flights = std::make_unique<std::array<Flight, flights_max>>();
  if (Result<void> read = io::read_range(file, Parts::flights, as_bytes(flights.get(), 1)); !read) {
    return fail(read.error());
  }
  for (const Flight& flight : *flights) {
    if (flight.line_end != 0 && flight.id_bytes <= Flight::id_bytes_max) {
      old.requests.push_back({.id = std::string(flight.id.data(), flight.id_bytes),
                              .line_end = flight.line_end,
                              .answer_end = flight.answer_end,
                              .lost = flight.lost != 0});
    }
  }
  const std::uint64_t declared = header->declared;
  constexpr unsigned half_shift = 63;
  const std::size_t bytes = declared & ~(std::uint64_t{1} << half_shift);
  if (bytes > declared_bytes_max) {
    return fail(ErrorCode::io, "this is not the memory of a session");
  }
  old.declared.resize(bytes);
  if (Result<void> read =
          io::read_range(file,
                         Parts::declared + (declared >> half_shift) * declared_bytes_max,
                         std::span(old.declared));
      !read) {
    return fail(read.error());
  }
  return old;
}

HostMemory::HostMemory(io::SharedMemory memory, io::Mapping front, io::Mapping in, io::Mapping out)
    : memory_(std::move(memory)),
      front_(std::move(front)),
      // The pages are zero, which is the first value of every member.
      header_(std::launder(reinterpret_cast<Header*>(front_.data() + Parts::header))),
      flights_(std::launder(reinterpret_cast<Flight*>(front_.data() + Parts::flights)),
               flights_max),
      declared_(front_.data() + Parts::declared),
      in_(&memory_, Parts::in, host_in_bytes, &header_->in_origin, std::move(in)),
      out_(&memory_, Parts::out, host_out_bytes, &header_->out_origin, std::move(out)) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  static_assert(sizeof(Flight) == 256);
  header_->magic = magic_number;
}

Result<std::unique_ptr<HostMemory>> HostMemory::create() {
  Result<io::SharedMemory> memory = io::SharedMemory::create(Parts::end);
  if (!memory) {
    return fail(memory.error());
  }
  using Copies = io::Mapping::Copies;
  Result<io::Mapping> front = io::Mapping::of(*memory, 0, Parts::in, Copies::once);
  Result<io::Mapping> in = io::Mapping::of(*memory, Parts::in, host_in_bytes, Copies::twice);
  Result<io::Mapping> out = io::Mapping::of(*memory, Parts::out, host_out_bytes, Copies::twice);
  for (const Result<io::Mapping>* part : {&front, &in, &out}) {
    if (!*part) {
      return fail(part->error());
    }
  }
  return std::unique_ptr<HostMemory>(
      new HostMemory(*std::move(memory), *std::move(front), *std::move(in), *std::move(out)));
}

Result<std::unique_ptr<HostMemory>> HostMemory::recover(int file, std::size_t staged) {
  Result<Old> old = Old::read(file, staged);
  if (!old) {
    return fail(old.error());
  }
  Result<std::unique_ptr<HostMemory>> memory = create();
  if (!memory) {
    return memory;
  }
  if (Result<void> taken = (*memory)->take_over(*old); !taken) {
    return fail(taken.error());
  }
  return memory;
}

Result<void> HostMemory::take_over(const Old& old) {
  // 1. Bytes that were read and not published: all up to the last one that is not zero.
  const std::size_t room = host_in_bytes - (old.head - old.clean);
  Result<std::string> more = old.ring(Parts::in,
                                      host_in_bytes,
                                      old.head - old.in_origin,
                                      std::min<std::size_t>(read_bytes_max, room));
  if (!more) {
    return fail(more.error());
  }
  more->resize(more->find_last_not_of('\0') + 1);
  // 2. Requests without an answer. One whose line was noted before it counted as taken was begun,
  // perhaps, and is not read again.
  std::uint64_t tail = old.tail;
  const std::uint64_t settled = std::max(old.committed, old.sent);
  for (const Old::Request& request : old.requests) {
    if (request.answer_end != 0 && request.answer_end <= settled) {
      continue;
    }
    if (!request.lost) {
      tail = std::max(tail, request.line_end);
    }
    put_flight(request.id, 1, true);
  }
  // 3. What is not taken, and what the host is owed.
  const Result<std::string> unread =
      old.ring(Parts::in, host_in_bytes, tail - old.in_origin, old.head - std::min(tail, old.head));
  const std::size_t owes = old.committed > old.sent ? old.committed - old.sent : 0;
  const Result<std::string> owed =
      old.ring(Parts::out, host_out_bytes, old.sent - old.out_origin, owes);
  if (!unread || !owed) {
    return fail(unread ? owed.error() : unread.error());
  }
  header_->head = unread->size() + more->size();
  header_->committed = composed_ = owed->size();
  in_.note_used(header_->head);
  out_.note_used(composed_);
  for (const Result<void>& stored :
       {in_.store(0, *unread), in_.store(unread->size(), *more), out_.store(0, *owed)}) {
    if (!stored) {
      return stored;
    }
  }
  header_->generation = old.generation + 1;
  for (std::string_view rest = old.declared; !rest.empty();) {  // key \n line \n
    const std::string_view key = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), key.size() + 1));
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    declarations_.emplace_back(key, line);
  }
  write_declared();
  return {};
}

// ---- from the host

std::span<char> HostMemory::space() {
  const std::uint64_t head = header_->head;
  const std::uint64_t clean = header_->clean;
  if (head == clean && header_->in_origin != head) {
    in_.begin_at(head);
  }
  const std::size_t room = host_in_bytes - (head - clean);
  return {in_.at(head), std::min(room, read_bytes_max)};
}

void HostMemory::publish(std::size_t bytes) {
  const std::uint64_t head = header_->head + bytes;
  header_->head.store(head, std::memory_order_release);
  in_.note_used(head);
}

std::string_view HostMemory::rest() const {
  return {in_.at(header_->tail), header_->head - header_->tail};
}

std::optional<HostMemory::Line> HostMemory::next_line() {
  const std::uint64_t tail = header_->tail;
  const std::string_view unread = rest();
  const std::size_t known = scanned_ > tail ? scanned_ - tail : 0;
  const std::size_t found = unread.find('\n', known);
  if (found == std::string_view::npos) {
    scanned_ = header_->head;
    return std::nullopt;
  }
  return Line{.text = unread.substr(0, found), .end = tail + found + 1};
}

void HostMemory::put_flight(std::string_view id, std::uint64_t line_end, bool lost) {
  if (id.size() > Flight::id_bytes_max || !can_note()) {
    return;
  }
  std::uint32_t place = places_used_;
  if (free_.empty()) {
    ++places_used_;
  } else {
    place = free_.back();
    free_.pop_back();
  }
  Flight& flight = flights_[place];
  flight.lost = lost ? 1 : 0;
  flight.id_bytes = static_cast<std::uint32_t>(id.size());
  flight.answer_end.store(0, std::memory_order_relaxed);
  std::ranges::copy(id, flight.id.begin());
  flight.line_end.store(line_end, std::memory_order_release);
  by_id_.emplace(id, place);
}

void HostMemory::note(const rpc::Id& id, std::uint64_t line_end) {
  put_flight(id.json(), line_end, false);
}

void HostMemory::take(std::uint64_t line_end) {
  header_->tail.store(line_end, std::memory_order_release);
}

// The room is zero before it is offered.
void HostMemory::clean() {
  const std::uint64_t tail = header_->tail;
  std::uint64_t from = header_->clean;
  if (in_.used() > kept_bytes_max && in_.give_back(tail, header_->head + read_bytes_max)) {
    from = std::max(from, tail - in_.into_page(tail));
  }
  in_.clear(from, tail);
  header_->clean.store(tail, std::memory_order_release);
}

void HostMemory::end_flight(std::uint32_t place) {
  flights_[place].line_end.store(0, std::memory_order_release);
  free_.push_back(place);
}

void HostMemory::settle(const rpc::Id& id) {
  if (const auto found = by_id_.find(id.json()); found != by_id_.end()) {
    end_flight(found->second);
    by_id_.erase(found);
  }
}

std::vector<rpc::Id> HostMemory::lost() const {
  std::vector<rpc::Id> ids;
  for (const auto& [id, place] : by_id_) {
    if (flights_[place].lost != 0) {
      ids.push_back(rpc::Id::from_json(id));
    }
  }
  return ids;
}

// ---- to the host

Result<void> HostMemory::append(const rpc::Outgoing& message) {
  const std::uint64_t sent = Sent(header_->sent).position;
  if (composed_ == sent && staged_ == 0 && header_->out_origin != sent) {
    out_.begin_at(sent);
  }
  if (composed_ - sent + message.bytes() > host_out_bytes) {
    return fail(ErrorCode::unavailable, "too large");
  }
  Result<void> stored;
  std::uint64_t end = composed_;
  message.for_each_piece([this, &stored, &end](std::string_view piece) {
    if (stored) {
      stored = out_.store(end, piece);
      end += piece.size();
    }
  });
  out_.note_used(end);
  if (!stored) {
    return stored;
  }
  composed_ = end;
  message.for_each_answered([this](const rpc::Id& id) {
    if (const auto found = by_id_.find(id.json()); found != by_id_.end()) {
      flights_[found->second].answer_end.store(composed_, std::memory_order_release);
      answered_.push_back(found->second);
      by_id_.erase(found);
    }
  });
  return {};
}

void HostMemory::commit() {
  header_->committed.store(composed_, std::memory_order_release);
  for (const std::uint32_t place : std::exchange(answered_, {})) {
    end_flight(place);
  }
}

std::string_view HostMemory::fresh() const {
  const std::uint64_t committed = header_->committed;
  return {out_.at(committed), composed_ - committed};
}

// First that it has left: a flight whose answer lies before that is over, and the room between
// `committed` and there is owed to nobody.
void HostMemory::left() {
  set_sent(Sent(composed_, 0));
  commit();
}

std::string_view HostMemory::owed() const {
  const std::uint64_t sent = Sent(header_->sent).position;
  return {out_.at(sent), header_->committed - sent};
}

void HostMemory::set_sent(Sent sent) {
  header_->sent.store(sent.word(), std::memory_order_release);
  if (sent.position == composed_ && out_.used() > kept_bytes_max) {
    out_.give_back(composed_, composed_);
  }
}

bool HostMemory::holds_much() const {
  return in_.used() > few_bytes || out_.used() > few_bytes;
}

void HostMemory::shrink() {
  in_.give_back(header_->clean, header_->head + read_bytes_max);
  out_.give_back(Sent(header_->sent).position, composed_);
}

void HostMemory::stage(std::size_t bytes) {
  staged_ = bytes;
  set_sent(Sent(Sent(header_->sent).position, bytes));
}

void HostMemory::unstage(std::size_t bytes) {
  staged_ -= bytes;
  if (staged_ == 0) {
    const Sent sent(header_->sent);
    set_sent(Sent(sent.position + sent.batch, 0));
  }
}

io::SendCount& HostMemory::counter() {
  return header_->counters.at(Sent(header_->sent).batch % 2);
}

void HostMemory::counted() {
  const Sent sent(header_->sent);
  const std::uint64_t next = 1 - sent.batch % 2;
  const std::uint64_t bytes = counter().sent();
  header_->counters.at(next).reset();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  set_sent(Sent(sent.position + bytes, next));
}

// ---- what the host declared

bool HostMemory::declare(const std::string& key, std::string_view line) {
  std::size_t bytes = key.size() + line.size() + 2;
  for (const auto& [known, text] : declarations_) {
    bytes += known == key ? 0 : known.size() + text.size() + 2;
  }
  if (bytes > declared_bytes_max || line.find('\n') != std::string_view::npos) {
    return false;
  }
  const auto known =
      std::ranges::find(declarations_, key, &std::pair<std::string, std::string>::first);
  if (known != declarations_.end()) {
    known->second = line;
  } else {
    declarations_.emplace_back(key, line);
  }
  write_declared();
  return true;
}

void HostMemory::forget_declared(const std::string& key) {
  if (std::erase_if(declarations_, [&key](const auto& known) { return known.first == key; }) > 0) {
    write_declared();
  }
}

std::vector<std::string> HostMemory::declared() const {
  std::vector<std::string> lines;
  lines.reserve(declarations_.size());
  for (const auto& [key, line] : declarations_) {
    lines.push_back(line);
  }
  return lines;
}

// Into the half that nobody looks at, then one store says which it is.
void HostMemory::write_declared() {
  std::string text;
  for (const auto& [key, line] : declarations_) {
    text.append(key).append("\n").append(line).append("\n");
  }
  constexpr unsigned half_shift = 63;
  const std::uint64_t half = 1 - (header_->declared >> half_shift);
  std::memcpy(declared_ + half * declared_bytes_max, text.data(), text.size());
  header_->declared.store(half << half_shift | text.size(), std::memory_order_release);
}

}  // namespace pi_mcp::transport

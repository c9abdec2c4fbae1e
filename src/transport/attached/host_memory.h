// What is under way between a host and us, in memory that outlives this process: the bytes that
// were read and not dealt with, the requests without an answer, the answers that the host does not
// have yet, and what it declared. If we are killed at any instruction, the next process goes on
// from here and no request is lost, done twice or answered with half a line
// (docs/decisions/0070-memory-of-a-session.md).
//
// Positions count the bytes of a stream from its beginning and only grow. Everything is stored in
// an order in which each prefix of the stores is a valid state. No I/O but on the memory itself.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/pinned.h"
#include "base/result.h"
#include "io/files/shared_memory.h"
#include "io/process/host_channel.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "transport/attached/ring.h"
#include "transport/line_intake.h"

namespace pi_mcp::transport {

// A request of the host that has no answer yet.
struct Flight {
  static constexpr std::size_t id_bytes_max = host_id_bytes_max;
  // Behind its line; 0: nobody is in this place. Stored last: it makes the entry valid.
  std::atomic<std::uint64_t> line_end;
  // Behind its answer, where that is in the out ring; 0: there is none.
  std::atomic<std::uint64_t> answer_end;
  std::uint32_t lost = 0;  // it was under way when a process died, and gets an error
  std::uint32_t id_bytes = 0;
  std::array<char, id_bytes_max> id{};  // JSON
};

// Of one read: how far bytes that were not published yet can reach behind head.
inline constexpr std::size_t read_bytes_max = std::size_t{64} << 10U;
// A longer line cannot be taken; the memory is as large as the longest line that a host may send.
inline constexpr std::size_t host_in_bytes = std::size_t{272} << 20U;
// All that a host has not read yet, and the longest answer.
inline constexpr std::size_t host_out_bytes = std::size_t{512} << 20U;
// Requests under way at the same time; the host is not read while there are as many.
inline constexpr std::size_t flights_max = 8192;
// All that a host declared, as lines.
inline constexpr std::size_t declared_bytes_max = std::size_t{1} << 20U;
class HostMemory : Pinned {
 public:
  static Result<std::unique_ptr<HostMemory>> create();
  // As the memory of a process that has died says. `file` is that memory, `staged` how many bytes
  // its staging pipe still holds. Nothing is written to the host, nor to the old memory. io: it
  // cannot be read, or is not such a memory.
  static Result<std::unique_ptr<HostMemory>> recover(int file, std::size_t staged);

  // To be handed, to be read, to whoever will outlive us.
  [[nodiscard]] int number() const { return memory_.number(); }

  // ---- from the host
  // Where the next bytes go, at most read_bytes_max; empty: there is no room before lines are
  // taken.
  [[nodiscard]] std::span<char> space();
  // So many bytes of the space were filled.
  void publish(std::size_t bytes);
  struct Line {
    std::string_view text;  // without its line feed; valid until clean()
    std::uint64_t end = 0;
  };
  // The next line that was not taken. It stays until take().
  [[nodiscard]] std::optional<Line> next_line();
  // What was read and is no whole line.
  [[nodiscard]] std::string_view rest() const;
  // This request is under way from here on; before take() of its line. An id over
  // Flight::id_bytes_max is not noted (requests with such a one are refused).
  void note(const rpc::Id& id, std::uint64_t line_end);
  [[nodiscard]] bool can_note() const { return !free_.empty() || places_used_ < flights_max; }
  // The line is dealt with by us, and never again by another process.
  void take(std::uint64_t line_end);
  // The same for rest(), of which somebody else keeps what is needed.
  void take_rest() { take(header_->head); }
  // Gives the room of taken lines back. What points into them is no longer valid.
  void clean();
  // A request under way that gets no answer (the host has cancelled it).
  void settle(const rpc::Id& id);
  // Those that were under way when a process died and have no answer.
  [[nodiscard]] std::vector<rpc::Id> lost() const;

  // ---- to the host
  // Puts a message behind those that the host is owed. unavailable: there is no room for it.
  Result<void> append(const rpc::Outgoing& message);
  // What was appended is owed from here on: it will reach the host whatever becomes of us.
  void commit();
  // Appended and not committed.
  [[nodiscard]] std::string_view fresh() const;
  // All of fresh() has left at once, without having been committed.
  void left();
  // Committed and not gone. In a staging pipe are `staged()` of it.
  [[nodiscard]] std::string_view owed() const;
  [[nodiscard]] std::size_t staged() const { return staged_; }
  // So many bytes of owed() were put into the empty staging pipe; some of them have left it.
  void stage(std::size_t bytes);
  void unstage(std::size_t bytes);
  // Where the system call that sends owed() to a socket says how much it has sent.
  [[nodiscard]] io::SendCount& counter();
  void counted();
  void set_output(bool is_socket) { header_->out_is_socket.store(is_socket ? 1 : 0); }

  // ---- how much is kept
  // Long messages have left pages behind that the next one can use, 8 MiB in each direction at the
  // most; until shrink().
  [[nodiscard]] bool holds_much() const;
  void shrink();

  // ---- what the host declared
  // The newest of each key is kept, in the order in which they came first. False: too much.
  bool declare(const std::string& key, std::string_view line);
  void forget_declared(const std::string& key);
  [[nodiscard]] std::vector<std::string> declared() const;
  // How many processes had this session before us.
  [[nodiscard]] std::uint64_t generation() const { return header_->generation; }

 private:
  struct Header {
    std::uint64_t magic = 0;
    std::uint64_t generation = 0;
    // In ring: [tail, head) was read and is not taken; from head on it is zero as far as `clean`
    // plus the size of the ring, so that bytes which a read has brought and nobody has published
    // show themselves (JSON has no zero byte).
    std::atomic<std::uint64_t> head, tail, clean;
    std::atomic<std::uint64_t> in_origin;  // the position that lies at the beginning of the ring
    std::atomic<std::uint64_t> committed;
    std::atomic<std::uint64_t> sent;  // see Sent
    std::atomic<std::uint64_t> out_origin;
    std::atomic<std::uint64_t> out_is_socket;
    std::atomic<std::uint64_t> declared;  // half << 63 | bytes
    std::array<io::SendCount, 2> counters{};
  };
  // One word: the position up to which all has left, and for a pipe how much behind it was staged
  // in one go, for a socket which counter belongs to it.
  struct Sent {
    static constexpr unsigned position_shift = 20;
    explicit Sent(std::uint64_t word)
        : position(word >> position_shift), batch(word & ((1U << position_shift) - 1)) {}
    Sent(std::uint64_t where, std::uint64_t what) : position(where), batch(what) {}
    [[nodiscard]] std::uint64_t word() const { return position << position_shift | batch; }
    std::uint64_t position;
    std::uint64_t batch;
  };
  struct Parts;  // where each part lies
  struct Old;    // what is read of the memory of a process that has died

  HostMemory(io::SharedMemory memory, io::Mapping front, io::Mapping in, io::Mapping out);
  Result<void> take_over(const Old& old);
  void put_flight(std::string_view id, std::uint64_t line_end, bool lost);
  void end_flight(std::uint32_t place);
  void set_sent(Sent sent);
  void write_declared();

  io::SharedMemory memory_;
  io::Mapping front_;  // header, flights, declarations
  Header* header_;
  std::span<Flight> flights_;
  char* declared_;  // two halves
  Ring in_;
  Ring out_;

  std::uint64_t scanned_ = 0;   // no line feed before
  std::uint64_t composed_ = 0;  // behind the last message that was appended
  std::size_t staged_ = 0;
  std::uint32_t places_used_ = 0;    // no flight was ever in a later place
  std::vector<std::uint32_t> free_;  // places before that, the next one last
  std::unordered_multimap<std::string, std::uint32_t> by_id_;  // places
  std::deque<std::uint32_t> answered_;                         // appended and not committed: places
  std::vector<std::pair<std::string, std::string>> declarations_;
};

}  // namespace pi_mcp::transport

// A file descriptor that is closed when its owner goes away.
#pragma once

#include <string>
#include <utility>

namespace pi_mcp::io {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) : number_(number) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset(std::exchange(other.number_, -1));
    }
    return *this;
  }
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  // Gives the number away; the caller closes it.
  int release() { return std::exchange(number_, -1); }
  void reset(int number = -1);

 private:
  int number_ = -1;
};

// Gives /dev/null to those of the numbers 0, 1 and 2 that are closed: else the next file or pipe
// would become our stderr. Reading there is the end, writing fails: output that nobody gets must
// not look like success.
void open_standard_files();

// Another number for stdin (0), stdout (1) or stderr (2), above them. Not open: it is closed.
Fd copy_of_standard(int number);

// The system's words for an errno value: "Permission denied".
std::string reason(int error_number);

}  // namespace pi_mcp::io

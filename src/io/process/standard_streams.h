// Our own stdin and stdout on the loop.
#pragma once

#include "io/loop/stream.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// Takes both over for as long as it lives; afterwards printing to stdout goes to stderr, so that
// nothing can break the protocol. Whoever started us may share them with us (a terminal with its
// shell), and O_NONBLOCK belongs to the shared description: where the system lets us we open them
// anew, else the old flags come back at the end. Make only one.
class StandardStreams {
 public:
  explicit StandardStreams(const Executor& executor);
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;
  // Gives stdin and stdout back as they were, but for bytes that were read.
  ~StandardStreams();

  ReadStream& input() { return input_; }
  WriteStream& output() { return output_; }

 private:
  // A descriptor that was there before us.
  struct Saved {
    Fd fd;
    int flags = -1;  // to be restored; -1: nothing to do
  };
  static Saved save(int standard);
  static Fd open_for_loop(Saved& saved, int access);

  Saved saved_input_;
  Saved saved_output_;
  ReadStream input_;
  WriteStream output_;
};

}  // namespace pi_mcp::io

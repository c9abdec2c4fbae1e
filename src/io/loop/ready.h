// Waiting until a descriptor can be read or written.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/result.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// Returns at once when the descriptor is ready; at its end it is ready to be read. cancelled: the
// waiting task was cancelled, or the descriptor's owner has cancelled or closed it. io: the
// system's reason. The descriptor outlives the task.
Task<Result<void>> wait_ready(boost::asio::posix::stream_descriptor* descriptor,
                              boost::asio::posix::descriptor_base::wait_type what);

}  // namespace pi_mcp::io

// What a connection holds of one room (HttpHandler::take_room()).
#pragma once

#include <cstddef>
#include <optional>

#include "io/net/http_server.h"

namespace pi_mcp::io {

class HttpHeld {
 public:
  HttpHeld(HttpHandler& handler, HttpRoom room) : handler_(handler), room_(room) {}
  HttpHeld(const HttpHeld&) = delete;
  HttpHeld& operator=(const HttpHeld&) = delete;
  ~HttpHeld() { release(); }

  // From now on it holds so much. A reply: there is no room for more than it has. `account`: whose
  // it is, where it held nothing.
  std::optional<HttpReply> hold(std::size_t bytes, const HttpAccount& account) {
    if (bytes == bytes_) {
      return std::nullopt;
    }
    if (bytes < bytes_) {
      handler_.give_room(room_, account_, bytes_ - bytes);
    } else {
      account_ = bytes_ == 0 ? account : account_;
      if (auto refusal = handler_.take_room(room_, account_, bytes - bytes_)) {
        return refusal;
      }
    }
    bytes_ = bytes;
    return std::nullopt;
  }
  void release() { (void)hold(0, account_); }

 private:
  HttpHandler& handler_;
  HttpRoom room_;
  HttpAccount account_;
  std::size_t bytes_ = 0;
};

}  // namespace pi_mcp::io

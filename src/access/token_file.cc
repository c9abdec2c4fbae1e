#include "access/token_file.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "io/loop/random.h"

namespace pi_mcp::access {
namespace {

// A write takes milliseconds; whoever holds the lock longer than this hangs.
constexpr Milliseconds lock_wait_max{2'000};
// Ours have 49; nothing longer is worth a digest.
constexpr std::size_t bearer_bytes_max = 256;

std::string no_name(const std::string& name) {
  return "\"" + name +
         "\" is no name for a token: it has letters, digits, \"_\", \".\" and \"-\", not \"-\" "
         "first, 64 at most";
}

// Replaces the text under a lock. An error of `change` leaves the file as it is.
template <class Change>
Result<void> update(const std::string& path, const Change& change) {
  std::optional<Error> refusal;
  const auto guarded = [&](const std::string& text) -> std::optional<std::string> {
    Result<std::string> changed = change(text);
    if (!changed) {
      refusal = std::move(changed).error();
      return std::nullopt;
    }
    return *std::move(changed);
  };
  Result<void> written = io::update_file(path, guarded, lock_wait_max);
  return written && refusal ? fail(*std::move(refusal)) : std::move(written);
}

}  // namespace

Result<std::string> TokenFile::text() const {
  return io::stamp_of(path_) ? io::read_private_file(path_, token_file_bytes_max)
                             : Result<std::string>(std::string());
}

Result<std::string> TokenFile::add(Principal principal, EpochMs now) const {
  if (!is_token_name(principal.name)) {
    return fail(ErrorCode::invalid_argument, no_name(principal.name));
  }
  if (const Result<std::string> readable = text(); !readable) {
    return readable;
  }
  std::string token = token_text(io::random_bytes(token_random_bytes));
  const TokenRecord record = record_of(token, std::move(principal), now);
  const Result<void> written =
      update(path_, [&record](const std::string& old) { return add_token(old, record); });
  return written ? Result<std::string>(std::move(token))
                 : fail(Error(written.error()).while_doing(path_));
}

Result<std::vector<TokenRecord>> TokenFile::list() const {
  const Result<std::string> now = text();
  if (!now) {
    return fail(now.error());
  }
  const TokenBook book = TokenBook::parse(*now);
  if (!book.problem().empty()) {
    return fail(ErrorCode::invalid_argument, path_ + ": " + book.problem());
  }
  return book.records();
}

Result<void> TokenFile::remove(std::string_view name) const {
  // Nothing is made where nothing is.
  const Result<std::vector<TokenRecord>> known = list();
  if (!known) {
    return fail(known.error());
  }
  if (known->empty()) {
    return fail(ErrorCode::not_found, "there is no token \"" + std::string(name) + "\"");
  }
  return update(path_, [name](const std::string& old) { return remove_token(old, name); });
}

void TokenFile::look(EpochMs now) {
  // The clock may have been set back.
  const bool is_soon =
      looked_ && now >= *looked_ && now.value - looked_->value < look_pause.count();
  if (is_soon) {
    return;
  }
  looked_ = now;
  const std::optional<io::FileStamp> stamp = io::stamp_of(path_);
  if (stamp != stamp_) {
    stamp_ = stamp;
    read_again();
  }
}

void TokenFile::read_again() {
  const Result<std::string> now = text();
  book_ = TokenBook::parse(now.value_or(std::string()));
  const std::string problem = now ? book_.problem() : now.error().message();
  if (!now) {
    stamp_.reset();  // it may be readable next time, without a change that shows
  }
  if (!problem.empty() && problem != said_) {
    log::warning((now ? path_ + ": " : std::string()) + problem +
                 "; nobody is let in with a token until that is corrected");
  }
  said_ = problem;
}

TokenFound TokenFile::find(std::string_view bearer, EpochMs now) {
  look(now);
  const std::string digest = bearer.size() <= bearer_bytes_max ? sha256_hex(bearer) : "";
  const TokenRecord* record = book_.find(digest);
  if (record == nullptr) {
    // It may have been made a moment ago; whoever made it does not want to wait.
    looked_.reset();
    look(now);
    record = book_.find(digest);
  }
  if (record == nullptr) {
    return {};
  }
  using enum TokenFound::What;
  return {.what = record->principal->is_expired(now) ? expired : good,
          .principal = record->principal};
}

bool TokenFile::is_good(const Principal& principal, EpochMs now) {
  if (principal.name.empty()) {
    return true;
  }
  look(now);
  const TokenRecord* const record = book_.named(principal.name);
  return record != nullptr && record->principal->id == principal.id &&
         !record->principal->is_expired(now);
}

bool TokenFile::has_any(EpochMs now) {
  look(now);
  return std::ranges::any_of(book_.records(), [now](const TokenRecord& record) {
    return !record.principal->is_expired(now);
  });
}

}  // namespace pi_mcp::access

#include "mcp/server/batches.h"

#include <algorithm>
#include <utility>

namespace pi_mcp::mcp {

std::optional<rpc::Outgoing> Batches::joined(const Batch& batch) {
  if (batch.answers.empty()) {
    return std::nullopt;
  }
  rpc::Outgoing all("[");
  for (std::size_t i = 0; i < batch.answers.size(); ++i) {
    all.add(i == 0 ? "" : ",");
    all.add(batch.answers[i]);
  }
  all.add("]");
  return all;
}

std::optional<rpc::Outgoing> Batches::open(std::vector<rpc::Id> requests,
                                           std::vector<rpc::Outgoing> answered) {
  Batch batch{.requests = std::move(requests), .answers = std::move(answered)};
  if (batch.requests.empty()) {
    return joined(batch);
  }
  for (const rpc::Outgoing& answer : batch.answers) {
    bytes_ += answer.bytes();
  }
  open_.push_back(std::move(batch));
  return std::nullopt;
}

std::optional<rpc::Outgoing> Batches::reply(const rpc::Id& id, std::optional<rpc::Outgoing> reply) {
  const auto batch = std::ranges::find_if(
      open_, [&id](const Batch& open) { return std::ranges::count(open.requests, id) > 0; });
  if (batch == open_.end()) {
    return reply;
  }
  batch->requests.erase(std::ranges::find(batch->requests, id));
  if (reply && bytes_ + reply->bytes() > batch_bytes_max) {
    reply = rpc::failure(id,
                         rpc::error_code::internal_error,
                         "the answers of this batch are too large together; call one by one");
  }
  if (reply) {
    bytes_ += reply->bytes();
    batch->answers.push_back(*std::move(reply));
  }
  if (!batch->requests.empty()) {
    return std::nullopt;
  }
  for (const rpc::Outgoing& answer : batch->answers) {
    bytes_ -= answer.bytes();
  }
  const std::optional<rpc::Outgoing> all = joined(*batch);
  open_.erase(batch);
  return all;
}

}  // namespace pi_mcp::mcp

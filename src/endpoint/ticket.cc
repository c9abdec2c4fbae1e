#include "endpoint/ticket.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "json/document.h"
#include "json/writer.h"
#include "mcp/client_features.h"

namespace pi_mcp::endpoint {
namespace {

constexpr std::string_view purpose = "session 1";  // and the version of what is sealed

using Feature = bool mcp::ClientFeatures::*;
// In the order of their bits.
constexpr std::array<Feature, 8> features = {
    &mcp::ClientFeatures::elicitation_form,
    &mcp::ClientFeatures::elicitation_url,
    &mcp::ClientFeatures::sampling,
    &mcp::ClientFeatures::sampling_tools,
    &mcp::ClientFeatures::sampling_context,
    &mcp::ClientFeatures::roots,
    &mcp::ClientFeatures::roots_list_changed,
    &mcp::ClientFeatures::unattended_sampling,
};
constexpr std::size_t remembered_max = 512;  // in each half of what a reader remembers

constexpr std::uint64_t details_bit = std::uint64_t{1} << features.size();

std::uint64_t bits_of(const mcp::HostInfo& host) {
  std::uint64_t bits = host.wants_details ? details_bit : 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    bits |= std::uint64_t{host.features.*features.at(i)} << i;
  }
  return bits;
}

}  // namespace

std::string seal_ticket(const access::SessionKeys& keys, const Ticket& ticket) {
  json::Writer out;
  out.begin_array()
      .string(ticket.nonce)
      .string(ticket.principal)
      .string(ticket.place)
      .number(ticket.made)
      .string(mcp::name(ticket.host.revision))
      .number(static_cast<std::int64_t>(bits_of(ticket.host)))
      .string(text::cut(ticket.host.name, host_name_bytes_max))
      .string(text::cut(ticket.host.version, host_name_bytes_max))
      .end_array();
  return keys.seal(purpose, out.text());
}

std::optional<Ticket> open_ticket(const access::SessionKeys& keys, std::string_view id) {
  const std::optional<std::string> text = keys.open(purpose, id);
  const Result<json::Document> document =
      text ? json::Document::parse_view(*text)
           : Result<json::Document>(fail(ErrorCode::protocol, ""));
  if (!document) {
    return std::nullopt;
  }
  const json::Value all = document->root();
  const std::optional<mcp::Revision> revision =
      mcp::parse_handshake_revision(all.element(4).string_or(""));
  if (!revision) {
    return std::nullopt;
  }
  Ticket ticket{.nonce = all.element(0).string_or(""),
                .principal = all.element(1).string_or(""),
                .place = all.element(2).string_or(""),
                .made = all.element(3).as_int().value_or(0),
                .host = {}};
  const auto bits = static_cast<std::uint64_t>(all.element(5).as_int().value_or(0));
  ticket.host.name = all.element(6).string_or("");
  ticket.host.version = all.element(7).string_or("");
  ticket.host.revision = *revision;
  ticket.host.wants_details = (bits & details_bit) != 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    ticket.host.features.*features.at(i) = (bits >> i & 1U) != 0;
  }
  return ticket;
}

const Ticket* TicketReader::open(std::string_view id) {
  if (const auto found = newer_.find(id); found != newer_.end()) {
    return &found->second;
  }
  if (newer_.size() >= remembered_max) {
    older_ = std::exchange(newer_, {});
  }
  if (const auto found = older_.find(id); found != older_.end()) {
    return &newer_.insert(older_.extract(found)).position->second;
  }
  std::optional<Ticket> ticket = open_ticket(keys_, id);
  return ticket ? &newer_.emplace(id, *std::move(ticket)).first->second : nullptr;
}

}  // namespace pi_mcp::endpoint

// What somebody has to see before a project's files may be used: for each entry what it runs or
// reaches, and what it takes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace pi_mcp::tool {

// Entries in one question: a dialog has to fit on a screen.
constexpr std::size_t asked_items_max = 10;

// One entry, in words. All texts are fit for a terminal and one line each.
struct TrustItem {
  std::string server;  // empty: what the file says beside its servers
  std::string file;    // relative to the folder
  // "runs: sh ./x.sh", "reaches: https://x", "listens at: /run/x", "sets: outputGuard".
  std::vector<std::string> lines;
};

struct TrustView {
  std::string folder;
  std::vector<TrustItem> items;
};

// `requests` are of one folder.
TrustView trust_view(const std::vector<config::TrustRequest>& requests);

// The view as a text of several lines; with more than `items_max` the rest is counted.
std::string trust_text(const TrustView& view, std::size_t items_max);

// The params of the elicitation/create that asks, JSON: one property `decision`, `trust`, `once` or
// `no`.
std::string trust_question(const TrustView& view);

}  // namespace pi_mcp::tool

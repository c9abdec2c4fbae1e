#include "mcp/client/listing_reader.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "json/document.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

constexpr std::array all_lists = {
    ListKind::tools, ListKind::resources, ListKind::templates, ListKind::prompts};
// For a page of templates, which many servers do not know: one that does not answer such requests
// must not keep its tools waiting.
constexpr Milliseconds templates_quiet_max{5000};
// Before a list is looked at again that could not be read.
constexpr Milliseconds refused_pause{60'000};

std::size_t index(ListKind list) {
  return static_cast<std::size_t>(list);
}

}  // namespace

// When to read.

void ListingReader::start(const ServerDescription& server,
                          const RevisionTraits& traits,
                          std::optional<Era> era,
                          TimePoint now) {
  traits_ = &traits;
  capabilities_ = server.capabilities;
  instructions_ = server.instructions;
  title_ = server.title;
  era_ = std::move(era);
  begin(ListSet().set(), now);
}

void ListingReader::refresh(Waiter waiter, TimePoint now) {
  waiting_.push_back(std::move(waiter));
  wanted_at_ = now;
}

bool ListingReader::look_for_unknown(Waiter waiter, TimePoint now) {
  if (has_ended_ || listing_revision_ == 0) {
    return false;
  }
  const bool will_be_read = changed_.any() || wanted_at_;
  if (reading_ && !will_be_read) {
    reading_->waiting.push_back(std::move(waiter));
    return true;
  }
  if (!will_be_read && now < next_unknown_ && !has_stale(now)) {
    return false;
  }
  if (!will_be_read) {
    next_unknown_ = now + options_.unknown_pause;
    wanted_at_ = now;
  }
  waiting_.push_back(std::move(waiter));
  return true;
}

void ListingReader::on_changed(ListKind list, TimePoint now) {
  changed_.set(index(list));
  said_.tools = said_.tools || list == ListKind::tools;
  said_.prompts = said_.prompts || list == ListKind::prompts;
  if (list == ListKind::resources) {
    said_.resources = true;
    changed_.set(index(ListKind::templates));
  }
  advance(now);
}

void ListingReader::on_all_changed(TimePoint now) {
  changed_.set();
  said_ = {.tools = has(ListKind::tools),
           .prompts = has(ListKind::prompts),
           .resources = has(ListKind::resources)};
  advance(now);
}

void ListingReader::on_time(TimePoint now) {
  advance(now);
}

bool ListingReader::has(ListKind list) const {
  return has_list(capabilities_, list);
}

// Servers of revisions without a time to live tell when a list has changed, and nothing else.
ListingReader::ListSet ListingReader::stale(TimePoint now) const {
  ListSet stale;
  if (traits_ != nullptr && traits_->lists_have_ttl) {
    for (const ListKind list : all_lists) {
      stale.set(index(list), has(list) && now >= fresh_until_.at(index(list)));
    }
  }
  return stale;
}

void ListingReader::note_use(TimePoint now) {
  const ListSet stale_lists = stale(now);
  if (stale_lists.none()) {
    return;
  }
  for (std::size_t list = 0; list < list_count; ++list) {
    if (stale_lists.test(list)) {  // until that is done, or the server refuses
      fresh_until_.at(list) = now + options_.fresh_min;
    }
  }
  changed_ |= stale_lists;
  advance(now);
}

bool ListingReader::may_begin() const {
  return !reading_ && !outcome_ && !has_ended_ && listing_revision_ > 0;
}

TimePoint ListingReader::next_wake() const {
  if (!may_begin()) {
    return TimePoint::max();
  }
  return wanted_at_.value_or(due_.value_or(TimePoint::max()));
}

// Begins the reading that is wanted, now or when it is due.
void ListingReader::advance(TimePoint now) {
  if (!may_begin() || (!wanted_at_ && changed_.none())) {
    return;
  }
  const bool is_wanted = std::exchange(wanted_at_, std::nullopt).has_value();
  if (!is_wanted && !due_) {
    due_ = std::max(now + options_.changed_pause, changes_.next(now));
  }
  if (!is_wanted && now < *due_) {
    return;  // more changes make no difference
  }
  if (due_) {
    (void)changes_.take(*due_);
    due_.reset();
  }
  const ListSet changed = std::exchange(changed_, ListSet());
  begin(is_wanted ? ListSet().set() : changed, now);
}

// Reading.

void ListingReader::begin(ListSet wanted, TimePoint now) {
  reading_.emplace(Reading{.is_first = listing_revision_ == 0,
                           .waiting = std::exchange(waiting_, {}),
                           .deadline = now + options_.times.total_max});
  for (const ListKind list : all_lists) {
    if (wanted.test(index(list)) && has(list)) {
      reading_->fetches.push_back(
          {.list = list,
           .began = now,
           .pager = Pager(
               list, {.bytes = &reading_->bytes, .empty_cursors = traits_->has_empty_cursors})});
    }
  }
  begin_pages(now);
}

// One page of each list, side by side.
void ListingReader::begin_pages(TimePoint now) {
  for (Fetch& fetch : reading_->fetches) {
    const Duration quiet_max = options_.times.quiet_max;
    const bool is_optional = fetch.list == ListKind::templates;
    const rpc::CallTimes times{
        .quiet_max = is_optional ? std::min<Duration>(quiet_max, templates_quiet_max) : quiet_max,
        .total_max = reading_->deadline - now};
    const Result<rpc::CallNumber> sent =
        in_flight_->send({.call = {.method = std::string(list_method(fetch.list)), .times = times},
                          .part = InFlight::Part::list,
                          .of = static_cast<std::int64_t>(fetch.list)},
                         fetch.pager.params(),
                         now);
    if (!sent) {
      return finish(fail(sent.error()));
    }
    fetch.page = *sent;
    ++reading_->under_way;
  }
  if (reading_->fetches.empty()) {
    finish({});
  }
}

void ListingReader::on_page(ListKind list, Result<rpc::Message> answer, TimePoint now) {
  if (!reading_) {
    return;
  }
  const auto fetch = std::ranges::find(reading_->fetches, list, &Fetch::list);
  if (fetch == reading_->fetches.end()) {
    return;
  }
  fetch->more = false;
  fetch->page = 0;
  if (!answer) {
    fetch->error = std::move(answer).error();
  } else if (Result<bool> more = fetch->pager.take(*answer, fetch->listing)) {
    fetch->more = *more;
  } else {
    fetch->error = std::move(more).error().while_doing(list_method(list));
  }
  if (--reading_->under_way == 0) {
    end_pages(now);
  }
}

void ListingReader::end_pages(TimePoint now) {
  std::vector<Fetch>& fetches = reading_->fetches;
  for (Fetch& fetch : fetches) {
    Result<void> kept = fetch.more ? Result<void>() : keep(fetch, now);
    if (!kept) {
      return finish(std::move(kept));
    }
  }
  std::erase_if(fetches, [](const Fetch& fetch) { return !fetch.more; });
  begin_pages(now);
}

Result<void> ListingReader::keep(Fetch& fetch, TimePoint now) {
  if (fetch.error) {
    const bool is_over = has_ended_ || fetch.error->code() == ErrorCode::cancelled;
    if (is_over || fetch.list == ListKind::tools) {
      return fail(*std::move(fetch.error));
    }
    note(log::Level::info, fetch.error->message());
    fresh_until_.at(index(fetch.list)) = now + refused_pause;
    return {};  // what was known of it stays
  }
  if (!fetch.pager.warning().empty()) {
    note(log::Level::warning, fetch.pager.warning());
  }
  const Milliseconds ttl = fetch.listing.caching.value_or(Caching{}).ttl;
  fresh_until_.at(index(fetch.list)) = fetch.began + std::max(ttl, options_.fresh_min);
  lists_.at(index(fetch.list)) = std::move(fetch.listing);
  return {};
}

void ListingReader::finish(Result<void> result) {
  if (result) {
    rebuild();
  } else if (!reading_->is_first && reading_->waiting.empty() && !has_ended_ &&
             !in_flight_->is_given_up()) {
    note(log::Level::warning,
         "its lists changed, but reading them failed: " + result.error().message() +
             "; the old ones stay");
  }
  for (const Fetch& fetch : reading_->fetches) {
    in_flight_->abandon(fetch.page);
  }
  const bool is_told = result && !reading_->is_first;
  outcome_ = Outcome{.result = std::move(result),
                     .waiting = std::move(reading_->waiting),
                     .is_first = reading_->is_first,
                     .said = is_told ? std::exchange(said_, {}) : ChangedLists()};
  reading_.reset();
}

void ListingReader::note(log::Level level, std::string text) {
  outbox_->add(action::Note{.level = level, .text = std::move(text)});
}

// What they gave.

void ListingReader::rebuild() {
  read_header_params();
  read_task_tools();
  ++listing_revision_;
  listing_ = lists_.at(index(ListKind::tools));
  const Listing& resources = lists_.at(index(ListKind::resources));
  const Listing& templates = lists_.at(index(ListKind::templates));
  const Listing& prompts = lists_.at(index(ListKind::prompts));
  listing_.resources = resources.resources;
  listing_.templates = templates.templates;
  listing_.prompts = prompts.prompts;
  for (const Listing* const list : {&resources, &templates, &prompts}) {
    listing_.skipped += list->skipped;
    listing_.notes.insert(listing_.notes.end(), list->notes.begin(), list->notes.end());
  }
  listing_.instructions = instructions_;
  listing_.title = title_;
  listing_.era = era_;
  listing_.caching.reset();
  for (const Listing& list : lists_) {
    if (list.caching && traits_->lists_have_ttl) {
      listing_.caching =
          listing_.caching ? narrower(*listing_.caching, *list.caching) : list.caching;
    }
  }
}

// Tools whose annotations break the rules are left out, as a client has to over HTTP.
void ListingReader::read_header_params() {
  header_params_.clear();
  if (!traits_->repeats_in_headers || !options_.has_headers) {
    return;
  }
  std::erase_if(lists_.at(index(ListKind::tools)).tools, [this](const Tool& tool) {
    if (tool.input_schema.view().find("x-mcp-header") == std::string_view::npos) {
      return false;
    }
    const Result<json::Document> schema = json::Document::parse_view(tool.input_schema.view());
    Result<std::vector<HeaderParam>> params =
        schema ? header_params(schema->root()) : fail(schema.error());
    if (!params) {
      note(log::Level::warning,
           "its tool " + text::printable(tool.name) + " is left out: " + params.error().message());
      return true;
    }
    header_params_[tool.name] = *std::move(params);
    return false;
  });
}

void ListingReader::read_task_tools() {
  task_tools_.clear();
  for (const Tool& tool : lists_.at(index(ListKind::tools)).tools) {
    if (!traits_->makes_tasks || tool.others.view().find("taskSupport") == std::string_view::npos) {
      continue;
    }
    const auto others = json::Document::parse("{" + std::string(tool.others.view()) + "}");
    if (others && others->root().at({"execution", "taskSupport"}).equals("required")) {
      task_tools_.insert(tool.name);
    }
  }
}

bool ListingReader::wants_task(std::string_view method, const SharedText& params) const {
  if (task_tools_.empty() || method != method::tools_call) {
    return false;
  }
  const Result<json::Document> call = json::Document::parse(params);
  return call && task_tools_.contains(call->root().find("name").string_or(""));
}

const std::vector<HeaderParam>& ListingReader::header_params_of(const rpc::Message& request) const {
  static const std::vector<HeaderParam> none;
  const auto found = request.method() == method::tools_call
                         ? header_params_.find(request.params().find("name").string_or(""))
                         : header_params_.end();
  return found == header_params_.end() ? none : found->second;
}

}  // namespace pi_mcp::mcp

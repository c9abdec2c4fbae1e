#include "tool/request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/text.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

template <class T>
using Checked = tl::expected<T, RequestError>;

tl::unexpected<RequestError> refuse(std::string_view code, Message message) {
  return tl::unexpected<RequestError>({.code = code, .message = std::move(message)});
}

// Parameters whose value is a text: those that select a mode, and these two.
constexpr std::string_view server_key = "server";
constexpr std::string_view action_key = "action";
// Of install; not in the schema, where they would cost tokens in every request.
constexpr std::string_view url_key = "url";
constexpr std::string_view target_key = "target";

// The texts of one request by their keys.
class Texts {
 public:
  // False: no such key.
  bool take(json::Value key, json::Value value) {
    for (const ModeRow& row : modes()) {
      if (!row.key.empty() && key.equals(row.key)) {
        return put(row.key, value);
      }
    }
    constexpr std::array others = {action_key, url_key, target_key};
    const auto* const found =
        std::ranges::find_if(others, [key](std::string_view each) { return key.equals(each); });
    return found != others.end() && put(*found, value);
  }
  [[nodiscard]] const std::string* find(std::string_view key) const {
    const auto found = std::ranges::find(texts_, key, &Text::first);
    return found == texts_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::string get(std::string_view key) const {
    const std::string* text = find(key);
    return text == nullptr ? std::string() : *text;
  }

 private:
  bool put(std::string_view key, json::Value value) {
    // The last of two equal keys counts.
    const auto found = std::ranges::find(texts_, key, &Text::first);
    if (found == texts_.end()) {
      texts_.emplace_back(key, value.string_or(""));
    } else {
      found->second = value.string_or("");
    }
    return true;
  }

  using Text = std::pair<std::string_view, std::string>;
  std::vector<Text> texts_;  // each key once
};

tl::unexpected<RequestError> wrong_type(std::string_view name,
                                        std::string_view expected,
                                        json::Value value) {
  return refuse("invalid_parameter",
                "Invalid " + std::string(name) + ": expected " + std::string(expected) + ", got " +
                    std::string(json::kind_name(value.kind())));
}

// Models write true as "true" and 5 as "5" often enough that both count.
Checked<bool> read_bool(std::string_view name, json::Value value) {
  if (const std::optional<bool> plain = value.as_bool()) {
    return *plain;
  }
  if (value.equals("true") || value.equals("false")) {
    return value.equals("true");
  }
  return wrong_type(name, "true or false", value);
}

// Rounded towards zero and raised to `least`.
Checked<std::size_t> read_count(std::string_view name, json::Value value, double least) {
  std::optional<double> number = value.as_double();
  if (const std::optional<std::string> text = value.as_string()) {
    double parsed = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), parsed);
    if (error == std::errc{} && end == text->data() + text->size()) {
      number = parsed;
    }
  }
  if (!number) {
    return wrong_type(name, "a number", value);
  }
  // More entries than any catalog has.
  constexpr double count_max = 1e9;
  return static_cast<std::size_t>(std::clamp(*number, least, count_max));
}

Checked<SharedText> args_from_string(std::string text) {
  if (text::trim(text).empty()) {
    return SharedText();
  }
  const SharedText shared(std::move(text));
  const Result<json::Document> parsed = json::Document::parse(shared);
  if (!parsed) {
    return refuse("invalid_args", "Invalid args JSON: " + parsed.error().message());
  }
  if (!parsed->root().is_object()) {
    return refuse("invalid_args_type",
                  "Invalid args: expected a JSON object, got " +
                      std::string(json::kind_name(parsed->root().kind())));
  }
  return parsed->share(parsed->root());
}

template <class Source>
Checked<SharedText> read_args(const Source& source, json::Value value) {
  if (value.is_string()) {
    return args_from_string(value.string_or(""));
  }
  if (!value.is_object()) {
    return refuse(
        "invalid_args_type",
        "Invalid args: expected a JSON object, got " + std::string(json::kind_name(value.kind())));
  }
  return source.share(value);
}

// What one request is made of while its parameters are read.
struct Reading {
  Texts texts;
  ToolRequest request;
  SharedText arguments;  // given as `arguments`, as tools/call has them, which is taken as `args`
  std::string unknown;   // the first name that is not a parameter; empty: there is none
};

// Stores one parameter; nullopt when it is fine or unknown.
template <class Source>
std::optional<RequestError> read_parameter(const Source& source,
                                           json::Member member,
                                           Reading& reading) {
  const auto store = [](auto checked, auto& field) -> std::optional<RequestError> {
    if (!checked) {
      return std::move(checked.error());
    }
    field = *std::move(checked);
    return std::nullopt;
  };
  const json::Value key = member.key;
  ToolRequest& request = reading.request;
  if (reading.texts.take(key, member.value)) {
    return member.value.is_string()
               ? std::nullopt
               : std::optional(wrong_type(key.string_or(""), "a string", member.value).value());
  }
  if (key.equals("args")) {
    return store(read_args(source, member.value), request.args);
  }
  if (key.equals("arguments")) {
    return store(read_args(source, member.value), reading.arguments);
  }
  if (key.equals("regex")) {
    return store(read_bool("regex", member.value), request.regex);
  }
  if (key.equals("includeSchemas")) {
    return store(read_bool("includeSchemas", member.value), request.include_schemas);
  }
  if (key.equals("limit")) {
    std::optional<RequestError> error = store(read_count("limit", member.value, 0), request.limit);
    // Models that fill in every parameter write 0.
    request.limit = request.limit == 0U ? std::nullopt : request.limit;
    return error;
  }
  if (key.equals("offset")) {
    return store(read_count("offset", member.value, 0), request.offset);
  }
  reading.unknown = reading.unknown.empty() ? key.string_or("") : reading.unknown;
  return std::nullopt;
}

// The parameter that models mean by a name of their own; empty: none is known.
std::string_view meant_by(std::string_view unknown) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array pairs = {Pair("query", "search"),
                                Pair("name", "tool"),
                                Pair("tool_name", "tool"),
                                Pair("toolName", "tool"),
                                Pair("call", "tool"),
                                Pair("list", "server")};
  const auto* const found = std::ranges::find(pairs, unknown, &Pair::first);
  return found == pairs.end() ? std::string_view() : found->second;
}

// A name that is not a parameter is passed over, since hosts may add some, but not one that was
// meant for something: one like a parameter, the only one there is, or an argument of the tool.
std::optional<RequestError> check_unknown(const Reading& reading) {
  const std::string& unknown = reading.unknown;
  if (unknown.empty()) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters()) {
    names.emplace_back(parameter.name);
  }
  const auto found = std::ranges::find_if(names, [&unknown](const std::string& name) {
    return text::edit_distance(text::lower(unknown), text::lower(name)) <= name.size() / 4;
  });
  const Message start = "Unknown parameter " + quoted(unknown);
  if (found != names.end()) {
    return refuse("invalid_parameter", start + ". Did you mean " + quoted(*found) + "?").value();
  }
  const bool selects_little =
      reading.request.mode == Mode::status || reading.request.mode == Mode::list;
  if (const std::string_view meant = meant_by(unknown); selects_little && !meant.empty()) {
    return refuse("invalid_parameter", start + ". Did you mean " + quoted(meant) + "?").value();
  }
  if (reading.request.mode == Mode::status && unknown == "status") {
    return refuse("invalid_parameter", start + ". The status is " + NextStep{}).value();
  }
  if (reading.request.mode == Mode::status) {
    return refuse("invalid_parameter", start + ". There are: " + text::join(names, ", ")).value();
  }
  if (reading.request.mode == Mode::call && reading.request.args.empty()) {
    return refuse("invalid_parameter",
                  start + ". The arguments of a tool go into args: " +
                      NextStep{
                          .mode = Mode::call, .subject = reading.request.subject, .args = "{...}"})
        .value();
  }
  return std::nullopt;
}

// Whether the texts select this mode. The words of a search may be empty.
bool fits(const ModeRow& row, const Texts& texts, std::string_view action) {
  if (row.is_action) {
    return row.name == action;
  }
  const std::string* text = texts.find(row.key);
  return row.key.empty() || (text != nullptr && (!text->empty() || row.subject == Subject::words));
}

std::string action_names() {
  std::vector<std::string> names;
  for (const ModeRow& row : modes()) {
    if (row.is_action) {
      names.emplace_back(row.name);
    }
  }
  const std::string last = names.back();
  names.pop_back();
  return text::join(names, ", ") + " or " + last;
}

// The mode that is selected by a parameter of its own and that `word` means; null: none.
const ModeRow* mode_without_action(std::string_view word) {
  const auto found = std::ranges::find_if(modes(), [word](const ModeRow& row) {
    return !row.is_action && (row.name == word || (!row.key.empty() && row.key == word));
  });
  return found == modes().end() ? nullptr : &*found;
}

// Why this action is none; nullopt: it is one, or there is none.
std::optional<RequestError> check_action(const Texts& texts, const std::string& action) {
  if (const ModeRow* row = mode_without_action(action)) {
    std::string subject = row->key.empty() ? std::string() : texts.get(row->key);
    if (subject.empty() && row->subject == Subject::tool) {
      subject = texts.get(row_of(Mode::call).key);
    }
    const NextStep step{.mode = row->mode,
                        .subject = subject,
                        .server = row->key == server_key ? "" : texts.get(server_key),
                        .args = row->mode == Mode::call ? "{...}" : ""};
    return refuse("invalid_parameter",
                  quoted(action) + " is no action: leave action out, as in " + Message(step))
        .value();
  }
  if (!action.empty() && !mode_of_action(action)) {
    return refuse("invalid_parameter",
                  "Invalid action: expected " + action_names() + ", got " + quoted(action))
        .value();
  }
  return std::nullopt;
}

// Decides what the request is about.
std::optional<RequestError> select_mode(const Texts& texts, ToolRequest& request) {
  const std::string action = texts.get(action_key);
  if (std::optional<RequestError> error = check_action(texts, action)) {
    return error;
  }
  request.url = texts.get(url_key);
  const bool is_install = mode_of_action(action) == Mode::install;
  if (!is_install && (texts.find(url_key) != nullptr || texts.find(target_key) != nullptr)) {
    return refuse("invalid_parameter",
                  "url and target belong to mcp({ action: \"install\", url: \"https://...\" })")
        .value();
  }
  if (const std::string target = texts.get(target_key); !target.empty() && target != "global") {
    return refuse("invalid_target",
                  "target must be \"global\": a server is added to the user's file, and people "
                  "write those of a project into its files themselves")
        .value();
  }
  for (const ModeRow& row : modes()) {
    if (fits(row, texts, action)) {
      request.mode = row.mode;
      const std::string_view key = row.is_action ? server_key : row.key;
      request.subject = key.empty() ? std::string() : texts.get(key);
      request.server = key == server_key ? std::string() : texts.get(server_key);
      break;
    }
  }
  return std::nullopt;
}

bool has_members(const SharedText& object) {
  return text::trim(object.view().substr(std::min<std::size_t>(1, object.size()))).size() > 1;
}

template <class Source>
Checked<ToolRequest> parse(const Source& source, json::Value arguments) {
  Reading reading;
  if (arguments.exists() && !arguments.is_object() && !arguments.is(json::Kind::null)) {
    return wrong_type("arguments", "an object", arguments);
  }
  for (const json::Member member : arguments.members()) {
    if (member.value.is(json::Kind::null)) {
      continue;
    }
    if (std::optional<RequestError> error = read_parameter(source, member, reading)) {
      return tl::unexpected(*std::move(error));
    }
  }
  if (reading.request.args.empty()) {
    reading.request.args = std::move(reading.arguments);
  }
  if (std::optional<RequestError> error = select_mode(reading.texts, reading.request)) {
    return tl::unexpected(*std::move(error));
  }
  if (std::optional<RequestError> error = check_unknown(reading)) {
    return tl::unexpected(*std::move(error));
  }
  if (reading.request.mode == Mode::status && has_members(reading.request.args)) {
    return refuse("invalid_args",
                  "args came without a mode. Parameters of the gateway go to the top level: " +
                      Message(NextStep{.mode = Mode::search}) + " or " +
                      NextStep{.mode = Mode::call, .args = "{}"} + ".");
  }
  return std::move(reading.request);
}

}  // namespace

std::vector<Parameter> parameters() {
  constexpr std::string_view text = R"({"type":"string"})";
  std::vector<Parameter> all;
  for (const ModeRow& row : modes()) {
    if (!row.key.empty()) {
      all.push_back({.name = row.key, .schema = text});
    }
  }
  // An anyOf and no list of types: some model providers refuse a list.
  all.push_back({.name = "args", .schema = R"({"anyOf":[{"type":"object"},{"type":"string"}]})"});
  all.push_back({.name = "regex", .schema = R"({"type":"boolean"})"});
  all.push_back({.name = "includeSchemas", .schema = R"({"type":"boolean"})"});
  all.push_back({.name = "limit", .schema = R"({"type":"integer"})"});
  all.push_back({.name = "offset", .schema = R"({"type":"integer"})"});
  all.push_back({.name = action_key, .schema = text});
  return all;
}

tl::expected<ToolRequest, RequestError> parse_tool_request(const json::Document& document,
                                                           json::Value arguments) {
  return parse(document, arguments);
}

tl::expected<ToolRequest, RequestError> parse_tool_request(const rpc::Message& message,
                                                           json::Value arguments) {
  return parse(message, arguments);
}

}  // namespace pi_mcp::tool

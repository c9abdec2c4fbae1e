#include "config/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/node/node.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// Of a file, and of the JSON in which its aliases are written out: a few lines of aliases of
// aliases would be gigabytes.
constexpr std::size_t yaml_bytes_max = std::size_t{8} << 20U;
// An alias can name what it stands in. yaml-cpp itself stops at 500.
constexpr std::size_t yaml_depth_max = 512;

class TreeBuilder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(YamlNode::Kind::null, mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(YamlNode::Kind::alias, mark, anchor);
  }
  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode& node = add(YamlNode::Kind::scalar, mark, anchor);
    node.plain = tag == "?" || tag == "tag:yaml.org,2002:int" || tag == "tag:yaml.org,2002:float" ||
                 tag == "tag:yaml.org,2002:bool";
    node.text = value;
  }
  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& /*tag*/,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(YamlNode::Kind::list, mark, anchor, style);
  }
  void OnMapStart(const YAML::Mark& mark,
                  const std::string& /*tag*/,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(YamlNode::Kind::map, mark, anchor, style);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapEnd() override { open_.pop_back(); }

  YamlNode take() { return std::move(root_); }

 private:
  YamlNode& add(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    // What is open is the last child of what is open around it, so that its address stays.
    YamlNode& node = open_.empty() ? root_ : open_.back()->children.emplace_back();
    node.kind = kind;
    node.at = static_cast<std::size_t>(std::max(mark.pos, 0));
    node.anchor = anchor;
    return node;
  }
  void open(YamlNode::Kind kind,
            const YAML::Mark& mark,
            YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    YamlNode& node = add(kind, mark, anchor);
    node.flow = style == YAML::EmitterStyle::Flow;
    open_.push_back(&node);
  }

  YamlNode root_;
  std::vector<YamlNode*> open_;
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0o")) {
    base = text[1] == 'x' ? 16 : 8;
    text.remove_prefix(2);
  } else if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  const bool whole = !text.empty() && error == std::errc() && end == text.data() + text.size() &&
                     (base == 10 || text.front() != '-') && (text.front() != '+');
  return whole ? std::optional(value) : std::nullopt;
}

std::optional<double> number_of(std::string_view text) {
  text.remove_prefix(text.starts_with('+') ? 1 : 0);
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool begins = !digits.empty() && (ascii::is_digit(digits[0]) || digits[0] == '.') &&
                      digits.find_first_of("0123456789") != std::string_view::npos;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = begins && error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

class JsonOfYaml {
 public:
  explicit JsonOfYaml(const YamlNode& root) { note_anchors(root); }

  // NOLINTNEXTLINE(misc-no-recursion): depth is limited by yaml_depth_max.
  bool write(const YamlNode& written, std::size_t depth = 0) {
    const YamlNode* const node = resolved(written);
    if (node == nullptr || depth > yaml_depth_max || writer_.text().size() > yaml_bytes_max) {
      return false;
    }
    if (node->kind == YamlNode::Kind::map) {
      return write_map(*node, depth + 1);
    }
    if (node->kind != YamlNode::Kind::list) {
      write_scalar(*node);
      return true;
    }
    writer_.begin_array();
    for (const YamlNode& child : node->children) {
      if (!write(child, depth + 1)) {
        return false;
      }
    }
    writer_.end_array();
    return true;
  }

  std::string take() { return writer_.take(); }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): depth is limited by yaml-cpp.
  void note_anchors(const YamlNode& node) {
    if (node.anchor != 0 && node.kind != YamlNode::Kind::alias) {
      anchors_.emplace(node.anchor, &node);
    }
    for (const YamlNode& child : node.children) {
      note_anchors(child);
    }
  }
  [[nodiscard]] const YamlNode* resolved(const YamlNode& node) const {
    if (node.kind != YamlNode::Kind::alias) {
      return &node;
    }
    const auto found = anchors_.find(node.anchor);
    return found == anchors_.end() ? nullptr : found->second;
  }
  // NOLINTNEXTLINE(misc-no-recursion): depth is limited by yaml_depth_max.
  bool write_map(const YamlNode& map, std::size_t depth) {
    writer_.begin_object();
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      const YamlNode* const key = resolved(map.children[i]);
      if (key == nullptr || key->kind == YamlNode::Kind::list || key->kind == YamlNode::Kind::map) {
        return false;
      }
      writer_.key(key->kind == YamlNode::Kind::null ? "null" : key->text);
      if (!write(map.children[i + 1], depth)) {
        return false;
      }
    }
    writer_.end_object();
    return true;
  }
  void write_scalar(const YamlNode& node) {
    const bool infinite =
        node.plain && is_one_of(text::lower(node.text), {".inf", "-.inf", "+.inf", ".nan"});
    if (node.kind == YamlNode::Kind::null || infinite) {
      writer_.null();
    } else if (node.plain) {
      write_plain(node.text);
    } else {
      writer_.string(node.text);
    }
  }
  void write_plain(const std::string& word) {
    const std::optional<std::int64_t> integer = integer_of(word);
    const std::optional<double> number = number_of(word);
    if (is_one_of(word, {"true", "True", "TRUE", "false", "False", "FALSE"})) {
      writer_.boolean(word.size() == 4);
    } else if (integer) {
      writer_.number(*integer);
    } else if (number) {
      writer_.number(*number);
    } else {
      writer_.string(word);
    }
  }

  json::Writer writer_;
  std::unordered_map<std::size_t, const YamlNode*> anchors_;
};

// What YAML 1.2 section 5.1 forbids; yaml-cpp takes 0x04 for the end of the file.
bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
}

}  // namespace

Result<YamlNode> parse_yaml(std::string_view text) {
  if (text.size() > yaml_bytes_max) {
    return fail(ErrorCode::invalid_argument,
                "the file has " + text::size_text(text.size()) + ", the limit is " +
                    text::size_text(yaml_bytes_max));
  }
  if (!text::is_valid_utf8(text) || has_control_character(text)) {
    return fail(ErrorCode::invalid_argument, "invalid UTF-8 or a control character");
  }
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    TreeBuilder builder;
    TreeBuilder second;
    parser.HandleNextDocument(builder);
    if (parser.HandleNextDocument(second)) {
      return fail(ErrorCode::invalid_argument, "the file has more than one document");
    }
    return builder.take();
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::invalid_argument,
                "line " + std::to_string(error.mark.line + 1) + ", column " +
                    std::to_string(error.mark.column + 1) + ": " + error.msg);
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid_argument, error.what());
  }
}

Result<std::string> yaml_to_json(const YamlNode& root) {
  JsonOfYaml json(root);
  if (!json.write(root)) {
    return fail(ErrorCode::invalid_argument,
                "it has a key that is a list or map, or its aliases make it larger than " +
                    text::size_text(yaml_bytes_max));
  }
  return json.take();
}

Result<std::string> yaml_to_json(std::string_view text) {
  const Result<YamlNode> root = parse_yaml(text);
  return root ? yaml_to_json(*root) : fail(root.error());
}

}  // namespace pi_mcp::config

#include "schema/render.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "schema/schema.h"
#include "schema/view.h"
#include "schema/wording.h"

namespace pi_mcp::schema {
namespace {

// About 8,000 tokens; the largest tools in the field need a fifth of it.
constexpr std::size_t rendered_bytes_max = std::size_t{32} << 10U;
constexpr std::size_t levels_max = 8;
// In the unit of View. Bounds definitions that are referred to again and again.
constexpr std::uint64_t steps_max = 200'000;

constexpr std::size_t name_units_max = 200;
constexpr std::size_t description_units_max = 2000;
constexpr std::size_t value_units_max = 500;
// Enough to see what the values are like; a wrong one is told what is allowed.
constexpr std::size_t enum_units_max = 600;

constexpr std::string_view annotations =
    "minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems "
    "maxItems format pattern default";

// Also true for what can have no members or elements.
bool is_empty(json::Value value) {
  return !(value.members().begin() != value.members().end()) &&
         !(value.elements().begin() != value.elements().end());
}

std::string shown_name(std::string_view name) {
  return shown_word(name, name_units_max);
}

// What stands in the parentheses; empty when nothing is known.
std::string type_text(const View& view) {
  if (const json::Value constant = view.find("const")) {
    return "const " + literal(constant, value_units_max);
  }
  if (const json::Value allowed = view.find("enum"); allowed.is_array()) {
    return "enum: " + literals(to_vector(allowed), enum_units_max);
  }
  std::vector<std::string> types;
  const json::Value type = view.find("type");
  for (const json::Value name : type.is_string() ? std::vector{type} : to_vector(type)) {
    types.push_back(shown_name(name.string_or("")));
  }
  if (!types.empty() && (types.size() > 1 || !types[0].empty())) {
    return text::join(types, " | ");
  }
  if (!view.circle().empty()) {
    return "recursive: " + shown_name(view.circle());
  }
  if (view.find("properties").is_object()) {
    return "object";
  }
  if (view.find("items") || view.find("prefixItems")) {
    return "array";
  }
  return view.dangling().empty() ? "" : "see " + shown_name(view.dangling());
}

std::string annotation_text(const View& view) {
  std::string out;
  for (const std::string_view keyword : text::words(annotations)) {
    if (const json::Value value = view.find(keyword)) {
      out.append(" [").append(keyword).append(": ");
      out += literal(value, value_units_max) + "]";
    }
  }
  return out;
}

const CompileOptions& no_options() {
  static const CompileOptions options;
  return options;
}

constexpr std::string_view the_rest = "... (the rest of the schema is left out)";

std::string line_text(const ParameterLine& line, std::string_view indent) {
  if (line.head == the_rest) {
    return line.head;
  }
  std::string start(indent);
  start.append(2 * line.depth, ' ');
  const std::string below = "\n" + start + "  ";
  return start + line.head +
         (line.description.empty() ? ""
                                   : " - " + text::replace_all(line.description, "\n", below)) +
         line.limits;
}

class Renderer {
 public:
  // `indent`: what will stand before each line.
  Renderer(json::Value schema, std::string_view indent)
      : index_(schema, no_options()), budget_(steps_max), indent_(indent) {}

  std::vector<ParameterLine> run() {
    const View view(index_, index_.root(), {}, budget_);
    add_body(view, 0);
    if (lines_.empty()) {
      const std::string type = type_text(view);
      const bool is_list = view.find("properties").is_object();
      add_line(0,
               is_list        ? "(no parameters)"
               : type.empty() ? "(complex schema)"
                              : "(" + type + ")");
    }
    return std::move(lines_);
  }

  // After run(): those in its lines, with the names of what is around them.
  struct Enumeration {
    std::string name;
    json::Value values;
  };
  [[nodiscard]] const std::vector<Enumeration>& enumerations() const { return enumerations_; }

 private:
  // Once the limit is reached, one last line says so.
  void add_line(std::size_t depth, std::string head, const View* about = nullptr) {
    if (is_full_) {
      return;
    }
    ParameterLine line{.depth = depth, .head = std::move(head), .description = "", .limits = ""};
    if (about != nullptr) {
      line.description = description_text(*about);
      line.limits = annotation_text(*about);
    }
    bytes_ += line_text(line, indent_).size() + 1;
    is_full_ = bytes_ > rendered_bytes_max || budget_.is_spent();
    if (is_full_) {
      line = {.depth = 0, .head = std::string(the_rest), .description = "", .limits = ""};
    }
    lines_.push_back(std::move(line));
  }

  // Everything below a schema's own line.
  void add_body(const View& view, std::size_t depth) {
    if (is_full_) {
      return;
    }
    if (levels_ == levels_max) {
      if (has_body(view)) {
        add_line(depth, "...");
      }
      return;
    }
    ++levels_;
    const std::size_t open_before = open_.size();
    for (const Place& part : view.parts()) {
      open_.push_back(part.schema.raw().data());
    }
    add_properties(view, depth);
    add_items(view, depth);
    for (const std::string_view keyword : {"anyOf", "oneOf"}) {
      add_variants(view, keyword, depth);
    }
    if (!view.is_whole()) {
      add_line(depth, "...");
    }
    open_.resize(open_before);
    --levels_;
  }

  static bool has_body(const View& view) {
    constexpr std::string_view keywords =
        "properties items prefixItems anyOf oneOf additionalProperties patternProperties";
    return std::ranges::any_of(text::words(keywords), [&view](std::string_view keyword) {
      return !is_empty(view.find(keyword));
    });
  }

  void add_properties(const View& view, std::size_t depth) {
    for (const NamedPlace& property : view.properties()) {
      if (is_full_) {
        return;
      }
      add_entry(property, depth);
    }
    if (view.find("properties") || view.find("type").equals("object")) {
      for (const std::string& name : view.only_required()) {
        add_line(depth, shown_name(name) + " *required*");
      }
    }
    for (const Place& part : view.parts()) {
      for (const json::Member member : part.schema.find("patternProperties").members()) {
        add_entry(
            {.name = "/" + member.name() + "/", .place = index_.enter(member.value, part.resource)},
            depth);
      }
    }
    const Place additional = view.find_place("additionalProperties");
    if (additional.schema.is_object() && !is_empty(additional.schema)) {
      add_entry({.name = "*", .place = additional}, depth);
    }
  }

  void add_items(const View& view, std::size_t depth) {
    std::vector<Place> prefix = view.places("prefixItems");
    const Place items = view.find_place("items");
    if (items.schema.is_array()) {
      prefix = view.places("items");
    }
    for (std::size_t i = 0; i < prefix.size() && !is_full_; ++i) {
      add_entry({.name = "item " + std::to_string(i), .place = prefix[i]}, depth);
    }
    if (items.schema.is_object()) {
      add_entry({.name = "items", .place = items}, depth);
    }
  }

  void add_variants(const View& view, std::string_view keyword, std::size_t depth) {
    const std::vector<Place> variants = view.places(keyword);
    if (variants.empty() || is_full_) {
      return;
    }
    add_line(depth, std::string(keyword) + ":");
    for (const Place& variant : variants) {
      if (is_full_) {
        return;
      }
      if (!variant.schema.is_object()) {
        add_line(depth + 1, "- " + literal(variant.schema, value_units_max));
        continue;
      }
      const View inner(index_, variant, open_, budget_);
      add_line(depth + 1, "- " + variant_text(inner), &inner);
      add_body(inner, depth + 2);
    }
  }

  static std::string variant_text(const View& view) {
    const std::string type = type_text(view);
    std::vector<std::string> required = view.required();
    if (type.empty() && !required.empty()) {
      std::ranges::transform(required, required.begin(), shown_name);
      return "requires " + text::cut(text::join(required, ", "), name_units_max);
    }
    return type.empty() ? "schema" : type;
  }

  // One line, and what is below it.
  void add_entry(const NamedPlace& entry, std::size_t depth) {
    std::string line = shown_name(entry.name);
    const std::string_view required = entry.required ? " *required*" : "";
    if (!entry.place.schema.is_object()) {
      add_line(depth, line.append(required));
      return;
    }
    const View view(index_, entry.place, open_, budget_);
    const std::size_t around = path_.size();
    path_ += (around == 0 ? "" : ".") + line;
    if (const json::Value allowed = view.find("enum"); allowed.is_array() && !is_full_) {
      enumerations_.push_back({.name = path_, .values = allowed});
    }
    const std::string type = type_text(view);
    line += type.empty() ? "" : " (" + type + ")";
    line.append(required);
    add_line(depth, std::move(line), &view);
    add_body(view, depth + 1);
    path_.resize(around);
  }

  static std::string description_text(const View& view) {
    const std::string description = view.find("description").string_or("");
    return text::cut(text::printable(text::trim(description)), description_units_max);
  }

  Index index_;
  WorkBudget budget_;
  std::string_view indent_;
  std::vector<ParameterLine> lines_;
  std::size_t bytes_ = 0;
  bool is_full_ = false;
  std::size_t levels_ = 0;
  OpenSchemas open_;
  std::string path_;  // names of the entry that is added and of those around it
  std::vector<Enumeration> enumerations_;
};

class WordReader {
 public:
  explicit WordReader(json::Value schema) : index_(schema, no_options()), budget_(steps_max) {}

  std::vector<ParameterWords> run() && {
    read(View(index_, index_.root(), {}, budget_), "", true);
    return std::move(words_);
  }

 private:
  static constexpr std::size_t words_max = 64;
  static constexpr std::size_t word_levels_max = 3;

  void read(const View& view, const std::string& around, bool required) {
    if (levels_ == word_levels_max) {
      return;
    }
    ++levels_;
    const std::size_t open_before = open_.size();
    for (const Place& part : view.parts()) {
      open_.push_back(part.schema.raw().data());
    }
    for (const NamedPlace& property : view.properties()) {
      if (words_.size() < words_max && !budget_.is_spent() && property.place.schema.is_object()) {
        read(property, around + shown_name(property.name), required && property.required);
      }
    }
    open_.resize(open_before);
    --levels_;
  }

  void read(const NamedPlace& property, const std::string& name, bool required) {
    const View view(index_, property.place, open_, budget_);
    std::string description = text::printable(view.find("description").string_or(""));
    const json::Value format = view.find("format");
    if (format.is_string()) {
      description += (description.empty() ? "[format: " : " [format: ") +
                     literal(format, value_units_max) + "]";
    }
    if (!description.empty()) {
      words_.push_back({.name = name,
                        .description = std::move(description),
                        .required = required,
                        .has_format = format.is_string() || view.find("pattern")});
    }
    read(view, name + ".", required);
    if (const Place items = view.find_place("items"); items.schema.is_object()) {
      read(View(index_, items, open_, budget_), name + "[].", required);
    }
  }

  Index index_;
  WorkBudget budget_;
  std::vector<ParameterWords> words_;
  std::size_t levels_ = 0;
  OpenSchemas open_;
};

std::vector<ParameterLine> lines_of(json::Value schema, std::string_view indent) {
  if (schema.is_object()) {
    return Renderer(schema, indent).run();
  }
  return {{.depth = 0, .head = "(no schema)", .description = "", .limits = ""}};
}

}  // namespace

std::vector<ParameterWords> parameter_words(json::Value schema) {
  return schema.is_object() ? WordReader(schema).run() : std::vector<ParameterWords>();
}

std::vector<ParameterLine> parameter_lines(json::Value schema) {
  return lines_of(schema, "");
}

std::vector<LongEnumeration> long_enumerations(json::Value schema) {
  std::vector<LongEnumeration> found;
  if (!schema.is_object()) {
    return found;
  }
  Renderer renderer(schema, "");
  renderer.run();
  for (const Renderer::Enumeration& enumeration : renderer.enumerations()) {
    std::string values = literals(to_vector(enumeration.values), rendered_bytes_max);
    if (text::utf16_length(values) > enum_units_max) {
      found.push_back({.name = enumeration.name, .values = std::move(values)});
    }
  }
  return found;
}

std::string render_parameters(json::Value schema, std::string_view indent) {
  std::vector<std::string> lines;
  for (const ParameterLine& line : lines_of(schema, indent)) {
    lines.push_back(line_text(line, indent));
  }
  return text::join(lines, "\n");
}

}  // namespace pi_mcp::schema

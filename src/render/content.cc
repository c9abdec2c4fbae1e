#include "render/content.h"

#include <optional>

#include "base/base64.h"
#include "base/text.h"
#include "json/writer.h"
#include "schema/equality.h"

namespace pi_mcp::render {
namespace {

// Most steps to find out whether a text repeats the structured content; a repeated megabyte takes
// about that many.
constexpr std::uint64_t compare_steps_max = 2'000'000;

struct FileType {
  std::string_view mime_type;
  std::string_view extension;
};

constexpr FileType file_types[] = {
    {.mime_type = "image/png", .extension = "png"},
    {.mime_type = "image/jpeg", .extension = "jpg"},
    {.mime_type = "image/gif", .extension = "gif"},
    {.mime_type = "image/webp", .extension = "webp"},
    {.mime_type = "image/svg+xml", .extension = "svg"},
    {.mime_type = "audio/wav", .extension = "wav"},
    {.mime_type = "audio/mpeg", .extension = "mp3"},
    {.mime_type = "audio/ogg", .extension = "ogg"},
    {.mime_type = "application/pdf", .extension = "pdf"},
    {.mime_type = "application/zip", .extension = "zip"},
};

std::string_view extension_of(std::string_view mime_type) {
  for (const FileType& type : file_types) {
    if (type.mime_type == mime_type) {
      return type.extension;
    }
  }
  return "bin";
}

// Where it was saved, or why it was not.
struct SavedMedia {
  Result<std::string> path;
  std::size_t bytes = 0;
};

SavedMedia save_base64(json::Value data,
                       std::string_view mime_type,
                       const SaveOutput& save_output) {
  const std::optional<std::string> bytes = base64_decoded(data.string_or(""));
  if (!bytes) {
    return {.path = fail(ErrorCode::protocol, "its data is not base64"), .bytes = 0};
  }
  return {.path = save_output(extension_of(mime_type), *bytes), .bytes = bytes->size()};
}

// As a server says it, in a note of ours: one short line.
std::string shown_type(std::string_view mime_type) {
  constexpr std::size_t characters_max = 100;
  return text::shortened(text::printable_line(mime_type), characters_max);
}

std::string media_note(std::string_view what, std::string_view mime_type, const SavedMedia& saved) {
  std::string note = "[" + std::string(what) + " (" + shown_type(mime_type);
  note += saved.bytes == 0 ? std::string() : ", " + text::size_text(saved.bytes);
  note += saved.path ? ") saved to " + *saved.path : ") left out: " + saved.path.error().message();
  return note + "]";
}

std::string resource_label(json::Value resource) {
  return "[Resource: " + text::printable_line(resource.find("uri").string_or("(no URI)")) + "]\n";
}

std::string saved_resource_text(json::Value resource, const SavedMedia& saved) {
  const std::string mime =
      shown_type(resource.find("mimeType").string_or("application/octet-stream"));
  if (!saved.path) {
    return resource_label(resource) + "Binary content left out: " + saved.path.error().message() +
           "\nMIME type: " + mime;
  }
  return resource_label(resource) + "Binary content saved to " + *saved.path +
         "\nMIME type: " + mime;
}

// Makes the blocks of one result; counts its media.
class BlockMaker {
 public:
  BlockMaker(const RawObject& result, const MediaLimits& limits, const SaveOutput& save_output)
      : result_(result), limits_(limits), save_output_(save_output) {}

  Block for_mcp(json::Value item) {
    const json::Value type = item.find("type");
    if (is_broken(item)) {
      return broken(item);
    }
    if (type.equals("text")) {
      return {.text = result_.share_text(item.find("text")), .json = result_.share(item)};
    }
    if (type.equals("image")) {
      return media(item, item.find("data"), "Image");
    }
    if (type.equals("audio")) {
      return media(item, item.find("data"), "Audio");
    }
    if (type.equals("resource")) {
      return embedded(item);
    }
    if (type.equals("resource_link")) {
      return {.text = {}, .json = result_.share(item)};
    }
    return {.text = result_.share(item), .json = result_.share(item)};
  }

  Block for_pi(json::Value item) {
    const json::Value type = item.find("type");
    if (type.equals("text")) {
      return {.text = result_.share_text(item.find("text")), .json = {}};
    }
    if (type.equals("image")) {
      return pi_image(item);
    }
    if (type.equals("resource")) {
      return pi_resource(item.find("resource"));
    }
    if (type.equals("resource_link")) {
      const json::Value uri = item.find("uri");
      return Block::of_text(
          "[Resource Link: " +
          text::printable_line(item.find("name").string_or(uri.string_or("unknown"))) +
          "]\nURI: " + text::printable_line(uri.string_or("(no URI)")));
    }
    if (type.equals("audio")) {
      return Block::of_text(
          "[Audio content: " + shown_type(item.find("mimeType").string_or("audio/*")) + "]");
    }
    return Block::of_text(std::string(item.raw()));
  }

  // One entry of the contents of resources/read.
  Block of_resource(json::Value content, HostKind host) {
    if (content.find("text").is_string()) {
      return {.text = result_.share_text(content.find("text")), .json = {}};
    }
    if (!content.find("blob").is_string()) {
      return Block::of_text(std::string(content.raw()));
    }
    if (host == HostKind::pi || is_over(content.find("blob"))) {
      return saved_resource(content);
    }
    return {
        .text = {},
        .json = SharedText(R"({"type":"resource","resource":)" + std::string(content.raw()) + "}")};
  }

 private:
  // Counts the data when it fits.
  bool is_over(json::Value data) {
    const std::size_t bytes = data.raw().size();
    const bool over = bytes > limits_.one_max || media_total_ + bytes > limits_.total_max;
    media_total_ += over ? 0 : bytes;
    return over;
  }

  // The base64 of a picture without its kind is no text for a model.
  Block broken(json::Value item) {
    const bool is_audio = item.find("type").equals("audio");
    const bool is_media = is_audio || item.find("type").equals("image");
    return is_media && item.find("data").is_string()
               ? saved_media(item, is_audio ? "Audio" : "Image")
               : Block::of_text(item.string_or(item.raw()));
  }

  Block media(json::Value item, json::Value data, std::string_view what) {
    return is_over(data) ? saved_media(item, what) : Block{.text = {}, .json = result_.share(item)};
  }

  Block saved_media(json::Value item, std::string_view what) {
    const std::string mime = item.find("mimeType").string_or("unknown type");
    return Block::of_text(
        media_note(what, mime, save_base64(item.find("data"), mime, save_output_)));
  }

  Block saved_resource(json::Value resource) {
    const std::string mime = resource.find("mimeType").string_or("");
    return Block::of_text(
        saved_resource_text(resource, save_base64(resource.find("blob"), mime, save_output_)));
  }

  Block embedded(json::Value item) {
    const json::Value resource = item.find("resource");
    if (resource.find("text").is_string()) {
      return {.text = SharedText(resource_label(resource) + resource.find("text").string_or("")),
              .json = result_.share(item)};
    }
    if (is_over(resource.find("blob"))) {
      return saved_resource(resource);
    }
    return {.text = {}, .json = result_.share(item)};
  }

  Block pi_image(json::Value item) {
    if (is_over(item.find("data"))) {
      const std::string mime = item.find("mimeType").string_or("image/png");
      return Block::of_text(
          media_note("Image", mime, save_base64(item.find("data"), mime, save_output_)));
    }
    json::Writer image;
    image.begin_object().member("type", "image").key("data");
    image.raw(item.find("data").is_string() ? item.find("data").raw() : R"("")");
    image.member("mimeType", item.find("mimeType").string_or("image/png")).end_object();
    return {.text = {}, .json = SharedText(image.take())};
  }

  Block pi_resource(json::Value resource) {
    if (resource.find("text").is_string()) {
      return Block::of_text(resource_label(resource) + resource.find("text").string_or(""));
    }
    if (resource.find("blob").is_string()) {
      return saved_resource(resource);
    }
    return Block::of_text(resource_label(resource) +
                          (resource.exists() ? std::string(resource.raw()) : "(no content)"));
  }

  const RawObject& result_;
  const MediaLimits& limits_;
  const SaveOutput& save_output_;
  std::size_t media_total_ = 0;
};

// The text is this JSON value, or for a string its plain text, but for space around them.
bool text_says(std::string_view text, json::Value value) {
  if (value.is_string() &&
      (value.equals(text) || text::trim(value.string_or("")) == text::trim(text))) {
    return true;
  }
  const Result<json::Document> parsed = json::Document::parse_view(text);
  if (!parsed) {
    return false;
  }
  schema::WorkBudget budget(compare_steps_max);
  return schema::equal(parsed->root(), value, budget);
}

// The one member of an object that says something beside its name; null and true say nothing more.
// Not there: several do, or none.
json::Value only_word(json::Value structured) {
  json::Value word;
  for (const json::Member member : structured.members()) {
    const bool is_flag =
        structured.size() > 1 && (member.value.is(json::Kind::null) || member.value.bool_or(false));
    if (!is_flag && word) {
      return {};
    }
    word = is_flag ? word : member.value;
  }
  return word;
}

std::vector<std::string_view> texts_of(const std::vector<Block>& blocks) {
  std::vector<std::string_view> texts;
  for (const Block& block : blocks) {
    if (block.is_text()) {
      texts.push_back(block.text.view());
    }
  }
  return texts;
}

void mark_as_error(std::vector<Block>& blocks) {
  for (Block& block : blocks) {
    if (block.is_text()) {
      block = Block::of_text("Error: " + std::string(block.text.view()));
      return;
    }
  }
  blocks.insert(blocks.begin(), Block::of_text("Error: Tool execution failed"));
}

}  // namespace

SharedText RawObject::share(json::Value part) const {
  return raw.sub(part.offset() - root.offset(), part.raw().size());
}

SharedText RawObject::share_text(json::Value string) const {
  if (!string.is_string()) {
    return {};
  }
  if (string.raw().find('\\') != std::string_view::npos) {
    return SharedText(string.string_or(""));
  }
  return share(string).sub(1, string.raw().size() - 2);
}

bool is_broken(json::Value block) {
  const auto lacks = [](json::Value in, std::string_view member) {
    return !in.find(member).is_string();
  };
  const json::Value type = block.find("type");
  if (type.equals("text")) {
    return lacks(block, "text");
  }
  if (type.equals("image") || type.equals("audio")) {
    return lacks(block, "data") || lacks(block, "mimeType");
  }
  if (type.equals("resource_link")) {
    return lacks(block, "uri") || lacks(block, "name");
  }
  if (type.equals("resource")) {
    const json::Value resource = block.find("resource");
    return lacks(resource, "uri") || (lacks(resource, "text") && lacks(resource, "blob"));
  }
  return !type.is_string();
}

Block Block::of_text(std::string text) {
  return {.text = SharedText(std::move(text)), .json = {}};
}

std::vector<Block> result_blocks(const RawObject& result,
                                 HostKind host,
                                 const MediaLimits& limits,
                                 const SaveOutput& save_output) {
  std::vector<Block> blocks;
  BlockMaker maker(result, limits, save_output);
  const json::Value content = result.root.find("content");
  for (const json::Value item : content.elements()) {
    blocks.push_back(host == HostKind::pi ? maker.for_pi(item) : maker.for_mcp(item));
  }
  // Some servers answer with a text where MCP wants a list of blocks: then that is the result.
  if (content.exists() && !content.is_array() && !content.is(json::Kind::null)) {
    blocks.push_back(Block::of_text(content.string_or(json::compact(content))));
  }
  const json::Value structured = result.root.find("structuredContent");
  const bool has_structured = structured.exists() && !structured.is(json::Kind::null);
  const bool failed = result.root.find("isError").bool_or(false);
  if (has_structured &&
      (blocks.empty() || (host == HostKind::pi && !is_shown(structured, blocks)))) {
    blocks.push_back(Block::of_text(json::compact(structured)));
  }
  if (blocks.empty() && (!failed || host != HostKind::pi)) {
    blocks.push_back(Block::of_text(failed ? "Tool execution failed" : "(empty result)"));
  }
  if (failed && host == HostKind::pi) {
    mark_as_error(blocks);
  }
  return blocks;
}

std::vector<Block> resource_blocks(const RawObject& result,
                                   HostKind host,
                                   const MediaLimits& limits,
                                   const SaveOutput& save_output) {
  std::vector<Block> blocks;
  BlockMaker maker(result, limits, save_output);
  for (const json::Value content : result.root.find("contents").elements()) {
    blocks.push_back(maker.of_resource(content, host));
  }
  if (blocks.empty()) {
    blocks.push_back(Block::of_text("(empty resource)"));
  }
  return blocks;
}

bool is_shown(json::Value structured, const std::vector<Block>& blocks) {
  const std::vector<std::string_view> texts = texts_of(blocks);
  for (const std::string_view text : texts) {
    if (text_says(text, structured)) {
      return true;
    }
  }
  // Python servers wrap x as {"result": x} unless it is an object, and write x or its elements as
  // texts.
  const json::Value wrapped = only_word(structured);
  if (!wrapped) {
    return false;
  }
  if (texts.size() == 1 && text_says(texts.front(), wrapped)) {
    return true;
  }
  if (!wrapped.is_array() || wrapped.size() != texts.size()) {
    return false;
  }
  auto text = texts.begin();
  for (const json::Value element : wrapped.elements()) {
    if (!text_says(*text, element)) {
      return false;
    }
    ++text;
  }
  return true;
}

std::string content_json(const std::vector<Block>& blocks) {
  json::Writer content;
  content.begin_array();
  for (const Block& block : blocks) {
    if (!block.json.empty()) {
      content.raw(block.json.view());
    } else {
      content.begin_object().member("type", "text").member("text", block.text.view()).end_object();
    }
  }
  content.end_array();
  return content.take();
}

}  // namespace pi_mcp::render

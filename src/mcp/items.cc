#include "mcp/items.h"

#include <algorithm>
#include <array>
#include <utility>

#include "mcp/own_meta.h"

namespace pi_mcp::mcp {
namespace {

// False for one that is specified and not as it has to be: hosts refuse the whole list because of
// it.
bool is_sound(json::Member member) {
  using json::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 7> kinds = {{
      {"_meta", Kind::object},
      {"annotations", Kind::object},
      {"execution", Kind::object},
      {"icons", Kind::array},
      {"outputSchema", Kind::object},
      {"size", Kind::number},
      {"title", Kind::string},
  }};
  return std::ranges::none_of(kinds, [member](const auto& known) {
    return member.key.equals(known.first) && !member.value.is(known.second);
  });
}

// Collects the members that have no field, without what only we write. White space is left out, so
// that what comes from a server and what the cache kept of it are the same text.
class Others {
 public:
  void add(json::Member member) {
    if (!is_sound(member)) {
      return;
    }
    if (member.key.equals("_meta")) {
      out_.key("_meta").begin_object();
      for (const json::Member inner : member.value.members()) {
        if (!inner.name().starts_with(own_meta_prefix)) {
          out_.member_raw(inner.name(), json::compact(inner.value));
        }
      }
      out_.end_object();
    } else {
      out_.member_raw(member.name(), json::compact(member.value));
    }
    any_ = true;
  }
  SharedText take() { return any_ ? SharedText(out_.take()) : SharedText(); }

 private:
  json::Writer out_;  // of members without the object around them
  bool any_ = false;
};

// What `fields` of an item are read into; the members that none of them has are the others.
struct Field {
  std::string_view key;
  std::string* into = nullptr;
};

SharedText read_fields(json::Value item, std::initializer_list<Field> fields) {
  Others others;
  for (const json::Member member : item.members()) {
    const Field* found = nullptr;
    for (const Field& field : fields) {
      found = member.key.equals(field.key) ? &field : found;
    }
    if (found == nullptr) {
      others.add(member);
    } else if (found->into != nullptr) {
      *found->into = member.value.string_or("");
    }
  }
  return others.take();
}

Resource read_resource(json::Value item, std::string_view uri_key) {
  Resource resource;
  resource.others = read_fields(item,
                                {{.key = uri_key, .into = &resource.uri},
                                 {.key = "name", .into = &resource.name},
                                 {.key = "title", .into = &resource.title},
                                 {.key = "description", .into = &resource.description},
                                 {.key = "mimeType", .into = &resource.mime_type}});
  return resource;
}

void write_text(json::Writer& out, std::string_view key, const std::string& text) {
  if (!text.empty()) {
    out.member(key, text);
  }
}

void write_resource(json::Writer& out, const Resource& resource, std::string_view uri_key) {
  out.begin_object().member(uri_key, resource.uri).member("name", resource.name);
  write_text(out, "title", resource.title);
  write_text(out, "description", resource.description);
  write_text(out, "mimeType", resource.mime_type);
  write_others(out, resource.others);
  out.end_object();
}

}  // namespace

template <class Source>
Tool read_tool(const Source& source, json::Value item) {
  const auto object = [&source](json::Value value) {
    return value.is_object() ? source.share(value) : SharedText();
  };
  Tool tool;
  Others others;
  for (const json::Member member : item.members()) {
    if (member.key.equals("name")) {
      tool.name = member.value.string_or("");
    } else if (member.key.equals("title")) {
      tool.title = member.value.string_or("");
    } else if (member.key.equals("description")) {
      tool.description = member.value.string_or("");
    } else if (member.key.equals("inputSchema")) {
      tool.input_schema = object(member.value);
    } else if (member.key.equals("annotations")) {
      tool.annotations = object(member.value);
    } else {
      others.add(member);
    }
  }
  tool.others = others.take();
  return tool;
}
template Tool read_tool(const json::Document& source, json::Value item);
template Tool read_tool(const rpc::Message& source, json::Value item);

Resource read_resource(json::Value item) {
  return read_resource(item, "uri");
}

Resource read_template(json::Value item) {
  return read_resource(item, "uriTemplate");
}

Prompt read_prompt(json::Value item) {
  Prompt prompt;
  prompt.others = read_fields(item,
                              {{.key = "name", .into = &prompt.name},
                               {.key = "title", .into = &prompt.title},
                               {.key = "description", .into = &prompt.description},
                               {.key = "arguments"}});
  for (const json::Value given : item.find("arguments").elements()) {
    PromptArgument argument;
    argument.others = read_fields(given,
                                  {{.key = "name", .into = &argument.name},
                                   {.key = "description", .into = &argument.description},
                                   {.key = "required"}});
    argument.required = given.find("required").bool_or(false);
    if (!argument.name.empty()) {
      prompt.arguments.push_back(std::move(argument));
    }
  }
  return prompt;
}

void write_resource(json::Writer& out, const Resource& resource) {
  write_resource(out, resource, "uri");
}

void write_template(json::Writer& out, const Resource& resource) {
  write_resource(out, resource, "uriTemplate");
}

void write_prompt(json::Writer& out, const Prompt& prompt) {
  out.begin_object().member("name", prompt.name);
  write_text(out, "title", prompt.title);
  write_text(out, "description", prompt.description);
  if (!prompt.arguments.empty()) {
    out.key("arguments").begin_array();
    for (const PromptArgument& argument : prompt.arguments) {
      out.begin_object().member("name", argument.name);
      write_text(out, "description", argument.description);
      if (argument.required) {
        out.member("required", true);
      }
      write_others(out, argument.others);
      out.end_object();
    }
    out.end_array();
  }
  write_others(out, prompt.others);
  out.end_object();
}

void write_others(json::Writer& out, const SharedText& others) {
  if (!others.empty()) {
    out.raw(others.view());
  }
}

}  // namespace pi_mcp::mcp

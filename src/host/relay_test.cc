// What of a server's result reaches the host, as the reply of a tools/call.
#include "render/relay.h"

#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "host/result_writer.h"
#include "json/writer.h"

namespace pi_mcp::host {
namespace {

// Relays one result and remembers the files that would have been written.
class Relay : public testing::Test {
 protected:
  render::SaveOutput save_output() {
    return [this](std::string_view extension, std::string_view bytes) -> Result<std::string> {
      if (disk_full) {
        return fail(ErrorCode::io, "no space left");
      }
      std::string path =
          "/tmp/out-" + std::to_string(files.size() + 1) + "." + std::string(extension);
      files[path] = std::string(bytes);
      return path;
    };
  }

  render::RawObject parse(std::string text) {
    const SharedText raw(std::move(text));
    documents.push_back(json::Document::parse(raw).value());
    return {.raw = raw, .root = documents.back().root()};
  }

  render::Relayed relay(std::string text, render::HostKind host) {
    return render::relay_result(parse(std::move(text)), host, limits, save_output());
  }

  std::string for_mcp(std::string text) {
    return std::string(relay(std::move(text), render::HostKind::mcp).result.view());
  }
  std::string for_pi(std::string text) {
    return std::string(relay(std::move(text), render::HostKind::pi).result.view());
  }
  // The text of the one block that Pi gets for this content item.
  std::string pi_text(const std::string& item) {
    const render::RawObject result = parse(for_pi(R"({"content":[)" + item + "]}"));
    EXPECT_EQ(result.root.find("content").size(), 1U);
    return result.root.find("content").element(0).find("text").string_or("(no text)");
  }
  std::string resource(std::string text,
                       render::HostKind host,
                       render::ResourceAs as = render::ResourceAs::text) {
    return std::string(
        render::relay_resource(
            parse(std::move(text)), as, {.host = host, .limits = limits}, save_output())
            .result.view());
  }
  std::string only_file() {
    EXPECT_EQ(files.size(), 1U);
    return files.empty() ? "" : files.begin()->second;
  }

  render::RelayLimits limits;
  bool disk_full = false;
  std::map<std::string, std::string> files;
  std::vector<json::Document> documents;
};

std::string text_result(std::string_view text) {
  return R"({"content":[{"type":"text","text":)" + json::quoted(text) + "}]}";
}

std::string lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) {
    text += "line " + std::to_string(i) + "\n";
  }
  return text;
}

using CompatContent = Relay;
using OutputGuard = Relay;

TEST_F(Relay, passes_every_content_type_of_mcp_with_the_bytes_that_arrived) {
  const std::string result =
      R"({ "content" : [{"type":"text","text":"a","annotations":{"priority":1.0}},)"
      R"({"type":"image","data":"AA==","mimeType":"image/png"},{"type":"audio","data":"AA==",)"
      R"("mimeType":"audio/wav"},{"type":"resource","resource":{"uri":"a:b","text":"t"}},)"
      R"({"type":"resource_link","uri":"a:b","name":"n"},{"type":"later","x":[1]}],)"
      R"("structuredContent":{"z":1,"a":2},"isError":true,"other":null})";
  EXPECT_EQ(for_mcp(result), result);
  EXPECT_TRUE(files.empty());
}

TEST_F(Relay, passes_text_and_images_to_pi_with_the_bytes_that_arrived) {
  const std::string result = R"({"content":[{"type":"text","text":"a"},)"
                             R"({"type":"image","data":"AA==","mimeType":"image/png"}]})";
  EXPECT_EQ(for_pi(result), result);
}

TEST_F(CompatContent, row_36_empty_results) {
  const std::string empty = R"x({"content":[{"type":"text","text":"(empty result)"}]})x";
  EXPECT_EQ(for_mcp(R"({"content":[]})"), empty);
  EXPECT_EQ(for_pi(R"({"content":[]})"), empty);
  EXPECT_EQ(for_mcp("{}"), empty);
  EXPECT_EQ(resource(R"({"contents":[]})", render::HostKind::mcp),
            R"x({"content":[{"type":"text","text":"(empty resource)"}]})x");
}

TEST_F(Relay, content_that_is_no_list_of_blocks_is_not_lost) {
  EXPECT_EQ(for_mcp(R"({"content":"done"})"), R"({"content":[{"type":"text","text":"done"}]})");
  EXPECT_EQ(for_pi(R"({"content":{"n": 1}})"),
            R"x({"content":[{"type":"text","text":"{\"n\":1}"}]})x");
}

TEST_F(Relay, a_block_that_hosts_would_refuse_the_result_for_is_a_text) {
  for (const std::string block : {
           R"({"type":"text"})",
           R"({"type":"text","text":null,"data":"AA=="})",
           R"({"type":"image","mimeType":"image/png"})",
           R"({"type":"resource_link","uri":"a:b"})",
           R"({"type":"resource","resource":{"uri":"a:b"}})",
           R"({"type":"resource","text":"t"})",
           R"({"text":"t"})",
           R"(7)",
       }) {
    EXPECT_EQ(for_mcp(R"({"content":[{"type":"text","text":"a"},)" + block + "],\"n\":1}"),
              R"({"content":[{"type":"text","text":"a"},{"type":"text","text":)" +
                  json::quoted(block) + "}],\"n\":1}");
  }
  EXPECT_EQ(for_mcp(R"({"content":["done"]})"), R"({"content":[{"type":"text","text":"done"}]})");
}

TEST_F(Relay, a_kind_in_a_note_is_one_short_line) {
  limits.media.one_max = 1;
  EXPECT_EQ(for_mcp(R"({"content":[{"type":"image","data":"Zm9v","mimeType":"text/x\n\n)"
                    R"(mcp\u001b[31m"}]})"),
            R"({"content":[{"type":"text","text":"[Image (text/x  mcp, 3B) saved to )"
            R"(/tmp/out-1.bin]"}]})");
  EXPECT_LT(for_mcp(R"({"content":[{"type":"image","data":"Zm9v","mimeType":")" +
                    std::string(5000, 'x') + R"("}]})")
                .size(),
            300U);
}

TEST_F(Relay, a_picture_without_its_kind_goes_to_a_file) {
  EXPECT_EQ(for_mcp(R"({"content":[{"type":"image","data":"Zm9v"}]})"),
            R"({"content":[{"type":"text","text":"[Image (unknown type, 3B) saved to )"
            R"(/tmp/out-1.bin]"}]})");
  EXPECT_EQ(only_file(), "foo");
}

TEST_F(CompatContent, row_37_images_reach_the_host) {
  const std::string image = R"({"type":"image","data":"AA==","mimeType":"image/webp"})";
  EXPECT_EQ(for_pi(R"({"content":[{"type":"image","data":"AA==","mimeType":"image/webp",)"
                   R"("annotations":{}},{"type":"audio"}]})")
                .substr(0, 12 + image.size()),
            R"({"content":[)" + image);
  EXPECT_EQ(for_pi(R"({"content":[{"type":"image"}]})"),
            R"({"content":[{"type":"image","data":"","mimeType":"image/png"}]})");
}

TEST_F(CompatContent, row_38_links_audio_and_resources_become_text_for_pi) {
  EXPECT_EQ(pi_text(R"({"type":"resource","resource":{"uri":"demo://r","text":"body"}})"),
            "[Resource: demo://r]\nbody");
  EXPECT_EQ(pi_text(R"({"type":"resource","resource":{"text":"body"}})"),
            "[Resource: (no URI)]\nbody");
  EXPECT_EQ(pi_text(R"({"type":"resource","resource":{"uri":"demo://r"}})"),
            "[Resource: demo://r]\n{\"uri\":\"demo://r\"}");
  EXPECT_EQ(pi_text(R"({"type":"resource"})"), "[Resource: (no URI)]\n(no content)");
  EXPECT_EQ(pi_text(R"({"type":"resource_link","name":"n","uri":"u:x"})"),
            "[Resource Link: n]\nURI: u:x");
  EXPECT_EQ(pi_text(R"({"type":"resource_link","uri":"u:x"})"), "[Resource Link: u:x]\nURI: u:x");
  EXPECT_EQ(pi_text(R"({"type":"resource_link"})"), "[Resource Link: unknown]\nURI: (no URI)");
  EXPECT_EQ(pi_text(R"({"type":"audio","mimeType":"audio/wav"})"), "[Audio content: audio/wav]");
  EXPECT_EQ(pi_text(R"({"type":"audio"})"), "[Audio content: audio/*]");
  EXPECT_EQ(pi_text(R"({"type":"later","x":1})"), R"({"type":"later","x":1})");
  EXPECT_EQ(pi_text(R"({"type":"text"})"), "");
}

TEST_F(CompatContent, row_38_binary_resources_become_files_for_pi) {
  EXPECT_EQ(pi_text(R"({"type":"resource","resource":{"uri":"demo://b","blob":"Zm9v",)"
                    R"("mimeType":"image/png"}})"),
            "[Resource: demo://b]\nBinary content saved to /tmp/out-1.png\nMIME type: image/png");
  EXPECT_EQ(only_file(), "foo");
  EXPECT_EQ(pi_text(R"({"type":"resource","resource":{"uri":"demo://b","blob":"?"}})"),
            "[Resource: demo://b]\nBinary content left out: its data is not base64\n"
            "MIME type: application/octet-stream");
}

TEST_F(CompatContent, row_39_structured_content_is_the_text_when_there_is_none) {
  const std::string shown = R"({"content":[{"type":"text","text":"{\"a\":1}"}])";
  EXPECT_EQ(for_pi(R"({"content":[],"structuredContent":{ "a" : 1 }})"), shown + "}");
  EXPECT_EQ(for_mcp(R"({"content":[],"structuredContent":{ "a" : 1 }})"),
            shown + R"(,"structuredContent":{ "a" : 1 }})");
}

TEST_F(Relay, structured_content_that_the_text_repeats_is_shown_once_to_pi) {
  const char* const repeated[] = {
      R"({"content":[{"type":"text","text":"{\n \"a\": 1, \"b\": 2}"}],"structuredContent":{"b":2,"a":1.0}})",
      R"({"content":[{"type":"text","text":"3"}],"structuredContent":{"result":3}})",
      R"({"content":[{"type":"text","text":"words"}],"structuredContent":{"result":"words"}})",
      R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"1"}],"structuredContent":{"result":["a",1]}})",
      R"({"content":[{"type":"text","text":"a file\n"}],"structuredContent":{"content":"a file"}})",
      R"({"content":[{"type":"text","text":"[ {\"name\":\"x\"} ]"}],"structuredContent":{"entities":[{"name":"x"}]}})",
      R"({"content":[{"type":"text","text":"moved"}],"structuredContent":{"success":true,"message":"moved","error":null}})",
      R"({"content":[{"type":"text","text":"true"}],"structuredContent":{"ok":true}})",
  };
  for (const char* result : repeated) {
    const render::RawObject relayed = parse(for_pi(result));
    EXPECT_EQ(relayed.root.find("content").size(), parse(result).root.find("content").size());
    EXPECT_FALSE(relayed.root.find("structuredContent").exists());
  }
}

TEST_F(Relay, structured_content_that_says_more_is_added_for_pi) {
  EXPECT_EQ(
      for_pi(R"({"content":[{"type":"text","text":"found 2"}],"structuredContent":{"n":[1,2]}})"),
      R"({"content":[{"type":"text","text":"found 2"},)"
      R"({"type":"text","text":"{\"n\":[1,2]}"}]})");
}

TEST_F(Relay, structured_content_with_a_word_of_its_own_is_added_for_pi) {
  const char* const more[] = {
      R"({"content":[{"type":"text","text":"moved"}],"structuredContent":{"success":false,"message":"moved"}})",
      R"({"content":[{"type":"text","text":"moved"}],"structuredContent":{"message":"moved","count":2}})",
      R"({"content":[{"type":"text","text":"moved"}],"structuredContent":{"message":"moved to b"}})",
      R"({"content":[{"type":"text","text":"moved"}],"structuredContent":{"ok":true,"done":true}})",
      R"({"content":[{"type":"text","text":"moved"}],"structuredContent":{"a":{"message":"moved"}}})",
  };
  for (const char* result : more) {
    EXPECT_EQ(parse(for_pi(result)).root.find("content").size(), 2U) << result;
  }
}

TEST_F(CompatContent, row_28_errors_start_with_error_for_pi_and_pass_for_others) {
  const std::string failed =
      R"({"content":[{"type":"text","text":"no such file"}],"isError":true})";
  EXPECT_EQ(for_pi(failed),
            R"({"content":[{"type":"text","text":"Error: no such file"}],"isError":true})");
  EXPECT_EQ(for_mcp(failed), failed);
  EXPECT_EQ(
      for_pi(R"({"content":[],"isError":true})"),
      R"({"content":[{"type":"text","text":"Error: Tool execution failed"}],"isError":true})");
  EXPECT_EQ(for_mcp(R"({"content":[],"isError":true})"),
            R"({"content":[{"type":"text","text":"Tool execution failed"}],"isError":true})");
}

TEST_F(Relay, an_error_keeps_its_images_for_pi) {
  EXPECT_EQ(for_pi(R"({"content":[{"type":"image","data":"AA==","mimeType":"image/png"}],)"
                   R"("isError":true})"),
            R"({"content":[{"type":"text","text":"Error: Tool execution failed"},)"
            R"({"type":"image","data":"AA==","mimeType":"image/png"}],"isError":true})");
}

TEST_F(Relay, resources_become_texts_and_embedded_resources) {
  EXPECT_EQ(resource(R"({"contents":[{"uri":"a:b","text":"one\n"},{"uri":"a:c","blob":"AA=="}]})",
                     render::HostKind::mcp),
            R"({"content":[{"type":"text","text":"one\n"},)"
            R"({"type":"resource","resource":{"uri":"a:c","blob":"AA=="}}]})");
  EXPECT_EQ(resource(R"({"contents":[{"uri":"a:c","blob":"Zm9v"}]})", render::HostKind::pi),
            R"({"content":[{"type":"text","text":"[Resource: a:c]\n)"
            R"(Binary content saved to /tmp/out-1.bin\nMIME type: application/octet-stream"}]})");
  EXPECT_EQ(resource(R"({"contents":[{"uri":"a:d"}]})", render::HostKind::mcp),
            R"({"content":[{"type":"text","text":"{\"uri\":\"a:d\"}"}]})");
}

TEST_F(OutputGuard, row_40_five_thousand_lines_are_cut_and_kept_in_a_file) {
  const render::Relayed relayed = relay(text_result(lines(5000)), render::HostKind::mcp);
  const render::RawObject result = parse(std::string(relayed.result.view()));
  const std::string text = result.root.find("content").element(0).find("text").string_or("");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n') + 1, 2000);
  EXPECT_TRUE(text.starts_with("line 1\nline 2\n"));
  EXPECT_NE(text.find("line 1998\n\n[Output cut: 1998 of 5000 lines shown, "), std::string::npos);
  EXPECT_TRUE(text.ends_with("Full text: /tmp/out-1.txt - read parts of it or search it.]"));
  EXPECT_EQ(only_file(), lines(5000));
  const render::RawObject details = parse(relayed.guard_json);
  EXPECT_TRUE(details.root.find("truncated").bool_or(false));
  EXPECT_TRUE(details.root.find("truncatedBy").equals("lines"));
  EXPECT_EQ(details.root.find("originalLines").as_int(), 5000);
  EXPECT_EQ(details.root.find("outputLines").as_int(), 1998);
  EXPECT_TRUE(details.root.find("fullOutputPath").equals("/tmp/out-1.txt"));
}

TEST_F(OutputGuard, other_hosts_than_pi_read_the_note_first_and_last_and_get_less_than_they_cut) {
  EXPECT_EQ(render::TextLimits::of(render::HostKind::pi).bytes_max, 51'200U);
  limits.text = render::TextLimits::of(render::HostKind::mcp);
  EXPECT_EQ(limits.text.bytes_max, 40'000U);
  std::string text;
  while (text.size() < 60'000) {
    text += std::string(99, 'x') + "\n";
  }
  const render::RawObject result = parse(for_mcp(text_result(text)));
  const std::string shown = result.root.find("content").element(0).find("text").string_or("");
  EXPECT_EQ(result.root.find("content").size(), 1U);
  EXPECT_LE(shown.size(), 40'000U);
  EXPECT_GT(shown.size(), 39'000U);
  const std::string note = shown.substr(0, shown.find('\n'));
  EXPECT_TRUE(note.starts_with("[Output cut: ")) << note;
  EXPECT_TRUE(note.ends_with("Full text: /tmp/out-1.txt - read parts of it or search it.]"))
      << note;
  EXPECT_EQ(shown.substr(shown.rfind('\n') + 1), note);
  EXPECT_EQ(only_file(), text);
}

TEST_F(OutputGuard, the_note_stands_before_texts_that_stay_as_they_came) {
  limits.text = {.bytes_max = 1000, .lines_max = 100, .note_first = true};
  const std::string kept = R"({"type":"text","text":"whole","annotations":{"priority":1}})";
  const render::RawObject result =
      parse(for_mcp(R"({"content":[)" + kept + R"(,{"type":"text","text":")" +
                    std::string(2000, 'p') + R"("}]})"));
  const json::Value content = result.root.find("content");
  ASSERT_EQ(content.size(), 3U);
  EXPECT_TRUE(content.element(0).find("text").string_or("").starts_with("[Output cut: "));
  EXPECT_EQ(content.element(1).raw(), kept);
  EXPECT_LE(result.raw.size(), 1200U);
}

TEST_F(OutputGuard, where_nothing_fits_there_is_the_note_alone) {
  for (const bool note_first : {false, true}) {
    files.clear();
    limits.text = {.bytes_max = 10, .lines_max = 100, .note_first = note_first};
    const render::RawObject result = parse(for_mcp(text_result(lines(20))));
    const std::string shown = result.root.find("content").element(0).find("text").string_or("");
    EXPECT_TRUE(shown.starts_with("[Output cut: 0 of 20 lines shown, 0B of ")) << shown;
    EXPECT_TRUE(shown.ends_with("Full text: /tmp/out-1.txt - read parts of it or search it.]"));
    EXPECT_EQ(shown.find('\n'), std::string::npos) << shown;
  }
}

TEST_F(OutputGuard, the_file_has_structured_content_too) {
  limits.text.lines_max = 10;
  const auto result_with = [](std::string_view structured) {
    return R"({"content":[{"type":"text","text":)" + json::quoted(lines(20)) +
           R"(}],"structuredContent":)" + std::string(structured) + "}";
  };
  const std::string small = for_mcp(result_with(R"({"total":20})"));
  EXPECT_NE(small.find("Full text and structured content: /tmp/out-1.txt"), std::string::npos);
  EXPECT_EQ(parse(small).root.find("structuredContent").raw(), R"({"total":20})");
  EXPECT_EQ(only_file(), lines(20) + "\n\nStructured content:\n{\"total\":20}\n");
  files.clear();
  const std::string huge = R"({"all":")" + std::string(60'000, 's') + "\"}";
  const std::string without = for_mcp(result_with(huge));
  EXPECT_FALSE(parse(without).root.find("structuredContent").exists());
  EXPECT_NE(without.find("Full text and structured content: /tmp/out-1.txt"), std::string::npos);
  EXPECT_EQ(only_file(), lines(20) + "\n\nStructured content:\n" + huge + "\n");
}

TEST_F(OutputGuard, structured_content_that_the_text_says_is_kept_once) {
  const std::string structured = R"({"all":")" + std::string(60'000, 's') + "\"}";
  const std::string result =
      for_mcp(R"({"content":[{"type":"text","text":)" + json::quoted(structured) +
              R"(}],"structuredContent":)" + structured + "}");
  EXPECT_FALSE(parse(result).root.find("structuredContent").exists());
  EXPECT_EQ(only_file(), structured);
}

TEST_F(OutputGuard, bytes_are_cut_at_a_line) {
  std::string text;
  while (text.size() < 60'000) {
    text += std::string(99, 'x') + "\n";
  }
  const render::Relayed relayed = relay(text_result(text), render::HostKind::mcp);
  const render::RawObject result = parse(std::string(relayed.result.view()));
  const std::string shown = result.root.find("content").element(0).find("text").string_or("");
  EXPECT_LE(shown.size(), limits.text.bytes_max);
  EXPECT_GT(shown.size(), limits.text.bytes_max - 500);
  EXPECT_EQ(shown[shown.find("\n[Output cut") - 1], '\n');
  EXPECT_NE(relayed.guard_json.find(R"("truncatedBy":"bytes")"), std::string::npos);
}

TEST_F(OutputGuard, one_huge_line_shows_its_beginning_and_no_half_character) {
  std::string text = "x";
  while (text.size() < 300'000) {
    text += "\u20AC";
  }
  const render::Relayed relayed = relay(text_result(text), render::HostKind::pi);
  const render::RawObject result = parse(std::string(relayed.result.view()));
  const std::string shown = result.root.find("content").element(0).find("text").string_or("");
  EXPECT_TRUE(shown.starts_with("x\u20AC\u20AC"));
  EXPECT_GT(shown.size(), limits.text.bytes_max - 500);
  EXPECT_NE(shown.find("\u20AC\n\n[Output cut: 1 of 1 lines shown"), std::string::npos);
  EXPECT_NE(relayed.guard_json.find(R"("firstLineExceedsLimit":true)"), std::string::npos);
}

TEST_F(OutputGuard, a_huge_line_behind_a_short_one_shows_its_beginning_too) {
  const std::string huge(200'000, 'y');
  for (const std::string& result :
       {text_result("Result:\n" + huge),
        R"({"content":[{"type":"text","text":"Result:"},{"type":"text","text":")" + huge +
            "\"}]}"}) {
    const std::string relayed = for_mcp(result);
    EXPECT_GT(relayed.size(), limits.text.bytes_max - 500);
    EXPECT_NE(relayed.find("yyyy\\n\\n[Output cut: 2 of 2 lines"), std::string::npos);
  }
}

TEST_F(OutputGuard, limits_count_all_texts_of_a_result_together) {
  limits.text.bytes_max = 1000;
  const std::string part(600, 'p');
  const std::string image = R"({"type":"image","data":"AA==","mimeType":"image/png"})";
  const std::string result = for_mcp(R"({"content":[{"type":"text","text":")" + part +
                                     R"("},{"type":"text","text":"gone )" + part + "\"}," + image +
                                     R"(,{"type":"text","text":"gone too"}]})");
  EXPECT_EQ(only_file(), part + "\ngone " + part + "\ngone too");
  const render::RawObject relayed = parse(result);
  ASSERT_EQ(relayed.root.find("content").size(), 3U);
  EXPECT_EQ(relayed.root.find("content").element(2).raw(), image);
  EXPECT_LE(result.size(), 1100U);
}

TEST_F(OutputGuard, exactly_at_the_limits_nothing_happens) {
  limits.text = {.bytes_max = 10, .lines_max = 2, .note_first = false};
  const std::string at_limit = text_result("1234\n67890");
  EXPECT_EQ(for_mcp(at_limit), at_limit);
  const std::string two_lines = text_result("1\n2\n");
  EXPECT_EQ(for_mcp(two_lines), two_lines);
  EXPECT_TRUE(files.empty());
}

TEST_F(OutputGuard, escapes_count_by_what_they_stand_for) {
  limits.text = {.bytes_max = 100, .lines_max = 100, .note_first = false};
  std::string escaped;
  for (int i = 0; i < 50; ++i) {
    escaped += "\\u0041";
  }
  const std::string result = R"({"content":[{"type":"text","text":")" + escaped + "\"}]}";
  EXPECT_EQ(for_mcp(result), result);
}

TEST_F(OutputGuard, structured_content_stays_where_the_host_knows_its_schema) {
  limits.text = {.bytes_max = 20, .lines_max = 100, .note_first = false};
  const std::string result =
      R"({"content":[],"structuredContent":{"text":"longer than twenty bytes"}})";
  EXPECT_EQ(for_mcp(result).find("longer than"), std::string::npos);
  limits.keeps_structured = true;
  EXPECT_NE(for_mcp(result).find(R"("structuredContent":{"text":"longer)"), std::string::npos);
}

TEST_F(OutputGuard, says_so_when_the_full_text_cannot_be_kept) {
  disk_full = true;
  const std::string result = for_mcp(text_result(lines(5000)));
  EXPECT_NE(result.find("The full text could not be saved: no space left."), std::string::npos);
}

TEST_F(OutputGuard, large_images_go_to_a_file) {
  limits.media.one_max = 8;
  EXPECT_EQ(
      for_mcp(R"({"content":[{"type":"image","data":"Zm9vYmFy","mimeType":"image/png"}]})"),
      R"({"content":[{"type":"text","text":"[Image (image/png, 6B) saved to /tmp/out-1.png]"}]})");
  EXPECT_EQ(only_file(), "foobar");
  EXPECT_EQ(
      for_pi(R"({"content":[{"type":"image","data":"Zm9v!mFyYmFy","mimeType":"image/png"}]})"),
      R"({"content":[{"type":"text",)"
      R"("text":"[Image (image/png) left out: its data is not base64]"}]})");
}

TEST_F(OutputGuard, large_audio_and_blobs_go_to_a_file) {
  limits.media.one_max = 8;
  EXPECT_EQ(
      for_mcp(R"({"content":[{"type":"audio","data":"Zm9vYmFy","mimeType":"audio/wav"}]})"),
      R"({"content":[{"type":"text","text":"[Audio (audio/wav, 6B) saved to /tmp/out-1.wav]"}]})");
  EXPECT_EQ(
      for_mcp(R"({"content":[{"type":"resource","resource":{"uri":"a:b","blob":"Zm9vYmFy"}}]})"),
      R"({"content":[{"type":"text","text":"[Resource: a:b]\nBinary content saved to )"
      R"(/tmp/out-2.bin\nMIME type: application/octet-stream"}]})");
}

TEST_F(OutputGuard, many_images_share_one_limit) {
  limits.media.total_max = 20;
  const std::string image = R"({"type":"image","data":"Zm9v","mimeType":"image/png"})";
  std::string content = image;
  for (int i = 0; i < 4; ++i) {
    content += "," + image;
  }
  // Large enough that the blocks are looked at.
  content += R"(,{"type":"text","text":")" + std::string(5000, 't') + "\"}";
  EXPECT_EQ(parse(for_mcp(R"({"content":[)" + content + "]}")).root.find("content").size(), 6U);
  EXPECT_EQ(files.size(), 2U);
}

TEST_F(OutputGuard, large_structured_content_goes_to_a_file) {
  const std::string structured = R"({"a":")" + std::string(60'000, 's') + "\"}";
  const std::string relayed = for_mcp(
      R"({"content":[{"type":"text","text":"short"}],"structuredContent":)" + structured + "}");
  EXPECT_EQ(relayed,
            R"({"content":[{"type":"text","text":"short"},{"type":"text",)"
            R"("text":"[Structured content (58.6KB) saved to /tmp/out-1.json]"}]})");
  EXPECT_EQ(only_file(), structured);
}

TEST_F(OutputGuard, large_structured_content_that_the_text_says_is_left_out_without_a_file) {
  const std::string words(45'000, 'w');
  const std::string text = R"({"type":"text","text":")" + words + "\"}";
  // Over the limit with the space that JSON may have.
  const std::string structured = R"({"content":")" + words + "\"" + std::string(9'000, ' ') + "}";
  const std::string relayed =
      for_mcp(R"({"content":[)" + text + R"(],"structuredContent":)" + structured + "}");
  EXPECT_EQ(relayed, R"({"content":[)" + text + "]}");
  EXPECT_EQ(files.size(), 0U);
}

TEST_F(OutputGuard, can_be_switched_off) {
  limits = render::RelayLimits::none();
  const std::string result = text_result(lines(50'000));
  EXPECT_EQ(for_mcp(result), result);
  EXPECT_EQ(for_pi(result), result);
}

// Writes a relayed result with details and reads it again.
class ResultWriter : public Relay {
 protected:
  static tool::Answer passed(const render::Relayed& relayed) {
    tool::Answer answer = tool::Reply(tool::Mode::call, "").take();
    answer.passed = relayed.result;
    answer.meta_slot = relayed.meta_slot;
    return answer;
  }
  std::string written(std::string text) {
    const render::Relayed relayed = relay(std::move(text), render::HostKind::mcp);
    return call_tool_result(passed(relayed), "", true).flat();
  }
};

TEST_F(ResultWriter, writes_our_own_text_as_one_block) {
  EXPECT_EQ(call_tool_result(tool::Reply(tool::Mode::status, "").take(), "a \"b\"", true).flat(),
            R"({"content":[{"type":"text","text":"a \"b\""}],)"
            R"("_meta":{"pi-mcp/details":{"mode":"status"}}})");
  const tool::Answer failed =
      tool::Reply(tool::Mode::list, tool::Failure::not_found, "not_found", "none").take();
  EXPECT_EQ(call_tool_result(failed, "none", true).flat(),
            R"({"content":[{"type":"text","text":"none"}],"isError":true,)"
            R"("_meta":{"pi-mcp/details":{"mode":"list","error":"not_found","message":"none"}}})");
}

// Hosts put `_meta` into the prompt of their model.
TEST_F(ResultWriter, writes_no_details_for_a_host_that_did_not_ask) {
  const std::string text = R"({"content":[{"type":"text","text":"a"}],"_meta":{"a":1}})";
  const render::Relayed relayed = relay(text, render::HostKind::mcp);
  EXPECT_EQ(call_tool_result(passed(relayed), "", false).flat(), text);
  const tool::Answer failed =
      tool::Reply(tool::Mode::list, tool::Failure::not_found, "not_found", "none").take();
  EXPECT_EQ(call_tool_result(failed, "none", false).flat(),
            R"({"content":[{"type":"text","text":"none"}],"isError":true})");
}

TEST_F(ResultWriter, puts_details_before_the_members_of_a_passed_result) {
  EXPECT_EQ(
      written(R"({"content":[{"type":"text","text":"a"}]})"),
      R"({"_meta":{"pi-mcp/details":{"mode":"call"}},"content":[{"type":"text","text":"a"}]})");
}

TEST_F(ResultWriter, adds_details_to_the_meta_of_the_server) {
  EXPECT_EQ(written(R"({"_meta": {"a":1} ,"content":[{"type":"text","text":"a"}]})"),
            R"({"_meta": {"a":1,"pi-mcp/details":{"mode":"call"}} ,)"
            R"("content":[{"type":"text","text":"a"}]})");
  EXPECT_EQ(
      written(R"({"content":[{"type":"text","text":"a"}],"_meta":{ }})"),
      R"({"content":[{"type":"text","text":"a"}],"_meta":{ "pi-mcp/details":{"mode":"call"}}})");
}

TEST_F(ResultWriter, replaces_a_meta_that_is_no_object) {
  EXPECT_EQ(
      written(R"({"_meta":null,"content":[{"type":"text","text":"a"}]})"),
      R"({"_meta":{"pi-mcp/details":{"mode":"call"}},"content":[{"type":"text","text":"a"}]})");
}

TEST_F(ResultWriter, our_details_win_over_those_of_a_pi_mcp_behind_us) {
  const render::RawObject result = parse(written(
      R"({"content":[{"type":"text","text":"a"}],"_meta":{"pi-mcp/details":{"mode":"theirs"}}})"));
  EXPECT_TRUE(result.root.at({"_meta", "pi-mcp/details", "mode"}).equals("call"));
}

TEST_F(ResultWriter, keeps_the_meta_of_a_result_that_was_cut) {
  const render::RawObject result = parse(written(
      R"({"_meta":{"a":1},"content":[{"type":"text","text":)" + json::quoted(lines(3000)) + "}]}"));
  EXPECT_EQ(result.root.find("_meta").raw(), R"({"a":1,"pi-mcp/details":{"mode":"call"}})");
}

TEST_F(ResultWriter, large_results_are_passed_without_a_copy) {
  limits = render::RelayLimits::none();
  const std::string text = text_result(std::string(1 << 20, 'z'));
  const render::Relayed relayed = relay(text, render::HostKind::mcp);
  const rpc::Outgoing out = call_tool_result(passed(relayed), "", true);
  bool shared = false;
  for (const std::string_view piece : out.pieces()) {
    shared = shared || piece.data() == relayed.result.view().data() + 1;
  }
  EXPECT_TRUE(shared);
}

}  // namespace
}  // namespace pi_mcp::host

#include "mcp/server/progress.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

// What goes up for params as a server sent them; "" for nothing.
std::string up(HostProgress& progress, const std::string& params) {
  const Result<json::Document> document = json::Document::parse(params);
  const std::optional<rpc::Outgoing> out = progress.of_server(document->root());
  return out ? out->flat() : "";
}

std::string phase(HostProgress& progress, std::string_view what, Duration since = {}) {
  const std::optional<rpc::Outgoing> out = progress.of_phase(what, since);
  return out ? out->flat() : "";
}

std::string notification(const std::string& params) {
  return R"({"jsonrpc":"2.0","method":"notifications/progress","params":)" + params + "}";
}

TEST(HostProgress, replaces_only_the_token) {
  HostProgress progress(R"("host-1")");
  EXPECT_EQ(
      up(progress,
         R"({"progressToken":7,"progress":1.50,"total":4,"message":"a","_meta":{"b":1}})"),
      notification(
          R"({"progressToken":"host-1","progress":1.50,"total":4,"message":"a","_meta":{"b":1}})"));
}

TEST(HostProgress, keeps_our_words_for_us) {
  HostProgress progress("5");
  EXPECT_EQ(up(progress, R"({"progress":2,"_meta":{"pi-mcp/server":"x","b":1}})"),
            notification(R"({"progressToken":5,"progress":2,"_meta":{"b":1}})"));
}

TEST(HostProgress, drops_what_does_not_grow) {
  HostProgress progress("5");
  EXPECT_NE(up(progress, R"({"progress":2})"), "");
  EXPECT_EQ(up(progress, R"({"progress":2})"), "");
  EXPECT_EQ(up(progress, R"({"progress":1})"), "");
  EXPECT_EQ(up(progress, R"({"progress":"3"})"), "");
  EXPECT_EQ(up(progress, R"({"message":"no number"})"), "");
  EXPECT_NE(up(progress, R"({"progress":2.5})"), "");
}

TEST(HostProgress, tells_phases_until_the_server_reports) {
  HostProgress progress("5");
  EXPECT_EQ(phase(progress, "starting a"),
            notification(R"({"progressToken":5,"progress":0,"message":"starting a"})"));
  EXPECT_EQ(
      phase(progress, "starting b", Milliseconds(12'700)),
      notification(R"x({"progressToken":5,"progress":0.000001,"message":"starting b (12 s)"})x"));
  EXPECT_EQ(up(progress, R"({"progress":0})"), "");
  EXPECT_NE(up(progress, R"({"progress":1})"), "");
  EXPECT_EQ(phase(progress, "late"), "");
}

TEST(HostProgress, tokens_are_strings_or_numbers) {
  const auto token = [](const std::string& params) {
    return progress_token(json::Document::parse(params)->root());
  };
  EXPECT_EQ(token(R"({"_meta":{"progressToken":"t"}})"), R"("t")");
  EXPECT_EQ(token(R"({"_meta":{"progressToken":7}})"), "7");
  EXPECT_EQ(token(R"({"_meta":{"progressToken":null}})"), "");
  EXPECT_EQ(token("{}"), "");
}

}  // namespace
}  // namespace pi_mcp::mcp

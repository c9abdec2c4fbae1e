#include "config/interpolate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Environment environment() {
  return {
      .variables = {{"TOKEN", "secret"}, {"EMPTY", ""}, {"NESTED", "${TOKEN}"}, {"_x1", "under"}},
      .home = "/home/ann",
      .cwd = "/code/project"};
}

std::string text_of(std::string_view text) {
  return interpolate(text, environment()).text;
}

TEST(Interpolate, says_which_variables_were_put_in) {
  std::string seen;
  for (const auto& [name, value] :
       interpolate("${_x1} ${NO:-3} $env:TOKEN", environment()).inserted) {
    seen += name + "=" + value + ";";
  }
  EXPECT_EQ(seen, "_x1=under;TOKEN=secret;");
}

TEST(Interpolate, missing_variable_becomes_empty_and_is_named_once) {
  const Interpolated result = interpolate("a${GONE}b$env:GONE{env:ALSO}", environment());
  EXPECT_EQ(result.text, "ab");
  EXPECT_THAT(result.missing, ElementsAre("GONE", "ALSO"));
}

TEST(Interpolate, every_spelling_of_a_reference) {
  EXPECT_EQ(text_of("Bearer ${TOKEN}"), "Bearer secret");
  EXPECT_EQ(text_of("Bearer $env:TOKEN"), "Bearer secret");
  EXPECT_EQ(text_of("Bearer {env:TOKEN}"), "Bearer secret");
  EXPECT_EQ(text_of("Bearer ${env:TOKEN}"), "Bearer secret");
  EXPECT_EQ(text_of("${TOKEN}/${_x1}/$env:TOKEN."), "secret/under/secret.");
}

TEST(Interpolate, default_counts_only_when_the_variable_is_not_set) {
  const Interpolated result = interpolate("${GONE:-https://x.org/a}", environment());
  EXPECT_EQ(result.text, "https://x.org/a");
  EXPECT_THAT(result.missing, IsEmpty());
  EXPECT_EQ(text_of("${TOKEN:-other}"), "secret");
  EXPECT_EQ(text_of("[${EMPTY:-other}]"), "[]");
  EXPECT_EQ(text_of("[${GONE:-}]"), "[]");
  EXPECT_EQ(text_of("${env:GONE:-d}"), "d");
}

TEST(Interpolate, a_stored_secret_is_put_in_where_it_is_known) {
  const std::map<std::string, std::string> secrets = {{"work.key-1", "${TOKEN}!"}};
  const Interpolated known =
      interpolate("Bearer ${keyring:work.key-1}${TOKEN} ${keyring:other}", environment(), secrets);
  EXPECT_EQ(known.text, "Bearer ${TOKEN}!secret ${keyring:other}");
  EXPECT_THAT(known.missing, IsEmpty()) << "it is not a variable";
  EXPECT_EQ(text_of("${keyring:work.key-1}"), "${keyring:work.key-1}");
  EXPECT_EQ(text_of("${keyring:a b}${keyring:}${keyring:x"),
            "${keyring:a b}${keyring:}${keyring:x");
  EXPECT_EQ(text_of("${keyring}"), "") << "a variable of that name";
}

TEST(Interpolate, inserted_values_are_not_read_again) {
  EXPECT_EQ(text_of("${NESTED}"), "${TOKEN}");
}

TEST(Interpolate, text_that_is_no_reference_stays) {
  for (const char* text : {"$",
                           "${",
                           "${}",
                           "${1A}",
                           "${TO KEN}",
                           "${TOKEN",
                           "${TOKEN:-x",
                           "$TOKEN",
                           "{env:}",
                           "{env:TOKEN",
                           "$env:",
                           "$env:1",
                           "{TOKEN}",
                           "a$$b"}) {
    const Interpolated result = interpolate(text, environment());
    EXPECT_EQ(result.text, text);
    EXPECT_THAT(result.missing, IsEmpty()) << text;
  }
}

TEST(ExpandHome, only_a_leading_tilde_that_stands_alone) {
  EXPECT_EQ(expand_home("~", environment()), "/home/ann");
  EXPECT_EQ(expand_home("~/x", environment()), "/home/ann/x");
  EXPECT_EQ(expand_home("~bob/x", environment()), "~bob/x");
  EXPECT_EQ(expand_home("/a/~/b", environment()), "/a/~/b");
  EXPECT_EQ(expand_home("~\\x", environment()), "~\\x");
  Environment windows = environment();
  windows.platform = Platform::windows;
  windows.home = "C:\\Users\\ann";
  EXPECT_EQ(expand_home("~\\x", windows), "C:\\Users\\ann\\x");
}

TEST(SecretCommand, one_exclamation_mark_asks_for_a_command) {
  EXPECT_TRUE(secret_command("!printf x").is_command);
  EXPECT_EQ(secret_command("!printf x").text, "printf x");
  EXPECT_EQ(secret_command("! pass show a ").text, "pass show a");
}

TEST(SecretCommand, two_exclamation_marks_are_the_literal_text_with_one) {
  EXPECT_FALSE(secret_command("!!x").is_command);
  EXPECT_EQ(secret_command("!!x").text, "!x");
  EXPECT_EQ(secret_command("!!!x").text, "!!x");
}

TEST(SecretCommand, anything_else_is_literal) {
  EXPECT_FALSE(secret_command("x!y").is_command);
  EXPECT_EQ(secret_command("x!y").text, "x!y");
  EXPECT_FALSE(secret_command("!").is_command);
  EXPECT_EQ(secret_command("! ").text, "! ");
  EXPECT_EQ(secret_command("").text, "");
}

}  // namespace
}  // namespace pi_mcp::config

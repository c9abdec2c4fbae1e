#include "http/form.h"

#include <gtest/gtest.h>

namespace pi_mcp::http {
namespace {

TEST(FormTest, what_is_encoded_is_read_back) {
  EXPECT_EQ(form_encoded("a b&c=d/é~"), "a+b%26c%3Dd%2F%C3%A9%7E");
  Form form;
  form.add("scope", "a b").add("empty", "").add("q", "1&2=3+4%");
  EXPECT_EQ(form.text(), "scope=a+b&q=1%262%3D3%2B4%25");
  EXPECT_EQ(form_value(form.text(), "scope"), "a b");
  EXPECT_EQ(form_value(form.text(), "q"), "1&2=3+4%");
  EXPECT_EQ(form_value(form.text(), "empty"), "");
}

TEST(FormTest, the_first_value_of_a_name_counts) {
  EXPECT_EQ(form_value("x=1&code=a&code=b", "code"), "a");
  EXPECT_EQ(form_value("flag&x=1", "flag"), "");
}

TEST(FormTest, a_query_grows_and_a_fragment_goes) {
  Form form;
  form.add("a", "1");
  EXPECT_EQ(with_query("https://x.example/p", form), "https://x.example/p?a=1");
  EXPECT_EQ(with_query("https://x.example/p?b=2#f", form), "https://x.example/p?b=2&a=1");
}

}  // namespace
}  // namespace pi_mcp::http

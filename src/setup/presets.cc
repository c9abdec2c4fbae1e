#include "setup/presets.h"

#include <array>

namespace pi_mcp::setup {

std::span<const Preset> presets() {
  static constexpr std::array table = {
      Preset{.name = "deepwiki",
             .what = "DeepWiki: questions about public GitHub repositories",
             .entry = R"({"url":"https://mcp.deepwiki.com/mcp"})"},
      Preset{.name = "context7",
             .what = "Context7: current documentation of libraries",
             .entry = R"({"url":"https://mcp.context7.com/mcp"})"},
      Preset{
          .name = "github",
          .what = "GitHub: repositories, issues, pull requests (wants a token: /mcp token github)",
          .entry = R"({"url":"https://api.githubcopilot.com/mcp/"})"},
      Preset{.name = "notion",
             .what = "Notion: pages and databases (wants a login)",
             .entry = R"({"url":"https://mcp.notion.com/mcp"})"},
      Preset{.name = "linear",
             .what = "Linear: issues and projects (wants a login)",
             .entry = R"({"url":"https://mcp.linear.app/mcp"})"},
      Preset{.name = "sentry",
             .what = "Sentry: errors and traces (wants a login)",
             .entry = R"({"url":"https://mcp.sentry.dev/mcp"})"},
      Preset{.name = "chrome-devtools",
             .what = "Chrome DevTools: a Chrome to look into (wants Node.js and Chrome)",
             .entry = R"({"command":"npx","args":["-y","chrome-devtools-mcp@latest"]})"},
      Preset{.name = "playwright",
             .what = "Playwright: a browser to work with (wants Node.js)",
             .entry = R"({"command":"npx","args":["-y","@playwright/mcp@latest"]})"},
  };
  return table;
}

}  // namespace pi_mcp::setup

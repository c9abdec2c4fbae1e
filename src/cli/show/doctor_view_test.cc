#include "cli/show/doctor_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace pi_mcp::cli {
namespace {

using testing::HasSubstr;

DoctorReport report() {
  DoctorReport report{.facts = {}, .findings = {}, .fixed = {}, .home = "/home/ann"};
  report.facts.files = {{.path = "/home/ann/.pi/agent/mcp.json",
                         .role = "user file",
                         .exists = true,
                         .problem = "",
                         .is_open = false},
                        {.path = "/srv/.mcp.json",
                         .role = "shared project file",
                         .exists = false,
                         .problem = "",
                         .is_open = false}};
  doctor::ServerFacts server{};
  server.name = "files";
  server.origin.path = "/home/ann/.pi/agent/mcp.json";
  server.program = doctor::ProgramFacts{};
  server.program->path = "/usr/bin/npx";
  report.facts.servers.push_back(server);
  server.name = "memory";
  server.program->path.clear();
  server.program->command = "npx -y memory";
  server.program->name = "npx";
  server.program->has_spaces = true;
  server.program->advice = "write \"command\": \"npx\", \"args\": [\"-y\",\"memory\"]";
  report.facts.servers.push_back(server);
  report.findings = examine(report.facts);
  return report;
}

TEST(DoctorView, shows_files_servers_and_findings_with_what_mends_them) {
  EXPECT_EQ(doctor_text(report(), Style(), 80),
            "Files, the later ones win\n"
            "  ✓  ~/.pi/agent/mcp.json  user file\n"
            "\n"
            "Servers\n"
            "  ✓ files   ~/.pi/agent/mcp.json\n"
            "            /usr/bin/npx\n"
            "  ✗ memory  ~/.pi/agent/mcp.json\n"
            "            npx -y memory: not found\n"
            "\n"
            "error PM-COMMAND-SPACES\n"
            "  server \"memory\": its \"command\" holds spaces, and no program is called like\n"
            "  that; write \"command\": \"npx\", \"args\": [\"-y\",\"memory\"]\n"
            "  → ${EDITOR:-vi} /home/ann/.pi/agent/mcp.json\n"
            "\n"
            "1 error; docs/doctor.md explains each code\n");
}

TEST(DoctorView, without_servers_it_says_whether_a_broken_file_hides_them) {
  DoctorReport none = report();
  none.facts.servers.clear();
  EXPECT_THAT(doctor_text(none, Style(), 80), HasSubstr("Servers\n  none; pi-mcp setup takes"));
  none.facts.files[0].problem = "it ends too early";
  EXPECT_THAT(doctor_text(none, Style(), 80),
              HasSubstr("Servers\n  none is known, since a file above cannot be read\n"));
}

TEST(DoctorView, lines_break_at_words_and_names_of_others_do_no_harm) {
  DoctorReport wide = report();
  wide.facts.servers[0].name = "a\x1b[31m\nb";
  wide.facts.servers[1].program->problem = std::string(300, 'x');
  const std::string text = doctor_text(wide, Style(), 60);
  EXPECT_THAT(text, HasSubstr("  ✓ a b "));
  for (const std::string_view line : text::split(text, '\n')) {
    EXPECT_LE(columns_of(line), 60U) << line;
  }
}

TEST(DoctorView, the_same_findings_are_json_for_programs) {
  EXPECT_THAT(
      doctor_json(report()),
      HasSubstr(
          R"({"mode":"doctor","clean":false,"fixed":[],"findings":[{"code":"PM-COMMAND-SPACES",)"
          R"("severity":"error","server":"memory",)"
          R"("path":"/home/ann/.pi/agent/mcp.json","message":)"));
}

}  // namespace
}  // namespace pi_mcp::cli

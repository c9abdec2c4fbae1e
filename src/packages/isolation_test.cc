#include "packages/isolation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packages/launcher_scripts.h"

namespace pi_mcp::packages {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* session = "/clone";

std::optional<Isolated> isolated(std::string command, std::vector<std::string> args) {
  return isolate({.command = std::move(command), .args = std::move(args)}, session);
}

// The arguments with the steps by name, or "as written".
std::vector<std::string> args_of(std::string command, std::vector<std::string> args) {
  const std::optional<Isolated> kept = isolated(std::move(command), std::move(args));
  if (!kept) {
    return {"as written"};
  }
  std::vector<std::string> shown = kept->line.args;
  for (std::string& arg : shown) {
    arg = arg == step_to_program          ? "TO PROGRAM"
          : arg == npx_to_program         ? "TO TOLD"
          : arg == tell_program           ? "TELL PROGRAM"
          : arg.ends_with(tell_choice)    ? "TELL CHOICE"
          : arg.ends_with(step_to_choice) ? "TO CHOICE"
          : arg.starts_with("import sys") ? "PYTHON"
                                          : arg;
  }
  return shown;
}

const auto as_written = ElementsAre("as written");

TEST(Isolation, npx_runs_elsewhere_and_its_program_in_the_folder) {
  const std::optional<Isolated> kept = isolated("npx", {"-y", "pkg@1", "--flag"});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->folder, "/");
  EXPECT_EQ(kept->line.command, "/bin/sh") << "which becomes the program when npx has ended";
  EXPECT_THAT(kept->variables.at("BUN_OPTIONS"), HasSubstr("--config=/dev/null"));
  EXPECT_THAT(args_of("/usr/bin/npx", {"-y", "@s/pkg@1", "--flag", "--", "x"}),
              ElementsAre("-c",
                          "TO TOLD",
                          session,
                          "9",
                          "/usr/bin/npx",
                          "-y",
                          "--package=@s/pkg@1",
                          "--",
                          "/bin/sh",
                          "-c",
                          "TELL CHOICE",
                          session,
                          "@s/pkg@1",
                          "--flag",
                          "--",
                          "x"));
  EXPECT_THAT(args_of("npx", {"-p", "a", "--package=b", "--", "tool", "x"}),
              ElementsAre("-c",
                          "TO TOLD",
                          session,
                          "10",
                          "npx",
                          "-p",
                          "a",
                          "--package=b",
                          "--",
                          "/bin/sh",
                          "-c",
                          "TELL PROGRAM",
                          session,
                          "tool",
                          "x"));
}

TEST(Isolation, npx_options_are_read_as_npm_reads_them) {
  EXPECT_THAT(args_of("npx", {"--registry", "https://r", "--offline", "pkg", "-x"}),
              ElementsAre("-c",
                          "TO TOLD",
                          session,
                          "11",
                          "npx",
                          "--registry",
                          "https://r",
                          "--offline",
                          "--package=pkg",
                          "--",
                          "/bin/sh",
                          "-c",
                          "TELL CHOICE",
                          session,
                          "pkg",
                          "-x"));
  EXPECT_THAT(args_of("npm", {"--silent", "exec", "pkg", "--yes", "--", "a", "-b"}),
              ElementsAre("-c",
                          "TO TOLD",
                          session,
                          "11",
                          "npm",
                          "--silent",
                          "exec",
                          "--yes",
                          "--package=pkg",
                          "--",
                          "/bin/sh",
                          "-c",
                          "TELL CHOICE",
                          session,
                          "pkg",
                          "a",
                          "-b"));
  EXPECT_THAT(args_of("npx", {"-y", "-p", "pkg", "-c", "tool $X"}),
              ElementsAre("-y", "-p", "pkg", "-c", "cd '/clone' && tool $X"));
  EXPECT_THAT(args_of("npx", {"--call=tool"}), ElementsAre("--call=cd '/clone' && tool"));
}

TEST(Isolation, packages_that_are_paths_run_as_written) {
  for (const char* path : {".",
                           "./pkg",
                           "../pkg",
                           "file:pkg",
                           "file:./pkg",
                           "name@file:../pkg",
                           "name@./pkg",
                           "pkg-1.0.0.tgz"}) {
    EXPECT_THAT(args_of("npx", {"-y", path}), as_written) << path;
    EXPECT_THAT(args_of("npx", {"-p", path, "tool"}), as_written) << path;
    EXPECT_THAT(args_of("bunx", {path}), as_written) << path;
    EXPECT_THAT(args_of("pnpm", {"dlx", path}), as_written) << path;
  }
  for (const char* path : {"/opt/pkg",
                           "~/pkg",
                           "file:/opt/pkg",
                           "file:///opt/pkg",
                           "user/repo",
                           "github:user/repo",
                           "https://e.com/x.tgz",
                           "name@npm:other@1"}) {
    EXPECT_TRUE(isolated("npx", {"-y", path})) << path;
  }
  EXPECT_THAT(args_of("uvx", {"--from", ".", "tool"}), as_written);
  EXPECT_THAT(args_of("uvx", {"--from", "./x[extra]", "tool"}), as_written);
  EXPECT_THAT(args_of("uvx", {"--from", "sub/x", "tool"}), as_written);
  EXPECT_THAT(args_of("uvx", {"--from", "tool @ ./x", "tool"}), as_written);
  EXPECT_THAT(args_of("uvx", {"--with-editable", "./x", "tool"}), as_written);
  EXPECT_THAT(args_of("uvx", {"--with-requirements", "r.txt", "tool"}), as_written);
  EXPECT_THAT(args_of("uvx", {"--with", "x", "."}), as_written);
  EXPECT_THAT(args_of("uv", {"run", "server.py"}), as_written);
  EXPECT_THAT(args_of("uv", {"run", "--with", "mcp", "server.py"}), as_written);
  EXPECT_THAT(args_of("uv", {"run", "./server"}), as_written);
  EXPECT_THAT(args_of("pipx", {"run", "./x.py"}), as_written);
  EXPECT_THAT(args_of("pipx", {"run", "--spec", "./x", "tool"}), as_written);
  EXPECT_THAT(args_of("deno", {"run", "-A", "main.ts"}), as_written);
  EXPECT_THAT(args_of("bun", {"run", "server.ts"}), as_written);
  EXPECT_THAT(args_of("bun", {"run", "start"}), as_written);
}

TEST(Isolation, options_that_name_the_folder_are_the_users_choice) {
  EXPECT_THAT(args_of("uv", {"--directory", "/srv/x", "run", "server.py"}), as_written);
  EXPECT_THAT(args_of("uv", {"run", "--directory=/srv/x", "tool"}), as_written);
  EXPECT_THAT(args_of("uv", {"run", "--project", "x", "tool"}), as_written);
  EXPECT_THAT(args_of("pnpm", {"-C", "/srv/x", "dlx", "tool"}), as_written);
  EXPECT_THAT(args_of("npx", {"--userconfig", ".npmrc", "pkg"}), as_written);
  EXPECT_THAT(args_of("npx", {"-w", "x", "pkg"}), as_written);
}

TEST(Isolation, a_command_that_is_a_path_into_the_folder_runs_as_written) {
  EXPECT_THAT(args_of("/clone/node_modules/.bin/npx", {"pkg"}), as_written);
  EXPECT_THAT(args_of("/clone/.venv/bin/python", {"-m", "x"}), as_written);
  EXPECT_TRUE(isolated("/cloned/npx", {"pkg"}));
}

TEST(Isolation, what_is_not_in_the_table_runs_as_written) {
  EXPECT_FALSE(isolated("node", {"server.js"}));
  EXPECT_FALSE(isolated("sh", {"-c", "npx pkg"}));
  EXPECT_FALSE(isolated("my-npx", {"pkg"}));
  EXPECT_FALSE(isolated("npm", {"run", "x"}));
  EXPECT_FALSE(isolated("npx", {}));
  EXPECT_FALSE(isolated("uv", {"sync"}));
  EXPECT_FALSE(isolated("yarn", {"start"}));
  EXPECT_FALSE(isolated("deno", {"task", "x"}));
}

TEST(Isolation, pnpm_and_bun_run_elsewhere) {
  EXPECT_THAT(
      args_of("pnpm", {"--silent", "dlx", "pkg", "-x"}),
      ElementsAre(
          "--silent", "dlx", "--package=pkg", "/bin/sh", "-c", "TO CHOICE", session, "pkg", "-x"));
  EXPECT_THAT(args_of("pnpm", {"--package=pkg", "dlx", "-c", "tool | cat"}),
              ElementsAre("--package=pkg", "dlx", "-c", "cd '/clone' && tool | cat"));
  EXPECT_THAT(args_of("pnpx", {"pkg"}),
              ElementsAre("--package=pkg", "/bin/sh", "-c", "TO CHOICE", session, "pkg"));
  EXPECT_THAT(
      args_of("bunx", {"--bun", "-p", "pkg", "tool", "x"}),
      ElementsAre("--bun", "-p", "pkg", "/bin/sh", "-c", "TO PROGRAM", session, "tool", "x"));
  EXPECT_THAT(args_of("bun", {"x", "pkg"}),
              ElementsAre("x", "--package=pkg", "/bin/sh", "-c", "TO CHOICE", session, "pkg"));
  EXPECT_EQ(isolated("bun", {"/srv/server.ts"})->folder, session);
  EXPECT_TRUE(isolated("bun", {"/srv/server.ts"})->variables.contains("BUN_OPTIONS"));
  EXPECT_FALSE(isolated("bun", {"--config=/srv/bunfig.toml", "/srv/server.ts"}));
}

TEST(Isolation, yarn_and_pipx_load_a_file_of_ours) {
  const std::optional<Isolated> yarn = isolated("yarn", {"dlx", "-q", "pkg", "x"});
  ASSERT_TRUE(yarn);
  EXPECT_EQ(yarn->helper, Helper::node);
  EXPECT_EQ(yarn->folder, "/");
  EXPECT_THAT(yarn->line.args, ElementsAre("dlx", "-q", "pkg", "x"));
  const std::optional<Isolated> pipx = isolated("pipx", {"run", "--spec", "pkg", "tool", "x"});
  ASSERT_TRUE(pipx);
  EXPECT_EQ(pipx->helper, Helper::python);
  EXPECT_EQ(pipx->folder, "/");
}

TEST(Isolation, uvx_names_the_program_as_uv_would) {
  EXPECT_THAT(
      args_of("uvx", {"-q", "pkg[x]@latest", "a"}),
      ElementsAre(
          "-q", "--from=pkg[x]@latest", "/bin/sh", "-c", "TO PROGRAM", session, "pkg", "a"));
  EXPECT_THAT(args_of("uvx", {"pkg==1.2"}),
              ElementsAre("--from=pkg==1.2", "/bin/sh", "-c", "TO PROGRAM", session, "pkg"));
  EXPECT_THAT(args_of("uv", {"tool", "run", "--python", "3.12", "--from", "pkg", "tool"}),
              ElementsAre("tool",
                          "run",
                          "--python",
                          "3.12",
                          "--from",
                          "pkg",
                          "/bin/sh",
                          "-c",
                          "TO PROGRAM",
                          session,
                          "tool"));
  EXPECT_THAT(args_of("uvx", {"--from", "pkg", "python", "-m", "mod", "x"}),
              ElementsAre("--from",
                          "pkg",
                          "/bin/sh",
                          "-c",
                          "TO PROGRAM",
                          session,
                          "python",
                          "-c",
                          "PYTHON",
                          session,
                          "mod",
                          "x"));
  EXPECT_THAT(args_of("uvx", {"git+https://e.com/x"}), as_written) << "uvx reads no folder itself";
}

TEST(Isolation, uv_run_has_no_project) {
  EXPECT_THAT(args_of("uv", {"run", "--with", "mcp", "mcp", "run", "server.py"}),
              ElementsAre("run",
                          "--with",
                          "mcp",
                          "/bin/sh",
                          "-c",
                          "TO PROGRAM",
                          session,
                          "mcp",
                          "run",
                          "server.py"));
  EXPECT_THAT(args_of("uv", {"run", "-m", "mod", "x"}),
              ElementsAre("run",
                          "/bin/sh",
                          "-c",
                          "TO PROGRAM",
                          session,
                          "python",
                          "-c",
                          "PYTHON",
                          session,
                          "mod",
                          "x"));
  EXPECT_THAT(args_of("uv", {"run", "/srv/server.py", "x"}),
              ElementsAre("run", "--project=/", "/srv/server.py", "x"));
  EXPECT_EQ(isolated("uv", {"run", "/srv/server.py"})->folder, session);
  EXPECT_THAT(args_of("uv", {"run", "--project=/srv", "/srv/server.py"}),
              ElementsAre("run", "--project=/srv", "/srv/server.py"));
}

TEST(Isolation, deno_reads_no_configuration) {
  EXPECT_THAT(args_of("deno", {"run", "-A", "npm:pkg", "x"}),
              ElementsAre("run", "-A", "--no-config", "--no-lock", "npm:pkg", "x"));
  EXPECT_THAT(args_of("deno", {"-A", "jsr:@s/pkg"}),
              ElementsAre("run", "-A", "--no-config", "--no-lock", "jsr:@s/pkg"));
  EXPECT_THAT(args_of("deno", {"run", "--config", "/srv/deno.json", "npm:pkg"}), as_written);
  EXPECT_THAT(args_of("deno", {"x", "npm:pkg"}), ElementsAre("x", "--no-config", "npm:pkg"));
}

TEST(Isolation, dotnet_may_run_only_where_it_finds_nothing) {
  for (const auto& [command, args] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"dnx", {"pkg", "--yes"}}, {"dotnet", {"tool", "exec", "pkg"}}}) {
    const std::optional<Isolated> kept = isolated(command, args);
    ASSERT_TRUE(kept);
    EXPECT_TRUE(kept->needs_clean_folder);
    EXPECT_EQ(kept->line.args, args);
    EXPECT_EQ(kept->folder, session);
  }
}

TEST(Isolation, python_does_not_look_for_modules_in_the_folder) {
  EXPECT_EQ(isolated("python3", {"-m", "mod"})->folder, "/");
  EXPECT_THAT(args_of("python3", {"-m", "mod", "-m", "x"}),
              ElementsAre("-c", "PYTHON", session, "mod", "-m", "x"));
  EXPECT_THAT(args_of("/usr/bin/python3.12", {"-u", "-X", "dev", "-W", "ignore", "-mmod"}),
              ElementsAre("-u", "-X", "dev", "-W", "ignore", "-c", "PYTHON", session, "mod"));
  EXPECT_THAT(args_of("pypy3", {"-um", "mod"}), ElementsAre("-uc", "PYTHON", session, "mod"));
  EXPECT_THAT(args_of("python", {"-c", "import mod", "x"}),
              ElementsAre("-c", "PYTHON", session, "import mod", "x"));
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"-P", "-m", "mod"},
                                             {"-I", "-m", "mod"},
                                             {"server.py", "-m", "x"},
                                             {"-", "x"},
                                             {"-m"},
                                             {}}) {
    EXPECT_FALSE(isolated("python3", args));
  }
  EXPECT_FALSE(isolated("python-server", {"-m", "x"}));
}

}  // namespace
}  // namespace pi_mcp::packages

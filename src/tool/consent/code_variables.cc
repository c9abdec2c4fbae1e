#include "tool/consent/code_variables.h"

#include <algorithm>
#include <array>

namespace pi_mcp::tool {
namespace {

struct CodeVariable {
  std::string_view name;  // with '*': every name that begins so
  std::string_view decides;
};

constexpr std::string_view in_every_program = "what code every program loads";
constexpr std::string_view of_node = "what code Node.js loads";
constexpr std::string_view of_python = "what code Python loads";
constexpr std::string_view of_perl = "what code Perl loads";
constexpr std::string_view of_ruby = "what code Ruby loads";
constexpr std::string_view of_java = "what code Java loads";
constexpr std::string_view of_shell = "what a shell runs first";
constexpr std::string_view of_git = "which programs git runs";
constexpr std::string_view of_packages = "where packages come from";
constexpr std::string_view of_homes = "where programs have their configuration";
constexpr std::string_view of_helpers = "which programs others run";

// From the manuals: ld.so(8), node(1), python(1), perlrun(1), ruby(1), bash(1), git(1), npm-config.
constexpr std::array all = {
    CodeVariable{.name = "PATH", .decides = "which programs are found"},
    CodeVariable{.name = "LD_*", .decides = in_every_program},
    CodeVariable{.name = "DYLD_*", .decides = in_every_program},
    CodeVariable{.name = "GCONV_PATH", .decides = in_every_program},
    CodeVariable{.name = "OPENSSL_CONF", .decides = in_every_program},
    CodeVariable{.name = "OPENSSL_ENGINES", .decides = in_every_program},
    CodeVariable{.name = "OPENSSL_MODULES", .decides = in_every_program},
    CodeVariable{.name = "NODE_OPTIONS", .decides = of_node},
    CodeVariable{.name = "NODE_PATH", .decides = of_node},
    CodeVariable{.name = "BUN_OPTIONS", .decides = "what code Bun loads"},
    CodeVariable{.name = "PYTHONPATH", .decides = of_python},
    CodeVariable{.name = "PYTHONHOME", .decides = of_python},
    CodeVariable{.name = "PYTHONSTARTUP", .decides = of_python},
    CodeVariable{.name = "PYTHONUSERBASE", .decides = of_python},
    CodeVariable{.name = "PYTHONBREAKPOINT", .decides = of_python},
    CodeVariable{.name = "PYTHONWARNINGS", .decides = of_python},
    CodeVariable{.name = "PERL5OPT", .decides = of_perl},
    CodeVariable{.name = "PERL5LIB", .decides = of_perl},
    CodeVariable{.name = "PERL5DB", .decides = of_perl},
    CodeVariable{.name = "PERLLIB", .decides = of_perl},
    CodeVariable{.name = "RUBYOPT", .decides = of_ruby},
    CodeVariable{.name = "RUBYLIB", .decides = of_ruby},
    CodeVariable{.name = "GEM_HOME", .decides = of_ruby},
    CodeVariable{.name = "GEM_PATH", .decides = of_ruby},
    CodeVariable{.name = "BUNDLE_GEMFILE", .decides = of_ruby},
    CodeVariable{.name = "JAVA_TOOL_OPTIONS", .decides = of_java},
    CodeVariable{.name = "JDK_JAVA_OPTIONS", .decides = of_java},
    CodeVariable{.name = "_JAVA_OPTIONS", .decides = of_java},
    CodeVariable{.name = "CLASSPATH", .decides = of_java},
    CodeVariable{.name = "DOTNET_STARTUP_HOOKS", .decides = "what code .NET loads"},
    CodeVariable{.name = "CORECLR_PROFILER*", .decides = "what code .NET loads"},
    CodeVariable{.name = "PHPRC", .decides = "what code PHP loads"},
    CodeVariable{.name = "PHP_INI_SCAN_DIR", .decides = "what code PHP loads"},
    CodeVariable{.name = "LUA_*", .decides = "what code Lua loads"},
    CodeVariable{.name = "BASH_ENV", .decides = of_shell},
    CodeVariable{.name = "ENV", .decides = of_shell},
    CodeVariable{.name = "ZDOTDIR", .decides = of_shell},
    CodeVariable{.name = "PROMPT_COMMAND", .decides = of_shell},
    CodeVariable{.name = "BASH_FUNC_*", .decides = of_shell},
    CodeVariable{.name = "SHELL", .decides = of_helpers},
    CodeVariable{.name = "EDITOR", .decides = of_helpers},
    CodeVariable{.name = "VISUAL", .decides = of_helpers},
    CodeVariable{.name = "PAGER", .decides = of_helpers},
    CodeVariable{.name = "BROWSER", .decides = of_helpers},
    CodeVariable{.name = "SSH_ASKPASS", .decides = of_helpers},
    CodeVariable{.name = "GIT_SSH*", .decides = of_git},
    CodeVariable{.name = "GIT_CONFIG*", .decides = of_git},
    CodeVariable{.name = "GIT_EXEC_PATH", .decides = of_git},
    CodeVariable{.name = "GIT_EXTERNAL_DIFF", .decides = of_git},
    CodeVariable{.name = "GIT_ASKPASS", .decides = of_git},
    CodeVariable{.name = "GIT_EDITOR", .decides = of_git},
    CodeVariable{.name = "GIT_SEQUENCE_EDITOR", .decides = of_git},
    CodeVariable{.name = "GIT_PAGER", .decides = of_git},
    CodeVariable{.name = "GIT_PROXY_COMMAND", .decides = of_git},
    CodeVariable{.name = "GIT_TEMPLATE_DIR", .decides = of_git},
    CodeVariable{.name = "npm_config_*", .decides = of_packages},
    CodeVariable{.name = "NPM_CONFIG_*", .decides = of_packages},
    CodeVariable{.name = "PIP_*", .decides = of_packages},
    CodeVariable{.name = "UV_*", .decides = of_packages},
    CodeVariable{.name = "HOME", .decides = of_homes},
    CodeVariable{.name = "XDG_CONFIG_HOME", .decides = of_homes},
};

}  // namespace

std::string_view decided_by(std::string_view variable) {
  const auto* const found = std::ranges::find_if(all, [variable](const CodeVariable& each) {
    return each.name.ends_with('*')
               ? variable.starts_with(each.name.substr(0, each.name.size() - 1))
               : variable == each.name;
  });
  return found == all.end() ? std::string_view() : found->decides;
}

}  // namespace pi_mcp::tool

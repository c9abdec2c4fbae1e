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
    CodeVariable{"PATH", "which programs are found"},
    CodeVariable{"LD_*", in_every_program},
    CodeVariable{"DYLD_*", in_every_program},
    CodeVariable{"GCONV_PATH", in_every_program},
    CodeVariable{"OPENSSL_CONF", in_every_program},
    CodeVariable{"OPENSSL_ENGINES", in_every_program},
    CodeVariable{"OPENSSL_MODULES", in_every_program},
    CodeVariable{"NODE_OPTIONS", of_node},
    CodeVariable{"NODE_PATH", of_node},
    CodeVariable{"BUN_OPTIONS", "what code Bun loads"},
    CodeVariable{"PYTHONPATH", of_python},
    CodeVariable{"PYTHONHOME", of_python},
    CodeVariable{"PYTHONSTARTUP", of_python},
    CodeVariable{"PYTHONUSERBASE", of_python},
    CodeVariable{"PYTHONBREAKPOINT", of_python},
    CodeVariable{"PYTHONWARNINGS", of_python},
    CodeVariable{"PERL5OPT", of_perl},
    CodeVariable{"PERL5LIB", of_perl},
    CodeVariable{"PERL5DB", of_perl},
    CodeVariable{"PERLLIB", of_perl},
    CodeVariable{"RUBYOPT", of_ruby},
    CodeVariable{"RUBYLIB", of_ruby},
    CodeVariable{"GEM_HOME", of_ruby},
    CodeVariable{"GEM_PATH", of_ruby},
    CodeVariable{"BUNDLE_GEMFILE", of_ruby},
    CodeVariable{"JAVA_TOOL_OPTIONS", of_java},
    CodeVariable{"JDK_JAVA_OPTIONS", of_java},
    CodeVariable{"_JAVA_OPTIONS", of_java},
    CodeVariable{"CLASSPATH", of_java},
    CodeVariable{"DOTNET_STARTUP_HOOKS", "what code .NET loads"},
    CodeVariable{"CORECLR_PROFILER*", "what code .NET loads"},
    CodeVariable{"PHPRC", "what code PHP loads"},
    CodeVariable{"PHP_INI_SCAN_DIR", "what code PHP loads"},
    CodeVariable{"LUA_*", "what code Lua loads"},
    CodeVariable{"BASH_ENV", of_shell},
    CodeVariable{"ENV", of_shell},
    CodeVariable{"ZDOTDIR", of_shell},
    CodeVariable{"PROMPT_COMMAND", of_shell},
    CodeVariable{"BASH_FUNC_*", of_shell},
    CodeVariable{"SHELL", of_helpers},
    CodeVariable{"EDITOR", of_helpers},
    CodeVariable{"VISUAL", of_helpers},
    CodeVariable{"PAGER", of_helpers},
    CodeVariable{"BROWSER", of_helpers},
    CodeVariable{"SSH_ASKPASS", of_helpers},
    CodeVariable{"GIT_SSH*", of_git},
    CodeVariable{"GIT_CONFIG*", of_git},
    CodeVariable{"GIT_EXEC_PATH", of_git},
    CodeVariable{"GIT_EXTERNAL_DIFF", of_git},
    CodeVariable{"GIT_ASKPASS", of_git},
    CodeVariable{"GIT_EDITOR", of_git},
    CodeVariable{"GIT_SEQUENCE_EDITOR", of_git},
    CodeVariable{"GIT_PAGER", of_git},
    CodeVariable{"GIT_PROXY_COMMAND", of_git},
    CodeVariable{"GIT_TEMPLATE_DIR", of_git},
    CodeVariable{"npm_config_*", of_packages},
    CodeVariable{"NPM_CONFIG_*", of_packages},
    CodeVariable{"PIP_*", of_packages},
    CodeVariable{"UV_*", of_packages},
    CodeVariable{"HOME", of_homes},
    CodeVariable{"XDG_CONFIG_HOME", of_homes},
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

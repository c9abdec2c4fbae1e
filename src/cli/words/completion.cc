#include "cli/words/completion.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "cli/words/command_line.h"
#include "cli/words/command_table.h"
#include "cli/words/tool_arguments.h"
#include "config/keys.h"
#include "json/document.h"

namespace pi_mcp::cli {
namespace {

constexpr std::size_t what_units_max = 60;

// Strangers name servers and tools, and bash puts a candidate into the line as it is:
// what a shell would not read as one plain word is left out.
bool is_plain(std::string_view word) {
  constexpr std::string_view special = "\"'\\$`!&;|<>()[]{}*?#~^";
  return std::ranges::none_of(word, [special](char byte) {
    const bool is_control = static_cast<unsigned char>(byte) <= ' ' || byte == '\x7f';
    return is_control || special.find(byte) != std::string_view::npos;
  });
}

class Completer {
 public:
  Completer(const std::vector<std::string>& words, const CompletionFacts& facts)
      : previous_(words.begin(), words.empty() ? words.end() : words.end() - 1),
        current_(words.empty() ? "" : words.back()),
        facts_(facts) {}

  Completions run() {
    const std::size_t at = command_position(previous_);
    std::size_t first_word = at + 1;
    if (at < previous_.size()) {
      command_ = find_command(previous_[at]);
    }
    if (command_ == nullptr && at < previous_.size()) {  // a tool, without `call`
      command_ = &command(CommandId::call);
      first_word = at;
    }
    if (std::ranges::find(previous_, "--") != previous_.end()) {
      result_.also = Completions::Also::files;
      return std::move(result_);
    }
    if (const Option* open = open_option()) {
      add(open->completion, "");
      return std::move(result_);
    }
    if (current_.starts_with("-") && current_ != "-") {
      add_options(first_word);
    } else if (at < previous_.size()) {
      add_word(words_from(first_word));
    } else {
      add(Completion::command, "");
      if (result_.candidates.empty()) {
        add_tools();
      }
    }
    return std::move(result_);
  }

 private:
  // The option whose value is being typed as a word of its own.
  [[nodiscard]] const Option* open_option() const {
    if (previous_.empty() || !previous_.back().starts_with("-")) {
      return nullptr;
    }
    const Option* option = find_option(command_, previous_.back());
    return option != nullptr && !option->value.empty() ? option : nullptr;
  }

  void add_options(std::size_t first_word) {
    const std::size_t equals = current_.find('=');
    if (equals != std::string::npos) {
      if (const Option* option = find_option(command_, current_.substr(0, equals))) {
        add(option->completion, current_.substr(0, equals + 1));
      }
      return;
    }
    if (command_ != nullptr && command_->other_words == Completion::tool_argument) {
      add_tool_arguments(words_from(first_word), "--");
    }
    if (command_ != nullptr) {
      for (const Option& option : command_->options) {
        consider({std::string(option.name), option.help});
      }
    }
    for (const Option& option : global_options()) {
      if (find_option(command_, option.name) == &option) {
        consider({std::string(option.name), option.help});
      }
    }
  }

  // What was typed so far without options of ours.
  [[nodiscard]] std::vector<std::string> words_from(std::size_t first) const {
    std::vector<std::string> words;
    for (std::size_t i = first; i < previous_.size(); ++i) {
      const Option* option = find_option(command_, previous_[i]);
      if (option != nullptr && !option->value.empty()) {
        ++i;
      } else if (option == nullptr) {
        words.push_back(previous_[i]);
      }
    }
    return words;
  }

  void add_word(const std::vector<std::string>& words) {
    if (words.size() >= command_->words_max) {
      return;
    }
    const bool names_tool = command_->first_word == Completion::tool;
    if (words.empty()) {
      add(command_->first_word, "");
    } else if (names_tool && words.size() == 1 && facts_.schema(words).empty()) {
      consider_all(facts_.tools_of(words.front()), "");
    } else if (command_->other_words == Completion::tool_argument) {
      add_tool_arguments(words, "");
    } else {
      add(command_->other_words, "");
    }
  }

  // Also those behind "server." and "server/".
  void add_tools() {
    consider_all(facts_.tools(), "");
    for (std::size_t at = current_.find_first_of("./"); at != std::string::npos;
         at = current_.find_first_of("./", at + 1)) {
      consider_all(facts_.tools_of(current_.substr(0, at)), current_.substr(0, at + 1));
    }
  }

  // "path=", "format=png" and so on, or "--path"; keys that were given already are left out.
  void add_tool_arguments(const std::vector<std::string>& words, const std::string& dashes) {
    if (words.empty()) {
      return;
    }
    const Result<json::Document> document = json::Document::parse(facts_.schema(words));
    if (!document) {
      return;
    }
    const json::Value schema = document->root();
    const std::size_t equals = current_.find('=');
    if (equals != std::string::npos) {
      add_values(property_schema(schema, current_.substr(0, equals)), current_.substr(0, equals));
      return;
    }
    for (const json::Member member : schema.find("properties").members()) {
      const std::string key = member.name();
      const bool given = std::ranges::any_of(words, [&key](std::string_view word) {
        const std::string_view name = word.starts_with("--") ? word.substr(2) : word;
        return name == key ||
               (name.starts_with(key) && (name[key.size()] == '=' || name[key.size()] == ':'));
      });
      if (!given) {
        consider({dashes + key + (dashes.empty() ? "=" : ""),
                  member.value.find("description").string_or("")});
      }
    }
  }

  void add_values(json::Value property, const std::string& key) {
    const json::Value choices = property.find("enum");
    for (const json::Value choice : choices.elements()) {
      consider({key + "=" + choice.as_string().value_or(std::string(choice.raw())), ""});
    }
    if (property.find("type").equals("boolean")) {
      consider({key + "=true", ""});
      consider({key + "=false", ""});
    } else if (property.find("type").equals("string") && !choices) {
      result_.also = Completions::Also::files;
    }
  }

  void add(Completion kind, const std::string& prefix) {
    switch (kind) {
      case Completion::nothing:
      case Completion::tool_argument:
        return;
      case Completion::file:
        result_.also = Completions::Also::files;
        return;
      case Completion::directory:
        result_.also = Completions::Also::directories;
        return;
      case Completion::server:
        return consider_all(facts_.servers(), prefix);
      case Completion::tool:
        return add_tools();
      case Completion::import_kind:
        return consider_all(facts_.import_kinds(), prefix);
      case Completion::host_kind:
        return consider_all(facts_.host_kinds(), prefix);
      case Completion::server_or_key:
        return std::ranges::find(previous_, "--keys") == previous_.end()
                   ? consider_all(facts_.servers(), prefix)
                   : add_keys();
      case Completion::yes_or_no:
        return consider_all({{"yes", ""}, {"no", ""}}, prefix);
      case Completion::shell:
        return consider_all({{"bash", ""}, {"zsh", ""}, {"fish", ""}}, prefix);
      case Completion::secret_action:
        return consider_all({{"set", "store one"}, {"list", "names only"}, {"rm", "remove one"}},
                            prefix);
      case Completion::secret:
        return consider_all(facts_.secrets(), prefix);
      case Completion::token_action:
        return consider_all(
            {{"add", "make one"}, {"list", "names only"}, {"remove", "take one back"}}, prefix);
      case Completion::token:
        return consider_all(facts_.tokens(), prefix);
      case Completion::host:
        return consider_all({{"mcp", "any MCP host"}, {"pi", "the Pi coding agent"}}, prefix);
      case Completion::log_level:
        return consider_all(
            {{"error", ""}, {"warning", ""}, {"info", ""}, {"debug", ""}, {"off", ""}}, prefix);
      case Completion::command:
        return add_commands();
    }
  }

  void add_keys() {
    for (const config::KeyScope scope :
         {config::KeyScope::root, config::KeyScope::server, config::KeyScope::settings}) {
      for (const config::Key& key : config::keys_of(scope)) {
        consider({std::string(key.name), key.meaning});
      }
    }
  }

  void add_commands() {
    for (const Command& command : commands()) {
      if (command.group != Group::hidden) {
        consider({std::string(command.name), command.summary});
      }
    }
  }

  void consider_all(std::vector<Candidate> candidates, const std::string& prefix) {
    for (Candidate& candidate : candidates) {
      candidate.text.insert(0, prefix);
      consider(std::move(candidate));
    }
  }

  void consider(Candidate candidate) {
    if (candidate.text.starts_with(current_) && is_plain(candidate.text)) {
      result_.candidates.push_back(std::move(candidate));
    }
  }

  std::vector<std::string> previous_;
  std::string current_;
  const CompletionFacts& facts_;
  const Command* command_ = nullptr;
  Completions result_;
};

std::string one_line(std::string_view text) {
  std::string line = text::cut(text::printable(text), what_units_max);
  std::ranges::replace_if(line, [](char byte) { return byte == '\n' || byte == '\t'; }, ' ');
  return line;
}

constexpr std::string_view bash_script = R"(# Completion of pi-mcp for bash.
_pi_mcp() {
  local i last line directive=':nothing'
  local -a words=() lines=()
  # COMP_WORDS is cut at = and :, which belong to key=value.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    last=$((${#words[@]} - 1))
    if ((last >= 0)) && [[ ${COMP_WORDS[i]} == [=:]* || ${words[last]} == *[=:] ]]; then
      words[last]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
  done
  local current=${words[${#words[@]} - 1]}
  local kept=${current%"${current##*[=:]}"}
  while IFS= read -r line; do
    lines+=("$line")
  done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
  COMPREPLY=()
  for line in "${lines[@]}"; do
    case $line in
      :*) directive=$line ;;
      *) line=${line%%$'\t'*} && COMPREPLY+=("${line#"$kept"}") ;;
    esac
  done
  case $directive in
    :files) compopt -o filenames && COMPREPLY+=($(compgen -f -- "${current#"$kept"}")) ;;
    :directories) compopt -o filenames && COMPREPLY+=($(compgen -d -- "${current#"$kept"}")) ;;
  esac
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace
  fi
}
complete -F _pi_mcp pi-mcp
)";

constexpr std::string_view zsh_script = R"(#compdef pi-mcp
# Completion of pi-mcp for zsh.
_pi-mcp() {
  local line text
  local -a lines finished open
  lines=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "${(@)lines[1,-2]}"; do
    text=${${line%%$'\t'*}//:/\\:}
    if [[ $text == *= ]]; then
      open+=("$text:${line#*$'\t'}")
    else
      finished+=("$text:${line#*$'\t'}")
    fi
  done
  (( $#finished )) && _describe -t pi-mcp 'pi-mcp' finished
  (( $#open )) && _describe -t arguments 'argument' open -S ''
  case ${lines[-1]} in
    :files) compset -P '*='; _files ;;
    :directories) compset -P '*='; _files -/ ;;
  esac
}
if [[ ${funcstack[1]} == _pi-mcp ]]; then
  _pi-mcp "$@"
else
  compdef _pi-mcp pi-mcp
fi
)";

constexpr std::string_view fish_script = R"(# Completion of pi-mcp for fish.
function __pi_mcp_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command $typed[1] __complete $typed[2..-1] "$current" 2>/dev/null)
    for line in $lines
        switch $line
            case :files
                __fish_complete_path "$current"
            case :directories
                __fish_complete_directories "$current"
            case ':*'
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c pi-mcp -f -a '(__pi_mcp_complete)'
)";

}  // namespace

std::string Completions::text() const {
  std::string out;
  for (const Candidate& candidate : candidates) {
    out += text::printable(candidate.text) + "\t" + one_line(candidate.what) + "\n";
  }
  constexpr std::array<std::string_view, 3> last_lines = {":nothing", ":files", ":directories"};
  return out.append(last_lines.at(static_cast<std::size_t>(also))).append("\n");
}

Completions complete(const std::vector<std::string>& words, const CompletionFacts& facts) {
  return Completer(words, facts).run();
}

std::optional<std::string_view> completion_script(std::string_view shell) {
  for (const auto& [name, script] : {std::pair("bash", bash_script),
                                     std::pair("zsh", zsh_script),
                                     std::pair("fish", fish_script)}) {
    if (shell == name) {
      return script;
    }
  }
  return std::nullopt;
}

}  // namespace pi_mcp::cli

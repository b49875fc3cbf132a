#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "app/cli/command.h"
#include "app/cli/resource_address.h"

namespace kdsd::app::cli {
namespace {

// A command as completion sees it. `path` is " config check": each word behind a space, empty for the root.
struct Node {
  std::string path;
  std::string name;
  std::string help;
  std::vector<std::string> children;
  std::vector<const CLI::Option*> flags;
  bool takes_type = false;
};

std::string one_line(std::string text) { return text.substr(0, text.find('\n')); }

void collect(const CLI::App& app, const std::string& path, std::vector<Node>& nodes) {
  Node node{path, path.empty() ? "" : app.get_name(), one_line(app.get_description()), {}, {}, false};
  for (const auto* option : app.get_options()) {
    if (!option->nonpositional()) {
      node.takes_type = node.takes_type || option->get_type_name() == "TYPE";
    } else {
      node.flags.push_back(option);
    }
  }
  const auto children = app.get_subcommands([](const CLI::App*) { return true; });
  for (const auto* child : children) node.children.push_back(child->get_name());
  nodes.push_back(std::move(node));
  for (const auto* child : children) collect(*child, path + " " + child->get_name(), nodes);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string words_of(const Node& node) {
  std::vector<std::string> words = node.children;
  if (node.takes_type) {
    for (auto& word : type_words(Catalogue::builtin())) words.push_back(std::move(word));
  }
  for (const auto* flag : node.flags) {
    for (const auto& name : flag->get_lnames()) words.push_back("--" + name);
    for (const auto& name : flag->get_snames()) words.push_back("-" + name);
  }
  return joined(words);
}

// The cases that follow the command's words along the tree, the same text in bash and zsh.
std::string path_pattern(const std::vector<Node>& nodes) {
  std::string out;
  for (const auto& node : nodes) {
    if (!node.path.empty()) out += (out.empty() ? "\"" : "|\"") + node.path + "\"";
  }
  return out;
}

std::string word_cases(const std::vector<Node>& nodes) {
  std::string out;
  for (const auto& node : nodes) out += "    \"" + node.path + "\") choices=\"" + words_of(node) + "\" ;;\n";
  return out;
}

std::string bash_script(const std::vector<Node>& nodes) {
  return "# bash completion for kdsd; load it with: source <(kdsd completion bash)\n"
         "_kdsd() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" path=\"\" choices=\"\" i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"$path ${COMP_WORDS[i]}\" in\n"
         "      " +
         path_pattern(nodes) +
         ") path=\"$path ${COMP_WORDS[i]}\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$path\" in\n" +
         word_cases(nodes) +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _kdsd kdsd\n";
}

std::string zsh_script(const std::vector<Node>& nodes) {
  return "#compdef kdsd\n"
         "# zsh completion for kdsd; load it with: source <(kdsd completion zsh)\n"
         "_kdsd() {\n"
         "  local kdsd_path=\"\" words_before=(\"${(@)words[2,CURRENT-1]}\") each choices=\"\"\n"
         "  for each in \"${words_before[@]}\"; do\n"
         "    case \"$kdsd_path $each\" in\n"
         "      " +
         path_pattern(nodes) +
         ") kdsd_path=\"$kdsd_path $each\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$kdsd_path\" in\n" +
         word_cases(nodes) +
         "  esac\n"
         "  compadd -- ${=choices}\n"
         "  _files\n"
         "}\n"
         "compdef _kdsd kdsd\n";
}

std::string single_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("\\'") : std::string(1, c);
  return out + "'";
}

// Fish has a condition on the words before the cursor instead of one function.
std::string fish_condition(const Node& node) {
  if (node.path.empty()) return "__fish_use_subcommand";
  std::string condition;
  for (std::size_t at = 0; at < node.path.size();) {
    const auto end = std::min(node.path.find(' ', at + 1), node.path.size());
    condition +=
        (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + node.path.substr(at + 1, end - at - 1));
    at = end;
  }
  return condition;
}

std::string fish_script(const std::vector<Node>& nodes) {
  std::string out = "# fish completion for kdsd; load it with: kdsd completion fish | source\n";
  for (const auto& node : nodes) {
    const auto begin = "complete -c kdsd -n " + single_quoted(fish_condition(node));
    for (const auto& child : node.children) {
      std::string help;
      for (const auto& other : nodes) {
        if (other.path == node.path + " " + child) help = other.help;
      }
      out += begin + " -f -a " + child + " -d " + single_quoted(help) + "\n";
    }
    if (node.takes_type) out += begin + " -f -a " + single_quoted(joined(type_words(Catalogue::builtin()))) + "\n";
    for (const auto* flag : node.flags) {
      out += begin;
      for (const auto& name : flag->get_lnames()) out += " -l " + name;
      for (const auto& name : flag->get_snames()) out += " -s " + name;
      if (flag->get_items_expected_max() > 0) out += " -r";
      out += " -d " + single_quoted(one_line(flag->get_description())) + "\n";
    }
  }
  return out;
}

}  // namespace

void add_completion(Commands& commands) {
  auto shell = std::make_shared<std::string>();
  auto& command = add_command(commands.root, "completion", "print a completion script for a shell",
                              "source <(kdsd completion bash)");
  command.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  on_chosen(command, commands, [shell, &commands](Console& console) {
    std::vector<Node> nodes;
    collect(commands.root, "", nodes);
    console.out << (*shell == "bash" ? bash_script(nodes) : *shell == "zsh" ? zsh_script(nodes) : fish_script(nodes));
    return exit_done;
  });
}

}  // namespace kdsd::app::cli

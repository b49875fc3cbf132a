// `kdsd policy merge|rbac|grant|attach -f FILE`: the rules of policies, without a server.
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <ostream>

#include "app/cli/command.h"
#include "app/cli/document_input.h"
#include "app/cli/evaluation_text.h"
#include "app/cli/output.h"
#include "model/json.h"
#include "policy/engine/evaluation.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

struct EvaluationFlags {
  std::string file;
  OutputFormat format = OutputFormat::table;
  policy::EvaluationOptions options;
};
using EvaluationFlagsPtr = std::shared_ptr<EvaluationFlags>;

using Evaluate = std::function<Result<json::object>(const json::value& input, const EvaluationFlags& flags)>;
using AsText = std::function<std::string(const json::object& answer)>;

// The input itself, or a case of which it is the member `input`.
Result<json::value> read_evaluation(const Console& console, const std::string& path) {
  auto files = read_input(console, path);
  if (!files.ok()) return files.status();
  if (files->size() != 1) return Status(Code::invalid, path + ": one file is needed");
  auto documents = split_documents(files->front());
  if (!documents.ok()) return documents.status();
  if (documents->size() != 1) return Status(Code::invalid, path + ": one document is needed");
  auto& document = documents->front().value;
  if (const auto* input = find(document, {"input"})) return *input;
  return std::move(document);
}

int evaluate(Console& console, const EvaluationFlags& flags, const Evaluate& function, const AsText& as_text) {
  const auto input = read_evaluation(console, flags.file);
  if (!input.ok()) return fail(console, input.status());
  const auto answer = function(*input, flags);
  if (!answer.ok()) return fail(console, answer.status().prefixed(flags.file));
  if (flags.format == OutputFormat::table) {
    console.out << as_text(*answer);
    console.err << warnings_text(*answer);
  } else {
    print_document(console, flags.format, *answer);
  }
  return exit_done;
}

// A command with the flags that all have.
CLI::App& add_evaluation(CLI::App& parent, const std::string& name, const std::string& help,
                         const EvaluationFlagsPtr& flags) {
  auto& command = add_command(parent, name, help, "kdsd policy " + name + " -f input.yaml");
  command
      .add_option("-f,--file", flags->file,
                  "file, or - for standard input; a case of which `input` is a member will do")
      ->required()
      ->type_name("FILE|-");
  add_output_flag(command, flags->format);
  return command;
}

void add_merge(CLI::App& parent, Commands& commands) {
  auto flags = std::make_shared<EvaluationFlags>();
  auto& command =
      add_evaluation(parent, "merge", "merge policies: a conf for each destination or group of clients", flags);
  command.add_flag("--origin", flags->options.with_origin, "say which policy gave which field");
  command.add_flag("--rules", flags->options.with_rules, "show the confs of all destinations that policies name");
  command.add_flag("--shadow", flags->options.with_shadow, "with the policies whose effect is shadow");
  on_chosen(command, commands, [flags](Console& console) {
    return evaluate(
        console, *flags,
        [](const json::value& input, const EvaluationFlags& given) {
          return policy::evaluate_merge(input, Catalogue::builtin(), given.options);
        },
        merge_text);
  });
}

void add_rbac(CLI::App& parent, Commands& commands) {
  auto flags = std::make_shared<EvaluationFlags>();
  auto& command = add_evaluation(parent, "rbac", "show the RBAC filter that permissions mean", flags);
  command.add_flag("--shadow", flags->options.with_shadow, "with the policies whose effect is shadow");
  on_chosen(command, commands, [flags](Console& console) {
    return evaluate(
        console, *flags,
        [](const json::value& input, const EvaluationFlags& given) {
          return policy::evaluate_rbac(input, Catalogue::builtin(), given.options);
        },
        [](const json::object& answer) { return rbac_text(answer.at("config")); });
  });
}

void add_grant(CLI::App& parent, Commands& commands) {
  auto flags = std::make_shared<EvaluationFlags>();
  auto& command = add_evaluation(parent, "grant", "say whether a reference to another namespace is allowed", flags);
  on_chosen(command, commands, [flags](Console& console) {
    return evaluate(
        console, *flags,
        [](const json::value& input, const EvaluationFlags&) { return policy::evaluate_grant(input, {}); }, grant_text);
  });
}

void add_attach(CLI::App& parent, Commands& commands) {
  auto flags = std::make_shared<EvaluationFlags>();
  auto& command = add_evaluation(parent, "attach", "show the effective policy of an object, down its hierarchy", flags);
  command.add_flag("--origin", flags->options.with_origin, "say which section gave which field, and what conflicts");
  on_chosen(command, commands, [flags](Console& console) {
    return evaluate(
        console, *flags,
        [](const json::value& input, const EvaluationFlags& given) {
          return policy::evaluate_attachment(input, given.options);
        },
        attachment_text);
  });
}

}  // namespace

void add_policy(Commands& commands) {
  auto& policy = add_command(commands.root, "policy", "evaluate policies of a file, without a server",
                             "kdsd policy merge -f timeouts.yaml --origin");
  policy.require_subcommand(1);
  add_merge(policy, commands);
  add_rbac(policy, commands);
  add_grant(policy, commands);
  add_attach(policy, commands);
}

}  // namespace kdsd::app::cli

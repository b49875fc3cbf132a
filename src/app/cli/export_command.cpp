#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <ostream>

#include "app/cli/command.h"
#include "app/cli/content.h"
#include "app/cli/listing.h"
#include "app/cli/private_file.h"
#include "app/cli/refusal.h"
#include "app/cli/resource_address.h"
#include "app/cli/server_flags.h"
#include "app/cli/yaml_output.h"
#include "model/json.h"
#include "model/labels.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

struct ExportOptions {
  std::string output = "-";
  std::string format = "universal";
  ServerFlags server;
};

// Where the documents of one type go: all into one stream, or each type into a file of its own.
class Writer {
 public:
  Writer(Console& console, std::string target) : console_(console), target_(std::move(target)) {
    is_directory_ = target_ != "-" && (target_.ends_with('/') || std::filesystem::is_directory(target_));
  }

  Status begin(const ResourceType& type) {
    if (target_ == "-") return {};
    if (!is_directory_) return file_.is_open() ? Status() : open(target_);
    std::error_code error;
    std::filesystem::create_directories(target_, error);
    if (error) return Status(Code::unavailable, target_ + ": cannot be made: " + error.message());
    return open((std::filesystem::path(target_) / (file_number() + type.path + ".yaml")).string());
  }

  Status write(const json::value& document) {
    const auto text = (has_documents_ ? "---\n" : "") + to_yaml(document);
    has_documents_ = true;
    if (target_ != "-") return file_.write(text);
    console_.out << text;
    return {};
  }

  Status finish() { return file_.close(); }

 private:
  // Files are read back in the order of their names, and that is the order of `exported_types`.
  std::string file_number() {
    const auto number = std::to_string(++files_);
    return std::string(number.size() < 2 ? "0" : "") + number + "-";
  }
  Status open(const std::string& name) {
    has_documents_ = false;
    return file_.create(name);
  }

  Console& console_;
  std::string target_;
  bool is_directory_ = false;
  bool has_documents_ = false;
  int files_ = 0;
  PrivateFile file_;  // it holds keys
};

// The Kubernetes form of one item. A control plane without namespaces leaves the labels out of it.
Result<json::value> kubernetes_form(RestClient& client, const ResourceType& type, const json::value& item) {
  const auto path = item_path(type, find_text(item, {"mesh"}), find_text(item, {"name"}));
  auto answer = client.get(path + "?format=k8s");
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) return refusal_of(*answer);
  auto document = parse_json(answer->body);
  if (!document.ok() || !document->is_object()) return Status(Code::malformed, path + ": the answer is no document");
  auto& object = document->get_object();
  const auto* labels = find(item, {"labels"});
  auto* metadata = object.if_contains("metadata");
  if (labels != nullptr && metadata != nullptr && metadata->is_object() && !metadata->get_object().contains("labels"))
    metadata->get_object()["labels"] = *labels;
  if (metadata != nullptr && metadata->is_object()) metadata->get_object().erase("creationTimestamp");
  object.erase("status");
  return document;
}

// What this control plane computes anew, and what only it can know.
void drop_computed(json::value& item) {
  for (const char* name : {"creationTime", "modificationTime", "kri", "status"}) item.as_object().erase(name);
}

Result<std::size_t> export_type(RestClient& client, const ResourceType& type, const ExportOptions& options,
                                const ControlPlaneView& control_plane, Writer& writer) {
  auto items = list_all(client, collection_path(type, ""), "");
  if (!items.ok())
    return items.status().code() == Code::not_found ? Result<std::size_t>(std::size_t{0})
                                                    : Result<std::size_t>(items.status());
  std::size_t count = 0;
  for (auto& item : *items) {
    if (!item.is_object() || is_copy(item, control_plane)) continue;
    if (count == 0) {
      if (auto status = writer.begin(type); !status.ok()) return status;
    }
    if (options.format == "kubernetes") {
      auto document = kubernetes_form(client, type, item);
      if (!document.ok()) return document.status();
      item = std::move(*document);
    } else {
      drop_computed(item);
    }
    if (auto status = writer.write(item); !status.ok()) return status;
    ++count;
  }
  return count;
}

int export_all(Console& console, const ExportOptions& options) {
  auto client = make_client(console, options.server);
  if (!client.ok()) return fail_to_connect(console, client.status());
  auto control_plane = view_control_plane(*client);
  if (!control_plane.ok()) return fail(console, control_plane.status());
  Writer writer(console, options.output);
  std::size_t total = 0;
  for (const auto* type : exported_types(Catalogue::builtin())) {
    auto count = export_type(*client, *type, options, *control_plane, writer);
    if (!count.ok()) return fail(console, count.status().prefixed(type->name));
    if (*count > 0) console.err << type->name << ' ' << *count << '\n';
    total += *count;
  }
  if (auto status = writer.finish(); !status.ok()) return fail(console, status);
  console.err << "exported " << total << " resources\n";
  return exit_done;
}

}  // namespace

void add_export(Commands& commands) {
  auto options = std::make_shared<ExportOptions>();
  auto& command = add_command(commands.root, "export", "write the whole content of a control plane, secrets included",
                              "kdsd export -o content.yaml");
  command
      .add_option("-o,--output", options->output, "file, directory (a file for each type), or - for standard output")
      ->type_name("FILE|DIR|-")
      ->capture_default_str();
  command.add_option("--format", options->format, "universal or kubernetes")
      ->check(CLI::IsMember({"universal", "kubernetes"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  add_server_flags(command, options->server);
  on_chosen(command, commands, [options](Console& console) { return export_all(console, *options); });
}

}  // namespace kdsd::app::cli

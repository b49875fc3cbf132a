#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "app/cli/apply.h"
#include "app/cli/command.h"
#include "app/cli/content.h"
#include "app/cli/document_input.h"
#include "app/cli/resource_address.h"
#include "app/cli/server_flags.h"
#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

constexpr std::size_t progress_interval = 500;  // documents between two lines

struct ImportOptions {
  std::vector<std::string> inputs;
  ServerFlags server;
};

struct Counts {
  std::size_t written = 0;
  std::size_t unchanged = 0;
  std::size_t skipped = 0;
  std::size_t refused = 0;
};

class Import {
 public:
  Import(Console& console, RestClient& client, ControlPlaneView control_plane)
      : console_(console), client_(client), applier_(client), control_plane_(std::move(control_plane)) {}

  void add(InputDocument input) {
    auto prepared = prepare(Catalogue::builtin(), std::move(input.value));
    if (!prepared.ok()) {
      refuse(input.place, prepared.status());
    } else if (prepared->document.type->read_only) {
      skip(prepared->text(prepared->document.name), "computed by the control plane");
    } else if (is_copy(prepared->body, control_plane_)) {
      skip(prepared->text(prepared->document.name), "comes from another control plane, which sends it");
    } else {
      documents_.push_back(std::move(*prepared));
    }
  }

  // False when the server is gone.
  bool run() {
    const auto order = exported_types(Catalogue::builtin());
    const auto place = [&](const Prepared& prepared) {
      return std::find(order.begin(), order.end(), prepared.document.type) - order.begin();
    };
    std::stable_sort(documents_.begin(), documents_.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
    for (const auto& prepared : documents_) {
      if (prepared.document.type->name == "Mesh" && !make_bare_mesh(prepared)) return false;
    }
    std::size_t done = 0;
    for (const bool is_mesh_turn : {false, true}) {
      for (const auto& prepared : documents_) {
        if ((prepared.document.type->name == "Mesh") != is_mesh_turn) continue;
        if (!apply(prepared)) return false;
        if (++done % progress_interval == 0) console_.err << done << " of " << documents_.size() << '\n';
      }
    }
    return true;
  }

  const Counts& counts() const { return counts_; }

 private:
  // A new mesh begins without default policies, which may have been removed where the content comes from, and without
  // backends, whose secrets come next. The whole document follows at the end.
  bool make_bare_mesh(const Prepared& prepared) {
    const auto target = item_path(*prepared.document.type, "", prepared.document.name);
    auto existing = client_.get(target);
    if (!existing.ok()) return lost(existing.status());
    if (existing->status != 404) return true;
    const json::object bare{
        {"type", "Mesh"}, {"name", prepared.document.name}, {"skipCreatingInitialPolicies", json::array{"*"}}};
    auto answer = client_.put(target, to_compact_json(bare));
    return answer.ok() || lost(answer.status());
  }

  bool apply(const Prepared& prepared) {
    auto name = applier_.name_in_address(prepared);
    auto applied = name.ok() ? applier_.apply(prepared, *name) : Result<Applied>(name.status());
    const auto what = prepared.text(name.ok() ? *name : prepared.document.name);
    if (applied.ok()) {
      ++(applied->verdict == Verdict::unchanged ? counts_.unchanged : counts_.written);
      for (const auto& warning : applied->warnings) console_.err << "Warning: " << what << ": " << warning << '\n';
      return true;
    }
    if (applied.status().code() == Code::unavailable) return lost(applied.status());
    refuse(what, applied.status());
    return true;
  }

  bool lost(const Status& status) {
    fail(console_, status);
    return false;
  }
  void skip(const std::string& what, const char* why) {
    ++counts_.skipped;
    console_.err << what << " skipped: " << why << '\n';
  }
  void refuse(const std::string& what, const Status& status) {
    ++counts_.refused;
    console_.out << what << ' ' << coloured(console_, Colour::red, "refused:") << ' ' << status.message()
                 << violation_lines(status.violations()) << '\n';
  }

  Console& console_;
  RestClient& client_;
  Applier applier_;
  const ControlPlaneView control_plane_;
  std::vector<Prepared> documents_;
  Counts counts_;
};

int import_all(Console& console, const ImportOptions& options) {
  bool all_good = true;
  auto inputs = read_documents(console, options.inputs, all_good);
  if (inputs.empty() && all_good)
    return fail(console, Status(Code::not_found, "there is no document in what was given"));
  auto client = make_client(console, options.server);
  if (!client.ok()) return fail_to_connect(console, client.status());
  auto control_plane = view_control_plane(*client);
  if (!control_plane.ok()) return fail(console, control_plane.status());
  Import import(console, *client, std::move(*control_plane));
  for (auto& input : inputs) import.add(std::move(input));
  const bool is_complete = import.run();
  const auto& counts = import.counts();
  console.out << "imported " << counts.written << ", unchanged " << counts.unchanged << ", skipped " << counts.skipped
              << ", refused " << counts.refused << '\n';
  return all_good && is_complete && counts.refused == 0 ? exit_done : exit_failed;
}

}  // namespace

void add_import(Commands& commands) {
  auto options = std::make_shared<ImportOptions>();
  auto& command =
      add_command(commands.root, "import", "write what `kdsd export` or `kumactl export` read from a control plane",
                  "kdsd import -f content.yaml");
  command
      .add_option("-f,--file", options->inputs, "file, directory (its *.yaml, *.yml, *.json), or - for standard input")
      ->required()
      ->allow_extra_args(false)
      ->type_name("FILE|DIR|-");
  add_server_flags(command, options->server);
  on_chosen(command, commands, [options](Console& console) { return import_all(console, *options); });
}

}  // namespace kdsd::app::cli

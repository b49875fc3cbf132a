#include "runner.h"

#include <sstream>

#include "model/proto_spec.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "kuma/system/v1alpha1/config.pb.h"
#include "kuma/system/v1alpha1/zone.pb.h"
#include "node.h"

namespace kdsd::scenario {
namespace {

constexpr std::int64_t settle_time = 30 * sim::second;  // longer than keepalive timeout and back-off together

std::string option(const std::vector<std::string>& words, const std::string& name, const std::string& otherwise) {
  for (const auto& word : words) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return otherwise;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  std::string word;
  while (std::getline(in, word, separator)) {
    if (!word.empty()) out.push_back(word);
  }
  return out;
}

template <typename Message>
std::string bytes_of(const Message& message) {
  message.ByteSizeLong();
  return serialize_deterministic(message);
}

// A spec from a few words: timeout=5s, port=80, value=x, ref=catalog (what a policy is about).
std::string spec_of(const std::string& type, const std::vector<std::string>& words) {
  if (type == "MeshTimeout") {
    std::string target;
    if (auto zone = option(words, "for-zone", ""); !zone.empty()) {
      target = R"("targetRef":{"kind":"MeshSubset","tags":{"kuma.io/zone":")" + zone + R"("}},)";
    }
    const auto service = option(words, "ref", "");
    const auto ref =
        service.empty() ? std::string(R"({"kind":"Mesh"})") : R"({"kind":"MeshService","name":")" + service + R"("})";
    return "{" + target + R"("to":[{"targetRef":)" + ref + R"(,"default":{"connectionTimeout":")" +
           option(words, "timeout", "1s") + R"("}}]})";
  }
  if (type == "MeshService")
    return R"({"ports":[{"port":)" + option(words, "port", "80") +
           R"(,"appProtocol":"http"}],"selector":{"dataplaneTags":{"a":"b"}}})";
  if (type == "Dataplane") {
    kuma::mesh::v1alpha1::Dataplane spec;
    spec.mutable_networking()->set_address("10.0.0.1");
    auto& inbound = *spec.mutable_networking()->add_inbound();
    inbound.set_port(static_cast<std::uint32_t>(std::stoul(option(words, "port", "80"))));
    (*inbound.mutable_tags())["kuma.io/service"] = "web";
    return bytes_of(spec);
  }
  if (type == "Secret" || type == "GlobalSecret") {
    kuma::system::v1alpha1::Secret spec;
    spec.mutable_data()->set_value(option(words, "value", "x"));
    return bytes_of(spec);
  }
  return {};
}

sim::WorldOptions world_options() {
  sim::WorldOptions options;
  options.link.delay_min = options.link.delay_max = sim::millisecond;
  options.commit_min = options.commit_max = sim::millisecond;
  return options;
}

}  // namespace

Runner::Runner() {
  verbs_["start"] = [this](const Words& words, auto&) { start(words); };
  verbs_["put"] = [this](const Words& words, auto&) { put(words); };
  verbs_["delete"] = [this](const Words& words, auto&) { remove(words); };
  verbs_["cut"] = [this](const Words& words, auto&) { world_->network().leave(words.at(1)); };
  verbs_["join"] = [this](const Words& words, auto&) { world_->network().join(words.at(1)); };
  verbs_["lose"] = [this](const Words& words, auto&) {
    world_->network().half_open(words.at(1), sim::Side::zone, true);
  };
  verbs_["crash"] = [this](const Words& words, auto&) { world_->crash(world_->party(words.at(1)), false); };
  verbs_["restart"] = [this](const Words& words, auto&) { world_->restart(world_->party(words.at(1))); };
  verbs_["restore"] = [this](const Words& words, auto&) {
    // The party has to be down; `back` counts commits.
    auto* node = dynamic_cast<sim::Node*>(&world_->party(words.at(1)));
    if (node != nullptr) node->restore_backup(std::stoul(option(words, "back", "1")));
  };
  verbs_["disable"] = [this](const Words& words, auto&) { switch_zone(words.at(1), false); };
  verbs_["enable"] = [this](const Words& words, auto&) { switch_zone(words.at(1), true); };
  verbs_["settle"] = [this](const Words&, auto& output) { settle(output); };
  verbs_["show"] = [this](const Words& words, auto& output) { show(words, output); };
}

bool Runner::play(const std::string& command, std::vector<std::string>& output) {
  const auto words = split(command, ' ');
  if (words.empty()) return true;
  auto verb = verbs_.find(words.front());
  if (verb == verbs_.end() || (!world_ && words.front() != "start") ||
      (words.size() < 2 && words.front() != "settle")) {
    output.push_back("cannot read: " + command);
    return false;
  }
  verb->second(words, output);
  if (world_) {
    for (const auto& violation : world_->violations()) output.push_back("violation: " + violation);
    return world_->violations().empty();
  }
  return true;
}

// start global zones=east,west,kuma:north
void Runner::start(const Words& words) {
  world_ = std::make_unique<sim::World>(world_options());
  workload_ = std::make_unique<sim::Workload>(*world_);
  acknowledged_ = std::make_unique<sim::AcknowledgedChecker>(*world_, *workload_);
  convergence_ = std::make_unique<sim::ConvergenceChecker>(*world_);
  leak_ = std::make_unique<sim::LeakChecker>(*world_);
  history_ = std::make_unique<sim::HistoryChecker>(*world_);
  narrator_ = std::make_unique<Narrator>(*world_);
  for (sim::Observer* observer :
       std::initializer_list<sim::Observer*>{acknowledged_.get(), leak_.get(), history_.get(), narrator_.get()}) {
    world_->observe(observer);
  }
  world_->add_global();
  for (const auto& zone : split(option(words, "zones", "east,west"), ',')) {
    if (zone.starts_with("kuma:")) {
      world_->add_kuma_zone(zone.substr(5), {"zone-token", "hash-suffix", "hg-mz-selector", "producer-policy-flow",
                                             "optional-top-level-target-ref"});
    } else {
      world_->add_zone(zone);
    }
  }
  world_->start();
  Resource mesh;
  mesh.type = &world_->type("Mesh");
  mesh.name = "default";
  mesh.labels = sim::own_labels(world_->global(), "");
  workload_->put(world_->global(), std::move(mesh));
  world_->run_for(settle_time);
}

ResourceKey Runner::key_of(const Words& words) const {
  const auto slash = words.at(2).find('/');
  ResourceKey key;
  key.type = &world_->type(words.at(2).substr(0, slash));
  key.name = words.at(2).substr(slash + 1);
  if (key.type->mesh_scoped) key.mesh = option(words, "mesh", "default");
  return key;
}

// put east MeshTimeout/slow timeout=5s [ref=catalog] [producer=shop] [for-zone=west] [sync=disabled]
void Runner::put(const Words& words) {
  auto& at = world_->party(words.at(1));
  const auto key = key_of(words);
  narrator_->show_type(key.type->name);
  Resource resource;
  resource.type = key.type;
  resource.mesh = key.mesh;
  resource.name = key.name;
  resource.labels = sim::own_labels(at, key.mesh);
  if (auto written_in = option(words, "producer", ""); !written_in.empty()) {
    resource.labels.set("k8s.kuma.io/namespace", written_in);
    resource.labels.set("kuma.io/policy-role", "producer");
  }
  if (auto sync = option(words, "sync", ""); !sync.empty()) resource.labels.set("kuma.io/kds-sync", sync);
  resource.spec = spec_of(key.type->name, words);
  workload_->put(at, std::move(resource));
}

void Runner::remove(const Words& words) { workload_->remove(world_->party(words.at(1)), key_of(words)); }

void Runner::switch_zone(const std::string& zone, bool enabled) {
  kuma::system::v1alpha1::Zone spec;
  spec.mutable_enabled()->set_value(enabled);
  Resource resource;
  resource.type = &world_->type("Zone");
  resource.name = zone;
  resource.spec = bytes_of(spec);
  workload_->put(world_->global(), std::move(resource));
}

void Runner::settle(std::vector<std::string>& output) {
  world_->run_for(settle_time);
  for (auto& line : narrator_->take()) output.push_back(std::move(line));
}

// show east [type]: what it holds of the types that this file has put, and where each comes from.
void Runner::show(const Words& words, std::vector<std::string>& output) {
  const auto& at = world_->party(words.at(1));
  const auto type = words.size() > 2 ? words[2] : std::string();
  for (const auto& [key, resource] : at.resources()) {
    if (type.empty() ? key.type->name == "ZoneInsight" || key.type->name == "Mesh" || key.type->name == "Zone"
                     : key.type->name != type)
      continue;
    const auto& shown = resource->labels.get("kuma.io/display-name");
    const auto& from = resource->is_copy() ? resource->labels.get("kuma.io/zone") : std::string();
    output.push_back(at.name() + " has " + key.type->name + "/" + (shown.empty() ? key.name : shown) +
                     (resource->is_copy() ? " of " + (from.empty() ? "global" : from) : " of its own"));
  }
  if (auto text = convergence_->difference(false); !text.empty()) output.push_back("not converged: " + text);
}

std::string played(const std::string& file) {
  std::istringstream in(file);
  std::string out;
  std::string line;
  Runner runner;
  std::vector<std::string> output;
  bool expecting = false;
  while (std::getline(in, line)) {
    if (expecting && !line.empty()) continue;  // what was printed last time
    expecting = false;
    out += line + "\n";
    if (line == "----") {
      for (const auto& printed : output) out += printed + "\n";
      output.clear();
      expecting = true;
    } else if (!line.starts_with("#")) {
      runner.play(line, output);
    }
  }
  return out;
}

}  // namespace kdsd::scenario

// Plays a scenario file: a dialogue of commands and of what they print, on the simulated world with all checkers on.
//
// A file is a comment (what is shown, what it guards) and blocks: commands, a line `----`, what they print, an empty
// line.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checker_acknowledged.h"
#include "checker_convergence.h"
#include "checker_history.h"
#include "checker_leak.h"
#include "workload.h"
#include "world.h"

namespace kdsd::scenario {

// Notes what crosses the links, in names that people gave.
class Narrator : public sim::Observer {
 public:
  explicit Narrator(sim::World& world) : world_(world) {}

  void on_response(const sim::ControlPlane& from, const sim::Handle& handle, const std::string& zone,
                   const kds::Response& response) override;
  void on_request(const sim::ControlPlane& from, const sim::Handle& handle, const std::string& zone,
                  const kds::Request& request) override;
  void show_type(const std::string& type) { shown_.insert(type); }
  // What was noted since the last call, by link, in its order.
  std::vector<std::string> take();

 private:
  struct Out {
    std::string nonce;
    std::string link;
    std::size_t line = 0;
  };
  std::string name_of(const std::string& type, const std::string& wire) const;

  sim::World& world_;
  std::set<std::string> shown_;
  std::map<std::pair<std::string, std::string>, std::string> names_;  // (type, wire name) -> display name
  std::map<std::pair<sim::Handle, std::string>, Out> out_;
  std::map<std::string, std::vector<std::string>> lines_;  // by link
};

class Runner {
 public:
  Runner();

  // One command; what it prints is appended. False: unknown or malformed, said in the output.
  bool play(const std::string& command, std::vector<std::string>& output);

 private:
  using Words = std::vector<std::string>;
  using Verb = std::function<void(const Words&, std::vector<std::string>&)>;

  void start(const Words& words);
  void put(const Words& words);
  void remove(const Words& words);
  void settle(std::vector<std::string>& output);
  void show(const Words& words, std::vector<std::string>& output);
  void switch_zone(const std::string& zone, bool enabled);
  ResourceKey key_of(const Words& words) const;

  std::map<std::string, Verb> verbs_;
  std::unique_ptr<sim::World> world_;
  std::unique_ptr<sim::Workload> workload_;
  std::unique_ptr<sim::AcknowledgedChecker> acknowledged_;
  std::unique_ptr<sim::ConvergenceChecker> convergence_;
  std::unique_ptr<sim::LeakChecker> leak_;
  std::unique_ptr<sim::HistoryChecker> history_;
  std::unique_ptr<Narrator> narrator_;
};

// What the whole file prints, in the form of the file itself.
std::string played(const std::string& file);

}  // namespace kdsd::scenario

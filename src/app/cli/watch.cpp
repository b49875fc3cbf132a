#include "app/cli/watch.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <ostream>

#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

std::string identity_of(const json::value& document) {
  return std::string(find_text(document, {"mesh"})) + "/" + std::string(find_text(document, {"name"}));
}

void wait(std::chrono::milliseconds interval) {
  boost::asio::io_context io;
  boost::asio::steady_timer timer(io, interval);
  timer.wait();
}

}  // namespace

std::string_view event_text(Event event) {
  switch (event) {
    case Event::added:
      return "added";
    case Event::modified:
      return "modified";
    case Event::deleted:
      return "deleted";
  }
  return {};
}

std::vector<Change> ChangeFinder::next(const json::array& documents) {
  std::vector<Change> changes;
  std::map<std::string, json::value> current;
  for (const auto& document : documents) {
    const auto identity = identity_of(document);
    const auto before = known_.find(identity);
    if (before == known_.end()) {
      changes.push_back({Event::added, document});
    } else {
      if (!json_equal(before->second, document)) changes.push_back({Event::modified, document});
      known_.erase(before);
    }
    current.emplace(identity, document);
  }
  for (auto& [identity, document] : known_) changes.push_back({Event::deleted, std::move(document)});
  known_ = std::move(current);
  return changes;
}

namespace {

std::vector<std::string> with_event(std::vector<std::string> columns) {
  columns.insert(columns.begin(), "EVENT");
  return columns;
}

}  // namespace

ChangePrinter::ChangePrinter(Console& console, OutputFormat format, std::vector<std::string> columns, Cells cells)
    : console_(console), format_(format), table_(with_event(std::move(columns))), cells_(std::move(cells)) {}

void ChangePrinter::operator()(const std::vector<Change>& changes) {
  for (const auto& change : changes) {
    const std::string event(event_text(change.event));
    if (format_ == OutputFormat::table) {
      auto cells = cells_(change.document);
      cells.insert(cells.begin(), event);
      table_.add(std::move(cells));
    } else if (format_ == OutputFormat::json) {
      console_.out << to_compact_json(boost::json::object{{"event", event}, {"object", change.document}}) << '\n';
    } else {
      console_.out << (is_first_document_ ? "" : "---\n") << "# " << event << '\n';
      print_document(console_, format_, change.document);
      is_first_document_ = false;
    }
  }
  if (format_ == OutputFormat::table) console_.out << table_.take_text();
}

int watch(Console& console, const Fetch& fetch, const Show& show) {
  ChangeFinder finder;
  bool is_first = true;
  bool is_lost = false;
  for (std::size_t round = 0; console.watch_rounds_max == 0 || round < console.watch_rounds_max; ++round) {
    if (!is_first) wait(console.watch_interval);
    auto documents = fetch();
    if (!documents.ok()) {
      if (is_first) return fail(console, documents.status());
      if (!is_lost) (void)fail(console, documents.status());
      is_lost = true;
      continue;
    }
    if (is_lost) console.err << "kdsd: the server answers again\n";
    is_lost = false;
    const auto changes = finder.next(*documents);
    if (is_first || !changes.empty()) show(changes);
    is_first = false;
    console.out.flush();
    if (!console.out.good()) break;  // nobody reads any more
  }
  return exit_done;
}

}  // namespace kdsd::app::cli

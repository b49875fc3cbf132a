// The loop behind --watch: asks again every second and tells what became different.
//
// The first failure ends it; later ones are told once and waited out, so that a restart of the server is survived.
#pragma once

#include <boost/json/array.hpp>
#include <functional>
#include <map>
#include <string>

#include "app/cli/console.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "model/status.h"

namespace kdsd::app::cli {

enum class Event { added, modified, deleted };
std::string_view event_text(Event event);

struct Change {
  Event event = Event::added;
  boost::json::value document;  // for a deletion the last one that was seen
};

// Compares lists with the one before. Pure.
class ChangeFinder {
 public:
  std::vector<Change> next(const boost::json::array& documents);

 private:
  std::map<std::string, boost::json::value> known_;  // by mesh and name
};

using Fetch = std::function<Result<boost::json::array>()>;
using Show = std::function<void(const std::vector<Change>&)>;

// Shows changes in the format asked for: a table with the event in front, a JSON line each, or YAML documents.
class ChangePrinter {
 public:
  using Cells = std::function<std::vector<std::string>(const boost::json::value& document)>;

  // `console` must outlive the printer. `columns` without that of the event.
  ChangePrinter(Console& console, OutputFormat format, std::vector<std::string> columns, Cells cells);
  void operator()(const std::vector<Change>& changes);

 private:
  Console& console_;
  OutputFormat format_;
  Table table_;
  Cells cells_;
  bool is_first_document_ = true;
};

int watch(Console& console, const Fetch& fetch, const Show& show);

}  // namespace kdsd::app::cli

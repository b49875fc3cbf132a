// A file of test/data/wire as a list of events of the two sync streams, ready to be sent to a control plane again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kds/core.h"

namespace kdsd::kds::replay {

enum class Side { zone, global };

struct Event {
  enum class Kind {
    note,       // what the operator did, in words
    connected,  // a TCP connection begins
    opened,     // a stream begins
    message,
    ended,  // a stream, or with `stream` empty the connection, was ended by `from`
  };
  Kind kind = Kind::note;
  std::size_t index = 0;  // in the `events` of the file
  std::string text;       // of a note
  int connection = 0;
  std::optional<StreamKind> stream;
  Side from = Side::zone;

  std::string zone;                   // opened: client-id
  std::vector<std::string> features;  // opened: of the request metadata

  // Of a message.
  bool is_response = false;
  std::string bytes;         // decompressed; put together from the JSON form where the bytes were left out
  bool is_left_out = false;  // the recording tells only that there was a message
  std::string type;
  std::string nonce;
  std::string node_id;  // requests
  bool is_nack = false;
  std::string error_text;
};

// How the recorded receiver of a message took it.
struct Outcome {
  enum class Kind { none, ack, nack, ended };
  Kind kind = Kind::none;
  std::string text;  // of a NACK

  std::string describe() const;
};

class Recording {
 public:
  static Recording read(const std::string& name);  // without `.json`

  const std::string& name() const { return name_; }
  const std::vector<Event>& events() const { return events_; }
  // Whether a test peer played the side, which does odd things at odd times; else it was a Kuma control plane.
  bool is_scripted(Side side) const { return (side == Side::zone ? zone_ : global_).starts_with("scripted"); }
  bool leaves_out() const { return leaves_out_; }
  // Messages of other methods, by its name.
  const std::map<std::string, std::size_t>& others() const { return others_; }
  std::size_t messages() const;
  std::size_t messages_of_zone(const std::string& zone) const;

  // The zone at the other end of a connection.
  std::string zone_of(int connection) const;
  bool is_opening_recorded(int connection) const;
  Outcome outcome(const Event& message) const;

 private:
  std::string name_;
  std::string zone_;
  std::string global_;
  bool leaves_out_ = false;
  std::map<std::string, std::size_t> others_;
  std::vector<Event> events_;
};

// Files of test/data/wire, without `.json`, sorted.
std::vector<std::string> recording_names();

}  // namespace kdsd::kds::replay

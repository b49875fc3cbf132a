// Where log lines go. Lines are facts with keys: `zone=east type=MeshTimeout result=nack reason="…"`.
#pragma once

#include <string>
#include <string_view>

#include "app/run.h"
#include "model/status.h"

namespace kdsd::app {

// Sets up the process-wide logger; the only global there is.
Status set_up_logging(const RunOptions& options);

// A text as it may stand in one line: control characters escaped, the end cut off beyond 4 KiB. Every line goes through
// it, since much of what is logged was said by a peer. That values stay inside their fields is up to who writes the
// line (model/log_text.h).
std::string printable(std::string_view text);

}  // namespace kdsd::app

// Where log lines go. Lines are facts with keys: `zone=east type=MeshTimeout result=nack reason="…"`.
#pragma once

#include "app/run.h"
#include "model/status.h"

namespace kdsd::app {

// Sets up the process-wide logger; the only global there is.
Status set_up_logging(const RunOptions& options);

}  // namespace kdsd::app

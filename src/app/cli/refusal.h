// Error answers of a control plane as Status (rest-api.md 4). Pure.
#pragma once

#include "app/cli/rest_client.h"
#include "model/status.h"

namespace kdsd::app::cli {

// "<title> (<detail>)" with the violations where the body is an error body, which has a non-empty `title`; else the
// body as it is behind its status. Never ok.
Status refusal_of(const RestAnswer& answer);

}  // namespace kdsd::app::cli

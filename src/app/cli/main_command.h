// The command line as a whole: from arguments to an exit code. 0 done, 1 refused or failed, 2 wrong use.
#pragma once

#include <string>
#include <vector>

#include "app/cli/console.h"

namespace kdsd::app {

// What `main` calls.
int kdsd_main(int argc, char** argv);

// The same with the console as an argument; `arguments` without the program's name.
int run_cli(const std::vector<std::string>& arguments, cli::Console& console);

}  // namespace kdsd::app

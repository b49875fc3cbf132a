#include "app/cli/main_command.h"

int main(int argc, char** argv) { return kdsd::app::kdsd_main(argc, argv); }

# Compiler settings that every target of the project shares, as the interface target kdsd_options.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Sloppiness: objects built with a precompiled header are not reused otherwise. Base directory: nor are those of another
  # checkout.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=1
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

# -O3 buys nothing measurable here and costs a third more build time.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# The linker takes seconds per test executable otherwise.
set(CMAKE_SKIP_BUILD_RPATH ON)

add_library(kdsd_options INTERFACE)
target_compile_options(kdsd_options INTERFACE -Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these inside std::string and Boost.JSON when it inlines them.
  target_compile_options(kdsd_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow
    -Wno-stringop-overread -Wno-array-bounds)
  if(KDSD_PRECOMPILE)
    # Lets ccache see the precompiled header; and with it in memory, collecting garbage early is time lost.
    target_compile_options(kdsd_options INTERFACE -fpch-preprocess --param=ggc-min-heapsize=1048576)
  endif()
endif()
target_include_directories(kdsd_options INTERFACE ${PROJECT_SOURCE_DIR}/src)

# What needs to be quick to build rather than quick: generated code, configuration, the command line, the tests. It takes
# two thirds of the time so, and nobody waits for what it runs itself. Those with precompiled headers of their own may
# even be built without optimisation.
set(KDSD_QUICK_TO_BUILD "")
set(KDSD_QUICKEST_TO_BUILD "")
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(KDSD_QUICK_TO_BUILD -O1)
  set(KDSD_QUICKEST_TO_BUILD -O1)
elseif(KDSD_SANITIZE AND NOT KDSD_FUZZ)
  set(KDSD_QUICKEST_TO_BUILD -O0)
endif()

if(KDSD_SANITIZE)
  # A finding ends the program, so that no test passes with one.
  add_compile_options(-fsanitize=${KDSD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${KDSD_SANITIZE})
  if(NOT KDSD_FUZZ)
    add_compile_options(-O1)
  endif()
  if(KDSD_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # of fences within Boost.Asio
    # Where this macro is set, protobuf's headers give map fields members that its library does not have. The standard
    # library goes on taking notice of the sanitizer.
    add_compile_options(-U__SANITIZE_THREAD__ -D_GLIBCXX_TSAN=1)
  endif()
endif()
if(KDSD_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(KDSD_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

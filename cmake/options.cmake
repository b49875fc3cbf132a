# Compiler settings that every target of the project shares, as the interface target kdsd_options.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# -O3 buys nothing measurable here and costs a third more build time.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# The linker takes seconds per test executable otherwise.
set(CMAKE_SKIP_BUILD_RPATH ON)

add_library(kdsd_options INTERFACE)
target_compile_options(kdsd_options INTERFACE -Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these inside std::string and Boost.JSON when it inlines them.
  target_compile_options(kdsd_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
endif()
target_include_directories(kdsd_options INTERFACE ${PROJECT_SOURCE_DIR}/src)

# ccache cannot reuse objects built with a precompiled header unless told to ignore its time stamps.
set(ENV{CCACHE_SLOPPINESS} "pch_defines,time_macros")

if(KDSD_SANITIZE)
  add_compile_options(-fsanitize=${KDSD_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${KDSD_SANITIZE})
  if(NOT KDSD_FUZZ)
    add_compile_options(-O1)
  endif()
endif()
if(KDSD_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(KDSD_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

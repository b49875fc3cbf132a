# Precompiled headers: what nearly every unit reads and nobody here edits, so the standard library, Boost.JSON and protobuf.
# Reading them costs more than half of a unit's time otherwise. A unit still includes what it uses: KDSD_PRECOMPILE=OFF
# builds without, as clang-tidy does.

set(KDSD_COMMON_HEADERS
  <algorithm> <array> <charconv> <chrono> <compare> <cstddef> <cstdint> <cstdio> <cstring> <deque> <filesystem> <fstream>
  <functional> <map> <memory> <optional> <random> <set> <span> <sstream> <string> <string_view> <tuple> <unordered_map>
  <unordered_set> <utility> <variant> <vector> <boost/json.hpp> <google/protobuf/map.h> <google/protobuf/message.h>
  <google/protobuf/repeated_field.h> <google/protobuf/timestamp.pb.h>)

add_library(kdsd_common_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompile.cpp)
target_link_libraries(kdsd_common_headers PUBLIC kdsd_options Boost::json protobuf::libprotobuf)
if(KDSD_PRECOMPILE)
  target_precompile_headers(kdsd_common_headers PRIVATE ${KDSD_COMMON_HEADERS})
endif()

# kdsd_precompile(target): the common headers, made once for all.
# kdsd_precompile(target header...): these besides; the target pays for a precompiled header of its own.
function(kdsd_precompile target)
  if(NOT KDSD_PRECOMPILE)
    return()
  endif()
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${KDSD_COMMON_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM kdsd_common_headers)
  endif()
endfunction()

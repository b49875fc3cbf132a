# Third-party libraries, all from Debian 12's packages. Why each is there: ARCHITECTURE.md, "Libraries".

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)
find_package(Protobuf REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(GRPCPP REQUIRED IMPORTED_TARGET grpc++)
# Its .pc file adds -pthread to what is compiled, and precompiled headers then no longer fit.
find_library(RE2_LIBRARY re2 REQUIRED)
if(KDSD_TESTS)
  find_package(GTest REQUIRED)
endif()

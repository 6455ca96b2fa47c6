# How every target of the house is built.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(wiretrip_options INTERFACE)
target_include_directories(wiretrip_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(wiretrip_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                                  -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # clang 16 takes std::expected and coroutines from libstdc++ 12 only when told that it may.
  target_compile_options(
    wiretrip_options INTERFACE -D__cpp_concepts=202002L -D__cpp_impl_coroutine=201902L
                               -DASIO_HAS_CO_AWAIT=1 -DASIO_HAS_STD_COROUTINE=1 -Wno-macro-redefined
                               -Wno-builtin-macro-redefined)
endif()

# wiretrip_library(NAME SOURCES... LINK TARGETS...): a static library with the house's options and
# the alias wiretrip::NAME, so that a typo fails when cmake runs and not when the linker does.
function(wiretrip_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(ARG_SOURCES)
    add_library(wiretrip_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(wiretrip_${name} PUBLIC wiretrip_options ${ARG_LINK})
  else()
    add_library(wiretrip_${name} INTERFACE)
    target_link_libraries(wiretrip_${name} INTERFACE wiretrip_options ${ARG_LINK})
  endif()
  add_library(wiretrip::${name} ALIAS wiretrip_${name})
endfunction()

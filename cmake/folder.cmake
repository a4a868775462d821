# SPDX-License-Identifier: Apache-2.0
# One target a folder: vinci_folder(base DEPENDS ... PRIVATE ...) makes the library vinci-base from the folder's
# sources, known as Vinci::base to us and to those who install us.

# -Wrestrict of g++ 12 is wrong about "text" + std::string at -O3, -Wuse-after-free and -Warray-bounds
# about Eigen.
set(VINCI_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-restrict
    -Wno-use-after-free -Wno-array-bounds -Werror)
# Where sources are joined, a name of one source is no mistake in another one, nor is an unnamed
# namespace in what the compiler takes for a header.
if(CMAKE_UNITY_BUILD)
  list(TRANSFORM VINCI_WARNINGS REPLACE "^-Wshadow$" "-Wshadow=local")
  list(APPEND VINCI_WARNINGS -Wno-subobject-linkage)
endif()

# g++ lets a source of up to 10,000 instructions grow freely by inlining, larger ones by 40 %. Joined
# sources share that room, and loops over Eigen's blocks then call their constructors: each source
# keeps the room that it has by itself.
set(VINCI_LIBRARY_FLAGS)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  math(EXPR room "10000 * ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
  set(VINCI_LIBRARY_FLAGS --param=large-unit-insns=${room})
endif()

# Flags of every target of ours: the same bits everywhere (no fused multiply-add, no fast-math).
function(vinci_flags target)
  target_compile_options(${target} PRIVATE ${VINCI_WARNINGS} -ffp-contract=off
                         # Nobody replaces a function of a library of ours by another: calls inside
                         # of it may be inlined.
                         -fno-semantic-interposition)
  if(VINCI_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${VINCI_SANITIZE} -fno-sanitize-recover=all
                           -fno-omit-frame-pointer
                           # The instrumented Eigen draws false alarms of this one warning from g++ 12.
                           -Wno-maybe-uninitialized)
    target_link_options(${target} PRIVATE -fsanitize=${VINCI_SANITIZE})
  endif()
endfunction()

function(vinci_folder name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp "")
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  endif()
  add_library(vinci-${name} ${sources})
  add_library(Vinci::${name} ALIAS vinci-${name})
  target_include_directories(vinci-${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(vinci-${name} PUBLIC cxx_std_20)
  target_link_libraries(vinci-${name} PUBLIC Eigen3::Eigen ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE})
  set_target_properties(vinci-${name} PROPERTIES EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION 0
                        INSTALL_RPATH "$ORIGIN")
  vinci_flags(vinci-${name})
  target_compile_options(vinci-${name} PRIVATE ${VINCI_LIBRARY_FLAGS})
  install(TARGETS vinci-${name} EXPORT VinciTargets)
endfunction()

# SPDX-License-Identifier: Apache-2.0
# Every test has one label: slow if tests/slow.txt names it, quick otherwise (`make check` runs these).
# The limits of time are nets under what would never end, s. No test measures by them: a machine that
# is ten times slower must not come near.
set(VINCI_TEST_TIMEOUT 1800)
set(VINCI_BUILD_TIMEOUT 5400)  # of tests that compile

set(slow_file ${CMAKE_CURRENT_LIST_DIR}/../tests/slow.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${slow_file})
file(STRINGS ${slow_file} slow_lines REGEX "^[^#]")
set(VINCI_SLOW "")
foreach(line IN LISTS slow_lines)
  string(REGEX MATCH "^[^ ]+" pattern "${line}")
  list(APPEND VINCI_SLOW ${pattern})
endforeach()

# The tests of a program of GoogleTest, named prefix.Suite.name.
function(vinci_discover_tests program prefix)
  set(slow "")
  foreach(pattern IN LISTS VINCI_SLOW)
    if(pattern MATCHES "^${prefix}\\.(.+)$")
      list(APPEND slow ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN slow ":" slow)
  set(rest TEST_PREFIX ${prefix}. DISCOVERY_TIMEOUT ${VINCI_TEST_TIMEOUT}
           PROPERTIES TIMEOUT ${VINCI_TEST_TIMEOUT})
  gtest_discover_tests(${program} TEST_FILTER "*-${slow}" ${rest} LABELS quick)
  if(slow)
    gtest_discover_tests(${program} TEST_FILTER "${slow}" ${rest} LABELS slow)
  endif()
endfunction()

# The other tests of the folder that is being configured; to be called at its end.
function(vinci_label_tests)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    set(label quick)
    foreach(pattern IN LISTS VINCI_SLOW)
      string(REPLACE "." "\\." pattern "${pattern}")
      string(REPLACE "*" ".*" pattern "${pattern}")
      if(test MATCHES "^${pattern}$")
        set(label slow)
      endif()
    endforeach()
    set_tests_properties(${test} PROPERTIES LABELS ${label})
    get_test_property(${test} TIMEOUT limit)
    if(NOT limit)
      set_tests_properties(${test} PROPERTIES TIMEOUT ${VINCI_TEST_TIMEOUT})
    endif()
  endforeach()
endfunction()

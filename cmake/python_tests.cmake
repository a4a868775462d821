# SPDX-License-Identifier: Apache-2.0
# What a test in Python that imports the package needs: VINCI_PYTHON_ENVIRONMENT, of which
# VINCI_SANITIZER_ENVIRONMENT is the part of the address sanitizer. Python itself, which is not
# sanitized, loads its library first; what Python keeps until its end is no leak. The C++ library comes
# along: it throws.
set(VINCI_SANITIZER_ENVIRONMENT "")
if(VINCI_SANITIZE MATCHES "address")
  foreach(library asan stdc++)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${library}.so
                    OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND preloaded ${file})
  endforeach()
  list(JOIN preloaded " " preloaded)
  set(VINCI_SANITIZER_ENVIRONMENT "LD_PRELOAD=${preloaded}" "ASAN_OPTIONS=detect_leaks=0"
      "VINCI_SANITIZED=${VINCI_SANITIZE}")
endif()
set(VINCI_PYTHON_ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python" ${VINCI_SANITIZER_ENVIRONMENT})

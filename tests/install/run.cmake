# SPDX-License-Identifier: Apache-2.0
# Installs the build, moves the installation elsewhere (a package must not remember where it was
# made), builds the consumer against it, and runs what came out.
# cmake -DBUILD=... -DSOURCE=... -DSCRATCH=... -DCOMPILER=... -DLIBDIR=... -DVERSION=...
#       [-DFLAGS=...] [-DLAUNCHER=...] -P run.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE printed
                  ERROR_VARIABLE printed)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${printed}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/first)
file(RENAME ${SCRATCH}/first ${SCRATCH}/prefix)

run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${SCRATCH}/consumer -G Ninja
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
    "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run(${CMAKE_COMMAND} --build ${SCRATCH}/consumer)
run(${SCRATCH}/consumer/falling)
message("falling: ${printed}")
run(${SCRATCH}/consumer/lcp)
message("lcp: ${printed}")

run(ldd ${SCRATCH}/consumer/lcp)
foreach(folder geometry model scene collision formulation stepping simulation)
  if(printed MATCHES "libvinci-${folder}")
    message(FATAL_ERROR "Vinci::solvers drags in ${folder}:\n${printed}")
  endif()
endforeach()

run(${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ${SCRATCH}/prefix/bin/vinci --version)
if(NOT printed MATCHES "${VERSION}")
  message(FATAL_ERROR "vinci --version does not say ${VERSION} but: ${printed}")
endif()

# No file of the package may name the folder it was built in or first installed to.
file(GLOB package_files ${SCRATCH}/prefix/${LIBDIR}/cmake/Vinci/*.cmake)
foreach(file IN LISTS package_files)
  file(READ ${file} text)
  foreach(folder ${BUILD} ${SCRATCH}/first)
    string(FIND "${text}" "${folder}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()

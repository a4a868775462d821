# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` gives: the libraries (installed by vinci_folder), their headers, the
# program, the scenes, and a relocatable package:
#
#   find_package(Vinci 0.1 REQUIRED)
#   target_link_libraries(mine PRIVATE Vinci::vinci)      # or one folder: Vinci::solvers
include(CMakePackageConfigHelpers)

set(VINCI_FOLDERS base geometry model collision complementarity solvers stepping simulation)

add_library(vinci-umbrella INTERFACE)
add_library(Vinci::vinci ALIAS vinci-umbrella)
set_target_properties(vinci-umbrella PROPERTIES EXPORT_NAME vinci)
foreach(folder IN LISTS VINCI_FOLDERS)
  target_link_libraries(vinci-umbrella INTERFACE Vinci::${folder})
endforeach()
install(TARGETS vinci-umbrella EXPORT VinciTargets)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/vinci DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/vinci)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET vinci)
  install(TARGETS vinci)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Vinci)
install(EXPORT VinciTargets NAMESPACE Vinci:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/VinciConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/VinciConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/VinciConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/VinciConfig.cmake ${PROJECT_BINARY_DIR}/VinciConfigVersion.cmake
        DESTINATION ${package_folder})

# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` gives: the libraries (installed by vinci_folder), their headers, the
# program, the scenes, and a relocatable package:
#
#   find_package(Vinci 0.2 REQUIRED)
#   target_link_libraries(mine PRIVATE Vinci::vinci)      # or one folder: Vinci::solvers
include(CMakePackageConfigHelpers)

set(VINCI_FOLDERS base sampling search systems hybrid geometry robots model kinematics control elements scene collision linear storage complementarity pivoting newton
                  splitting proofs selection solvers formulation stepping events simulation recording comparison
                  passage grasp viewing study campaign)

add_library(vinci-umbrella INTERFACE)
add_library(Vinci::vinci ALIAS vinci-umbrella)
set_target_properties(vinci-umbrella PROPERTIES EXPORT_NAME vinci)
foreach(folder IN LISTS VINCI_FOLDERS)
  target_link_libraries(vinci-umbrella INTERFACE Vinci::${folder})
endforeach()
install(TARGETS vinci-umbrella EXPORT VinciTargets)

# The public headers: what a user of the library or the author of a plugin includes. They need
# Eigen and nothing else; the consumer in tests/install includes every one of them.
set(public_base clock dual error expression functions hash math options registry settings stabilisation words)
set(public_sampling copula design_points distribution interval morris random rare sobol_indices special_functions)
set(public_search searcher)
set(public_geometry build mass shape)
set(public_robots description robot_file)
set(public_model actuation constraint contact_moments controller element entity friction_law joint joint_columns memory model motion run_options signal state)
set(public_control controller_kind controllers follow inverse_kinematics joint_law motion_profile robot sequence trajectory)
set(public_kinematics joint_efforts joint_motion joint_rows joint_tree recursive tree_dynamics tree_matrix)
set(public_elements builtin)
set(public_scene scene scene_builder scene_motors)
set(public_storage hdf5_file hdf5_handle hdf5_table)
set(public_collision contact)
set(public_linear mass_factor sparse_rows)
set(public_complementarity accuracy certificate nonlinear_problem problem problem_file residual solver)
set(public_newton path_newton)
set(public_proofs all_solutions law_pieces uniqueness_verdict)
set(public_solvers builtin ending)
set(public_formulation contact_frame contact_friction contact_motion contact_rows element_rows
                       free_motion friction_cone joint_blocks moment_rows problem_builder row_map row_space
                       supports velocity_row)
set(public_stepping found_motion impact_law report step_forces stepper)
set(public_simulation plugins run_settings simulation)
set(public_recording recorder recording replay run_loop summary)
set(public_comparison body_distance compare contact_modes converge order_fit quantity run_many trace
                      variants)
set(public_passage passage robot_passage)
set(public_grasp closing closing_run closure grasp grasp_functions grasp_map holding quality recorded_grasp)
set(public_study case runner strategies strategy study study_report)
set(public_campaign answer_sink atomic_file campaign crew database frame ledger ledger_times number_ranges part_file slurm study_folder worker worker_page worker_process writer_lock)
set(public_viewing description frame_block page render server viewer_page)
foreach(folder IN LISTS VINCI_FOLDERS)
  list(TRANSFORM public_${folder} PREPEND ${PROJECT_SOURCE_DIR}/vinci/${folder}/)
  list(TRANSFORM public_${folder} APPEND .h)
  install(FILES ${public_${folder}} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vinci/${folder})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes ${PROJECT_SOURCE_DIR}/robots DESTINATION ${CMAKE_INSTALL_DATADIR}/vinci)
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

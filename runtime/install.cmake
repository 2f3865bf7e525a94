# What a program that embeds the runtime finds with find_package(dsc).

include(CMakePackageConfigHelpers)

install(TARGETS DscRuntime EXPORT dscTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
install(TARGETS dsrun RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(FILES abi/dsrt.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/dsc)
install(EXPORT dscTargets NAMESPACE dsc:: DESTINATION ${package} COMPONENT runtime)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/dscConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/dscConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/dscConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dscConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/dscConfigVersion.cmake DESTINATION ${package}
  COMPONENT runtime)

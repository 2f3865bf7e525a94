# What a program that embeds the runtime finds with find_package(dsc).

include(CMakePackageConfigHelpers)

install(TARGETS DscRuntime EXPORT dscTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
install(TARGETS dsrun RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(FILES abi/dsrt.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)

# dsc_install_manual(PROGRAM COMPONENT): its manual page and its completion for
# bash, which it prints itself.
function(dsc_install_manual program component)
  set(page ${PROJECT_BINARY_DIR}/share/man/man1/${program}.1)
  set(completion ${PROJECT_BINARY_DIR}/share/bash-completion/completions/${program})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/man/man1
    ${PROJECT_BINARY_DIR}/share/bash-completion/completions)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${program} --manual > ${page}
    COMMAND ${program} --completion > ${completion} VERBATIM)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
  install(FILES ${completion} COMPONENT ${component}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endfunction()

dsc_install_manual(dsrun runtime)

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

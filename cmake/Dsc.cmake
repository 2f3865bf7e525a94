# One way to build each kind of thing. Every MLIR-facing library links the two
# shared libraries MLIR and LLVM and nothing else of LLVM: naming a component
# library such as MLIRIR would link a second, static copy beside the dylib.

include_guard(GLOBAL)

define_property(GLOBAL PROPERTY DSC_TABLEGEN_TARGETS
                BRIEF_DOCS "TableGen targets whose headers any library may include"
                FULL_DOCS "TableGen targets whose headers any library may include")

# Runs mlir-tblgen once: <out> from <td> with the given arguments.
function(dsc_tablegen td out)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${out} ${ARGN})
  set(TABLEGEN_OUTPUT ${TABLEGEN_OUTPUT} PARENT_SCOPE)
endfunction()

# Closes the dsc_tablegen calls of a directory with a target that others wait for.
function(dsc_tablegen_target name)
  add_public_tablegen_target(${name})
  set_property(GLOBAL APPEND PROPERTY DSC_TABLEGEN_TARGETS ${name})
endfunction()

# dsc_add_library(NAME sources... [LINK libraries...])
# A static library of compiler code. TableGen targets of all directories that
# were added before this one are built first, since any header may include them.
function(dsc_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  get_property(tablegen GLOBAL PROPERTY DSC_TABLEGEN_TARGETS)
  if(tablegen)
    add_dependencies(${name} ${tablegen})
  endif()
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(DSC_PRECOMPILE_HEADERS)
    dsc_reuse_mlir_headers(${name})
  endif()
endfunction()

# Makes NAME use the one precompiled cmake/MlirHeaders.h. Its flags must be
# those of every library, so definitions of one file are set on that file.
function(dsc_reuse_mlir_headers name)
  if(NOT TARGET DscMlirHeaders)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/MlirHeaders.cpp CONTENT "")
    add_library(DscMlirHeaders OBJECT ${PROJECT_BINARY_DIR}/MlirHeaders.cpp)
    target_include_directories(DscMlirHeaders SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_precompile_headers(DscMlirHeaders PRIVATE ${PROJECT_SOURCE_DIR}/cmake/MlirHeaders.h)
    # Without its time stamp the same headers give the same file, for ccache.
    target_compile_options(DscMlirHeaders PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(${name} REUSE_FROM DscMlirHeaders)
endfunction()

# dsc_add_dialect(Nn sources... [TD NnOps.td] [ATTRIBUTES] [TYPES] [ENUMS] [LINK ...])
# Makes Dsc<Name>Dialect from <Name>Ops.td and the sources.
function(dsc_add_dialect name)
  cmake_parse_arguments(ARG "ATTRIBUTES;TYPES;ENUMS" "" "LINK" ${ARGN})
  string(TOLOWER ${name} mnemonic)
  set(td ${name}Ops.td)
  set(outputs)
  dsc_tablegen(${td} ${name}Ops.h.inc -gen-op-decls)
  dsc_tablegen(${td} ${name}Ops.cpp.inc -gen-op-defs)
  dsc_tablegen(${td} ${name}Dialect.h.inc -gen-dialect-decls -dialect=${mnemonic})
  dsc_tablegen(${td} ${name}Dialect.cpp.inc -gen-dialect-defs -dialect=${mnemonic})
  if(ARG_ENUMS)
    dsc_tablegen(${td} ${name}Enums.h.inc -gen-enum-decls)
    dsc_tablegen(${td} ${name}Enums.cpp.inc -gen-enum-defs)
  endif()
  if(ARG_ATTRIBUTES)
    dsc_tablegen(${td} ${name}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${mnemonic})
    dsc_tablegen(${td} ${name}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${mnemonic})
  endif()
  if(ARG_TYPES)
    dsc_tablegen(${td} ${name}Types.h.inc -gen-typedef-decls -typedefs-dialect=${mnemonic})
    dsc_tablegen(${td} ${name}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${mnemonic})
  endif()
  dsc_tablegen_target(Dsc${name}IncGen)
  dsc_add_library(Dsc${name}Dialect ${ARG_UNPARSED_ARGUMENTS} LINK DscInterfaces ${ARG_LINK})
endfunction()

# dsc_add_passes(Normalize sources... [LINK ...])
# Makes Dsc<Stage>Passes from Passes.td and the sources of one stage.
function(dsc_add_passes name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  dsc_tablegen(Passes.td Passes.h.inc -gen-pass-decls -name=Dsc${name})
  dsc_tablegen_target(Dsc${name}PassesIncGen)
  dsc_add_library(Dsc${name}Passes ${ARG_UNPARSED_ARGUMENTS} LINK ${ARG_LINK})
endfunction()

# dsc_add_tool(NAME sources... [LINK ...]): an executable in bin/.
function(dsc_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  # LLVM's libraries lie outside of the loader's path, also once installed.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# dsc_add_unit_test(NAME sources... [LINK ...]): a GoogleTest binary run by ctest.
function(dsc_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/unit)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# dsc_add_lit_suite(NAME DIRECTORY DEPENDS targets...): a lit run, as target
# check-NAME and as a ctest test.
function(dsc_add_lit_suite name directory)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  configure_file(${directory}/lit.site.cfg.py.in ${PROJECT_BINARY_DIR}/test/${name}/lit.site.cfg.py @ONLY)
  add_custom_target(check-${name}
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/lit -sv ${PROJECT_BINARY_DIR}/test/${name}
    DEPENDS ${ARG_DEPENDS} USES_TERMINAL)
  add_test(NAME ${name} COMMAND ${LLVM_TOOLS_BINARY_DIR}/lit -sv ${PROJECT_BINARY_DIR}/test/${name})
endfunction()

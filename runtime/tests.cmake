# Unit tests of the runtime, beside their sources; `ctest -L runtime` runs them.

# dsc_add_runtime_test(NAME source): a GoogleTest binary with the runtime's
# objects. It exports dsrt_ functions, so that the fake modules find them.
function(dsc_add_runtime_test name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE DscRuntimeObjects GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    DSC_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    DSC_FAKE_MODULES="${CMAKE_CURRENT_BINARY_DIR}/fake")
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/unit)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "unit;runtime")
endfunction()

# dsc_add_fake_module(name definitions...): a module written by hand, built from
# program/FakeModule.c with some of its properties changed.
function(dsc_add_fake_module name)
  add_library(${name} MODULE program/FakeModule.c)
  target_compile_definitions(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE m)
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake)
endfunction()

# The initial parameters of the fake: 32 bytes that, read as floats, are 6e-10.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/fake/fake.weights.raw 00000000000000000000000000000000)

dsc_add_fake_module(fake)
dsc_add_fake_module(fake-no-sample-weight FAKE_WITHOUT_SAMPLE_WEIGHT)
dsc_add_fake_module(fake-pairs FAKE_PAIRS)
dsc_add_fake_module(fake-forward FAKE_FORWARD)
dsc_add_fake_module(fake-other-abi FAKE_ABI=9999)
dsc_add_fake_module(fake-other-cpu FAKE_FEATURES="+avx2,+amx-fp8,+xop,+fma4")
dsc_add_fake_module(fake-bad-manifest FAKE_FORMAT=7)
dsc_add_fake_module(fake-bad-order FAKE_BAD_CALL)
set(fakes fake fake-no-sample-weight fake-pairs fake-forward fake-other-abi fake-other-cpu
  fake-bad-manifest fake-bad-order)

dsc_add_runtime_test(AbiTest abi/Abi_test.cpp)
dsc_add_runtime_test(LayoutTest abi/Layout_test.cpp)
dsc_add_runtime_test(DataTest data/Data_test.cpp)
dsc_add_runtime_test(CheckpointFilesTest data/Checkpoint_test.cpp)
dsc_add_runtime_test(CheckpointTest checkpoint/Checkpoint_test.cpp)
dsc_add_runtime_test(DirectFilesTest checkpoint/DirectFiles_test.cpp)
dsc_add_runtime_test(ShuffleTest data/Shuffle_test.cpp)
dsc_add_runtime_test(ThreadPoolTest device/host/ThreadPool_test.cpp)
dsc_add_runtime_test(ContractionTest device/host/Contraction_test.cpp)
dsc_add_runtime_test(CpuFeaturesTest device/host/CpuFeatures_test.cpp)
dsc_add_runtime_test(QueuedStreamTest channel/QueuedStream_test.cpp)
dsc_add_runtime_test(RateLimitTest channel/RateLimit_test.cpp)
dsc_add_runtime_test(SharedMemoryChannelTest channel/SharedMemoryChannel_test.cpp)
dsc_add_runtime_test(MachineTest machine/Machine_test.cpp)
dsc_add_runtime_test(IndexRangeTest program/IndexRange_test.cpp)
dsc_add_runtime_test(AvailableMemoryTest program/AvailableMemory_test.cpp)
dsc_add_runtime_test(OffloadFileTest program/OffloadFile_test.cpp)
dsc_add_runtime_test(ManifestTest program/Manifest_test.cpp)
dsc_add_runtime_test(SessionTest program/Session_test.cpp)
dsc_add_runtime_test(AllocationTest driver/Allocation_test.cpp)
dsc_add_runtime_test(CApiTest program/CApi_test.cpp)
dsc_add_runtime_test(BatchOrderTest driver/BatchOrder_test.cpp)
dsc_add_runtime_test(MonitorTest monitor/Monitor_test.cpp)
dsc_add_runtime_test(LaunchEnvironmentTest driver/LaunchEnvironment_test.cpp)
dsc_add_runtime_test(LauncherTest driver/Launcher_test.cpp)
dsc_add_runtime_test(TrainerTest driver/Trainer_test.cpp)
dsc_add_runtime_test(MemoryCheckTest driver/MemoryCheck_test.cpp)
dsc_add_runtime_test(RunTest driver/Run_test.cpp)
foreach(test CheckpointTest ManifestTest SessionTest AllocationTest CApiTest RunTest TrainerTest)
  add_dependencies(${test} ${fakes})
endforeach()

# Installs into a folder of its own, and builds and runs the embedding example
# against what is there.
add_test(NAME EmbedExample COMMAND ${CMAKE_COMMAND}
  -DBUILD_DIR=${PROJECT_BINARY_DIR} -DWORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/embed
  -DEXAMPLE_DIR=${PROJECT_SOURCE_DIR}/examples/embed
  -DC_COMPILER=${CMAKE_C_COMPILER} -DGENERATOR=${CMAKE_GENERATOR}
  "-DC_FLAGS=${CMAKE_C_FLAGS}"
  -DMODULE=$<TARGET_FILE:fake>
  -P ${CMAKE_CURRENT_SOURCE_DIR}/embed_test.cmake)
set_tests_properties(EmbedExample PROPERTIES LABELS "runtime;install")

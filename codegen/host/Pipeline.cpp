#include "codegen/host/HostTarget.h"
#include "codegen/host/Passes.h"
#include "codegen/kernel/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace dsc;

static EmitManifestPassOptions convertOptions(const HostOptions &options) {
  EmitManifestPassOptions result;
  // An unknown CPU is reported where code is generated.
  std::string error;
  if (FailureOr<HostMachine> machine = getHostMachine(options, error);
      succeeded(machine)) {
    result.triple = machine->triple;
    result.cpu = machine->cpu;
    result.features = machine->features;
  }
  const ManifestOptions &manifest = options.manifest;
  result.model = manifest.model;
  result.weights = manifest.weightsFile;
  result.optimizer = manifest.optimizer;
  result.loss = manifest.loss;
  result.precision = manifest.precision;
  result.zeroStage = manifest.zeroStage;
  result.maxWorld = manifest.maxWorld;
  for (const auto &[name, value] : manifest.options)
    result.compileOptions.push_back(name + "=" + value);
  return result;
}

void dsc::buildHostPipeline(OpPassManager &passes, const HostOptions &options) {
  // Maths first, while it is still loops; the manifest while the program is
  // still exec.
  buildKernelPipeline(passes);
  passes.addPass(createEmitManifestPass(convertOptions(options)));
  passes.addPass(createWrapKernelsPass());

  OpPassManager &kernels = passes.nest<func::FuncOp>();
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  // libm has what LLVM has no intrinsic for; the order prefers intrinsics.
  kernels.addPass(createConvertMathToLLVMPass());
  passes.addPass(createConvertMathToLibmPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCSEPass());
  // Programs last: the passes above would walk through each of their calls.
  passes.addPass(createConvertExecToLLVMPass());
}

void dsc::registerHostDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

namespace {
struct HostPipelineOptions : PassPipelineOptions<HostPipelineOptions> {
  Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("CPU by LLVM's name; empty: a portable "
                     "one, 'native': this machine's")};
};
} // namespace

void dsc::registerHostPipeline() {
  registerKernelPipeline();
  PassPipelineRegistration<HostPipelineOptions>(
      "dsc-codegen", "Compile exec form to the LLVM dialect for the host",
      [](OpPassManager &passes, const HostPipelineOptions &options) {
        HostOptions host;
        host.cpu = options.cpu;
        buildHostPipeline(passes, host);
      });
}

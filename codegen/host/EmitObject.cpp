#include "codegen/host/HostTarget.h"
#include "codegen/host/Machine.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir;
using namespace dsc;

namespace {

/// A module in LLVM IR, optimised, and the machine that it is for.
struct OptimizedModule {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;

  LogicalResult build(ModuleOp source, const HostOptions &options);
};

/// LLVM's -O3 without the vectoriser of straight-line code: kernels are loops,
/// it found nothing in them, and took half of the time.
void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.LoopInterleaving = true;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

LogicalResult OptimizedModule::build(ModuleOp source,
                                     const HostOptions &options) {
  std::string error;
  machine = createTargetMachine(options, error);
  if (!machine)
    return source.emitError(error);
  module = translateModuleToLLVMIR(source, context, "dsc");
  if (!module)
    return source.emitError("the module has no form in LLVM IR");
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  // Nothing in the module reads what the runtime will look up by name.
  SmallVector<llvm::GlobalValue *> exported;
  for (llvm::GlobalVariable &global : module->globals())
    if (global.hasExternalLinkage() && !global.isDeclaration())
      exported.push_back(&global);
  llvm::appendToCompilerUsed(*module, exported);
  optimize(*module, *machine);
  return success();
}

LogicalResult emitFile(ModuleOp source, const HostOptions &options,
                       llvm::raw_ostream &os, llvm::CodeGenFileType type) {
  OptimizedModule optimized;
  if (failed(optimized.build(source, options)))
    return failure();
  // The code generator seeks in what it writes.
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream buffer(bytes);
  llvm::legacy::PassManager passes;
  if (optimized.machine->addPassesToEmitFile(passes, buffer, nullptr, type))
    return source.emitError("the target cannot write this kind of file");
  passes.run(*optimized.module);
  os << bytes;
  return success();
}

} // namespace

LogicalResult dsc::emitLLVM(ModuleOp module, const HostOptions &options,
                            llvm::raw_ostream &os) {
  OptimizedModule optimized;
  if (failed(optimized.build(module, options)))
    return failure();
  optimized.module->print(os, nullptr);
  return success();
}

LogicalResult dsc::emitAssembly(ModuleOp module, const HostOptions &options,
                                llvm::raw_ostream &os) {
  return emitFile(module, options, os, llvm::CodeGenFileType::AssemblyFile);
}

LogicalResult dsc::emitObject(ModuleOp module, const HostOptions &options,
                              llvm::raw_ostream &os) {
  return emitFile(module, options, os, llvm::CodeGenFileType::ObjectFile);
}

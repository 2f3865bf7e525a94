#ifndef DSC_COMPILER_REGISTER_H
#define DSC_COMPILER_REGISTER_H

namespace mlir {
class DialectRegistry;
}

namespace dsc {

/// Registers dsc's dialects, the upstream dialects that its kernels pass
/// through, and their translations to LLVM IR.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers every dsc pass and one pipeline a stage (`dsc-<stage>`) with the
/// global pass registry, plus the few upstream passes that tests use.
/// Call once a process.
void registerPassesAndPipelines();

} // namespace dsc

#endif // DSC_COMPILER_REGISTER_H

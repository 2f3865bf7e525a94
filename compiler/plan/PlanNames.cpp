#include "compiler/plan/PlanNames.h"

using namespace dsc;
using llvm::ArrayRef;
using llvm::StringRef;

/// In the order of ByteClass.
static constexpr ClassName classNames[kByteClasses] = {
    {"parameters", "parameters"},
    {"gradients", "gradients"},
    {"optimizer", "optimizer"},
    {"compute_copies", "compute copies"},
    {"scalars", "scalars"},
    {"staging", "staging"},
    {"inputs", "inputs"},
    {"activations", "activations"},
    {"gather_buffers", "gather buffers"},
    {"reduce_buffers", "reduction buffers"},
    {"workspace", "workspace"},
    {"unused", "unused at the peak"},
};

ArrayRef<ClassName> dsc::getClassNames() { return classNames; }

StringRef dsc::getName(BufferUse use) {
  switch (use) {
  case BufferUse::Activation:
    return "activation";
  case BufferUse::Gather:
    return "gather";
  case BufferUse::Reduction:
    return "reduction";
  }
  llvm_unreachable("a buffer has one of its uses");
}

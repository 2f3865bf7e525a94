#include "dialects/train/TrainOps.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace dsc::train;

LogicalResult FileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef path, int64_t offset, int64_t bytes) {
  // (C1)
  if (path.empty())
    return emitError() << "expects the path of a file";
  // (C2)
  if (offset < 0 || bytes < 0)
    return emitError() << "expects an offset and a byte count that are not "
                          "negative, got "
                       << offset << " and " << bytes;
  return success();
}

LogicalResult InitAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef rule, DenseF64ArrayAttr args,
                               uint64_t seed) {
  int64_t expected = llvm::StringSwitch<int64_t>(rule)
                         .Cases({"zeros", "ones", "xavier", "kaiming"}, 0)
                         .Case("normal", 1)
                         .Case("uniform", 2)
                         .Default(-1);
  // (C1)
  if (expected < 0)
    return emitError() << "unknown rule '" << rule
                       << "'; expects zeros, ones, normal, uniform, xavier or "
                          "kaiming";
  // (C2)
  if (args.size() != expected)
    return emitError() << "rule '" << rule << "' takes " << expected
                       << " arguments, got " << args.size();
  return success();
}

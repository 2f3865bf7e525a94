#include "compiler/import/onnx/Parameters.h"
#include "compiler/import/onnx/TensorData.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

/// Makes the parameter on the right of one `A=B` or `A=B^T` a reading of the
/// one on the left.
static LogicalResult applyTie(const Model &model, StringRef text,
                              ParameterTable &parameters) {
  auto emit = [&] {
    return emitError(model.location()) << "--tie='" << text << "': ";
  };
  auto [left, right] = text.split('=');
  bool transposed = right.consume_back("^T");
  if (left.empty() || right.empty())
    return emit() << "is not of the form A=B or A=B^T";
  Parameter *kept = parameters.lookup(left), *tied = parameters.lookup(right);
  if (!kept || !tied)
    return emit() << "'" << (kept ? right : left) << "' is no parameter";
  if (kept == tied)
    return emit() << "ties a parameter to itself";
  for (const Parameter *parameter : {kept, tied})
    if (!parameter->tiedTo.empty())
      return emit() << "'" << parameter->name << "' is already tied to '"
                    << parameter->tiedTo << "'";
  if (!tied->ties.empty())
    return emit() << "'" << tied->name
                  << "' already has parameters tied to it; name it on the left";
  SmallVector<int64_t> shape(tied->type.getShape());
  if (transposed) {
    if (shape.size() != 2)
      return emit() << "only a matrix can be tied to its transpose, but '"
                    << right << "' is " << shapeText(shape);
    std::swap(shape[0], shape[1]);
  }
  if (kept->type.getElementType() != tied->type.getElementType() ||
      kept->type.getShape() != ArrayRef<int64_t>(shape))
    return emit() << "'" << left << "' is " << shapeText(kept->type.getShape())
                  << " of " << kept->type.getElementType() << ", but '" << right
                  << "'" << (transposed ? " transposed" : "") << " is "
                  << shapeText(shape) << " of " << tied->type.getElementType();

  tied->tiedTo = kept->name;
  tied->tiedTransposed = transposed;
  kept->ties.push_back(tied->name + (transposed ? "^T" : ""));
  // A gradient of either is one of both, unless the user froze it.
  if (tied->role == train::ParameterRole::Trainable &&
      kept->role == train::ParameterRole::Frozen &&
      !StringRef(kept->reason).starts_with("--freeze")) {
    kept->role = tied->role;
    kept->reason = "tied to '" + tied->name + "', which is trained";
  }
  return success();
}

LogicalResult onnx_import::tieParameters(const Model &model,
                                         ArrayRef<std::string> ties,
                                         ParameterTable &parameters) {
  bool ok = true;
  for (const std::string &text : ties)
    ok &= succeeded(applyTie(model, text, parameters));
  return success(ok);
}

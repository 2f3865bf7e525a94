#include "compiler/import/onnx/Parameters.h"
#include "compiler/import/onnx/TensorBytes.h"
#include "compiler/import/onnx/TensorData.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

/// True if `kept` and `tied` have one element type, and their shapes fit.
static bool fits(const Parameter &kept, const Parameter &tied,
                 bool transposed) {
  SmallVector<int64_t> shape(tied.type.getShape());
  if (transposed)
    std::reverse(shape.begin(), shape.end());
  return kept.type.getElementType() == tied.type.getElementType() &&
         kept.type.getShape() == ArrayRef<int64_t>(shape);
}

/// Tells of a tie whose two sides hold different values: those of the tied
/// parameter are lost.
static void warnIfDifferent(const Model &model, StringRef text,
                            const Parameter &kept, const Parameter &tied,
                            bool transposed) {
  std::optional<TensorBytes> left = TensorBytes::open(model, kept.initial);
  std::optional<TensorBytes> right = TensorBytes::open(model, tied.initial);
  if (!left || !right)
    return;
  ArrayRef<int64_t> shape = kept.type.getShape();
  int64_t rows = shape.empty() ? 1 : shape.front();
  int64_t columns = rows ? kept.type.getNumElements() / rows : 0;
  std::optional<Mismatch> mismatch =
      findMismatch(left->data(), right->data(), rows, columns,
                   elementBytes(kept.type.getElementType()), transposed);
  if (mismatch)
    emitWarning(model.location())
        << "--tie='" << text << "': the two hold different values, first at ["
        << mismatch->row << ", " << mismatch->column << "] of '" << kept.name
        << "'; training starts from '" << kept.name << "'";
}

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
  if (transposed && tied->type.getRank() != 2)
    return emit() << "only a matrix can be tied to its transpose, but '"
                  << right << "' is " << shapeText(tied->type.getShape());
  if (!fits(*kept, *tied, transposed)) {
    InFlightDiagnostic diagnostic = emit();
    diagnostic << "'" << left << "' is " << shapeText(kept->type.getShape())
               << " of " << kept->type.getElementType() << ", but '" << right
               << "' is " << shapeText(tied->type.getShape()) << " of "
               << tied->type.getElementType();
    if (transposed)
      diagnostic << ", which transposed does not fit";
    if (tied->type.getRank() == 2 && fits(*kept, *tied, !transposed))
      diagnostic.attachNote() << "--tie='" << left << "=" << right
                              << (transposed ? "" : "^T") << "' fits";
    return diagnostic;
  }
  warnIfDifferent(model, text, *kept, *tied, transposed);

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

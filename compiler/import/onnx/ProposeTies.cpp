#include "compiler/import/onnx/Parameters.h"
#include "compiler/import/onnx/TensorBytes.h"
#include "compiler/import/onnx/TensorData.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

// Two matrices that are equal by accident do not exist, unless they are
// constant. A sample of each one's elements, the same for a matrix and its
// transpose, finds the few pairs that are worth reading as a whole, so that
// weights of any size cost a few pages each.

namespace {

/// Elements looked at before a pair is compared as a whole.
constexpr int64_t sampleSize = 32;

struct Matrix {
  Parameter *parameter;
  TensorBytes bytes;
  int64_t rows;
  int64_t columns;
  int64_t elementBytes;

  StringRef element(int64_t row, int64_t column) const {
    return bytes.data().substr((row * columns + column) * elementBytes,
                               elementBytes);
  }
};

} // namespace

/// Elements of `matrix`, or of its transpose, at places that depend on the
/// shape alone. Empty if they are all the same, as in weights that are zeros or
/// ones at the start.
static std::string sample(const Matrix &matrix, bool transposed) {
  int64_t rows = transposed ? matrix.columns : matrix.rows;
  int64_t columns = transposed ? matrix.rows : matrix.columns;
  std::string values;
  bool isConstant = true;
  for (int64_t k = 0; k != sampleSize; ++k) {
    // Multiples of two odd numbers run through all rows and columns.
    int64_t row = k * 40503 % rows, column = k * 60493 % columns;
    StringRef value =
        transposed ? matrix.element(column, row) : matrix.element(row, column);
    values += value;
    isConstant &= value == StringRef(values).take_front(value.size());
  }
  if (isConstant)
    return "";
  return llvm::utostr(rows) + "x" + llvm::utostr(columns) + ":" +
         llvm::utostr(matrix.elementBytes) + ":" + values;
}

static bool areEqual(const Matrix &lhs, const Matrix &rhs, bool transposed) {
  return !findMismatch(lhs.bytes.data(), rhs.bytes.data(), lhs.rows,
                       lhs.columns, lhs.elementBytes, transposed);
}

static std::optional<Matrix> openMatrix(const Model &model,
                                        Parameter &parameter) {
  if (parameter.role != train::ParameterRole::Trainable ||
      !parameter.tiedTo.empty() || parameter.type.getRank() != 2 ||
      !parameter.type.hasStaticShape() || parameter.type.getNumElements() < 2)
    return std::nullopt;
  std::optional<TensorBytes> bytes =
      TensorBytes::open(model, parameter.initial);
  if (!bytes)
    return std::nullopt;
  return Matrix{&parameter, std::move(*bytes), parameter.type.getDimSize(0),
                parameter.type.getDimSize(1),
                elementBytes(parameter.type.getElementType())};
}

/// Warns that `tied` holds the values of `kept`.
static void propose(const Model &model, const Parameter &kept, Parameter &tied,
                    bool transposed) {
  tied.likelyTie = kept.name + "=" + tied.name + (transposed ? "^T" : "");
  InFlightDiagnostic diagnostic = emitWarning(tied.loc);
  diagnostic << "holds the values of '" << kept.name << "'"
             << (transposed ? " transposed" : "")
             << ", but is trained apart from it";
  diagnostic.attachNote() << "if the model has tied them, --tie='"
                          << tied.likelyTie << "' makes them one again";
}

void onnx_import::proposeTies(const Model &model, ParameterTable &parameters) {
  // Matrices seen so far, by their sample.
  llvm::StringMap<Matrix> seen;
  for (Parameter &parameter : parameters.all()) {
    std::optional<Matrix> matrix = openMatrix(model, parameter);
    if (!matrix)
      continue;
    std::string key = sample(*matrix, /*transposed=*/false);
    if (key.empty())
      continue;
    bool isTied = false;
    for (bool transposed : {false, true}) {
      auto other = seen.find(transposed ? sample(*matrix, true) : key);
      if (other == seen.end() || isTied)
        continue;
      Parameter &first = *other->second.parameter;
      // An Identity with a name of its own is a parameter of its own: its
      // exporter has merged what was equal, not parted what was tied.
      if (first.initial == parameter.initial ||
          !areEqual(other->second, *matrix, transposed))
        continue;
      isTied = true;
      // The one with the user's name is kept.
      bool keepsFirst =
          !isMadeUpName(first.name) || isMadeUpName(parameter.name);
      propose(model, keepsFirst ? first : parameter,
              keepsFirst ? parameter : first, transposed);
    }
    if (!isTied)
      seen.try_emplace(key, std::move(*matrix));
  }
}

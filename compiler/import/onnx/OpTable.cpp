#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Model.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace dsc::onnx_import;
using llvm::StringRef;

namespace {

struct OpRow {
  StringRef name;
  int64_t firstOpset;
  ImportFunction import;
};

constexpr OpRow opRows[] = {
#define ONNX_OP(OPERATOR, OPSET, FUNCTION) {#OPERATOR, OPSET, FUNCTION},
#include "compiler/import/onnx/OnnxOpTable.def"
};

constexpr OpRow microsoftRows[] = {
#define ONNX_MICROSOFT_OP(OPERATOR, FUNCTION) {#OPERATOR, 1, FUNCTION},
#include "compiler/import/onnx/OnnxOpTable.def"
};

struct SettingInputsRow {
  StringRef name;
  unsigned mask;
};

constexpr SettingInputsRow settingInputsRows[] = {
#define ONNX_SETTING_INPUTS(OPERATOR, MASK) {#OPERATOR, MASK},
#include "compiler/import/onnx/OnnxOpTable.def"
};

constexpr StringRef zeroGradientOps[] = {
#define ONNX_ZERO_GRADIENT(OPERATOR) #OPERATOR,
#include "compiler/import/onnx/OnnxOpTable.def"
};

bool isFloat(int64_t dataType) {
  switch (dataType) {
  case onnx::TensorProto::FLOAT:
  case onnx::TensorProto::DOUBLE:
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
    return true;
  default:
    return false;
  }
}

/// True for a Cast to a type that has no gradient.
bool isCastToInteger(const onnx::NodeProto &node) {
  return node.op_type() == "Cast" &&
         llvm::any_of(node.attribute(), [](const auto &attribute) {
           return attribute.name() == "to" && !isFloat(attribute.i());
         });
}

} // namespace

ImportFunction dsc::onnx_import::lookupImport(const onnx::NodeProto &node,
                                              int64_t opset) {
  auto find = [&](llvm::ArrayRef<OpRow> rows) {
    // Rows of one operator stand in order of their opset.
    ImportFunction found = nullptr;
    for (const OpRow &row : rows)
      if (row.name == node.op_type() && (!found || row.firstOpset <= opset))
        found = row.import;
    return found;
  };
  if (isDefaultDomain(node.domain()))
    return find(opRows);
  return node.domain() == "com.microsoft" ? find(microsoftRows) : nullptr;
}

bool dsc::onnx_import::isSettingInput(const onnx::NodeProto &node,
                                      unsigned input) {
  return isDefaultDomain(node.domain()) && input < 32 &&
         llvm::any_of(
             settingInputsRows,
             [&](const SettingInputsRow &row) {
               return row.name == node.op_type() && (row.mask >> input & 1);
             });
}

bool dsc::onnx_import::passesGradient(const onnx::NodeProto &node,
                                      unsigned input) {
  if (!isDefaultDomain(node.domain()))
    return true;
  return !isSettingInput(node, input) && !isCastToInteger(node) &&
         !llvm::is_contained(zeroGradientOps, StringRef(node.op_type()));
}

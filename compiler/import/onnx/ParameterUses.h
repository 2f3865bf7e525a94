#ifndef DSC_COMPILER_IMPORT_ONNX_PARAMETERUSES_H
#define DSC_COMPILER_IMPORT_ONNX_PARAMETERUSES_H

#include "compiler/import/onnx/Parameters.h"

namespace dsc::onnx_import {

/// Answers questions about how a graph uses its parameters. Each question takes
/// time linear in what lies between a parameter and the operators that decide.
class ParameterUses {
public:
  ParameterUses(const Graph &graph, const ParameterTable &parameters);

  /// True if a gradient of some output reaches `name`.
  bool receivesGradient(llvm::StringRef name) const {
    return gradientPaths.contains(name);
  }
  /// The graph input that `name` normalises ahead of any trained operator, or
  /// "".
  llvm::StringRef normalizedInput(llvm::StringRef name) const {
    return normalizers.lookup(name);
  }
  /// True if every use is a shape, an index or a setting.
  bool isSetting(llvm::StringRef name) const;
  /// True if `name` only chooses or hides: in comparisons and Where, or added
  /// to attention scores.
  bool isMask(llvm::StringRef name) const;
  /// Why `parameter`, a single number, belongs to an operator and not to the
  /// model's weights; "" if it may be a weight.
  llvm::StringRef scalarSetting(const Parameter &parameter) const;

private:
  void findGradientPaths();
  void findNormalizers();
  void findTrainedFollowers();
  void findNumbers();
  llvm::SmallVector<Use> ownUses(llvm::StringRef name) const;
  bool isMaskUse(const Use &use, llvm::StringRef parameter) const;
  bool feedsOnlySoftmax(llvm::StringRef name) const;
  bool becomesScores(llvm::StringRef name) const;
  bool scalesScores(llvm::StringRef name) const;
  bool isActivationProduct(const onnx::NodeProto &node) const;
  bool isAttentionScore(llvm::StringRef name) const;
  bool isEpsilon(const Use &use) const;
  const onnx::NodeProto *producer(llvm::StringRef name) const;

  const Graph &graph;
  const ParameterTable &parameters;
  /// Values that a gradient of some output reaches.
  llvm::StringSet<> gradientPaths;
  /// Normaliser to the graph input that it is applied to.
  llvm::StringMap<llvm::StringRef> normalizers;
  /// Single numbers of the file, and what is computed from these alone.
  llvm::StringSet<> numbers;
  /// Values after which a trained operator comes.
  llvm::StringSet<> feedsTrained;
};

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_PARAMETERUSES_H

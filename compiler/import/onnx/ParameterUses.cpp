#include "compiler/import/onnx/ParameterUses.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/TensorData.h"
#include "llvm/ADT/StringExtras.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;
using onnx::NodeProto;

static bool isOneOf(const NodeProto &node,
                    std::initializer_list<StringRef> names) {
  return llvm::is_contained(names, StringRef(node.op_type()));
}

/// Operators that hand their first input on, but for its shape or type.
static bool isView(const NodeProto &node) {
  return isOneOf(node, {"Identity", "Cast", "Reshape", "Flatten", "Transpose",
                        "Squeeze", "Unsqueeze", "Dropout", "Expand"});
}

static bool isComparison(const NodeProto &node) {
  return isOneOf(node,
                 {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"});
}

/// Elementwise operators of any number of inputs.
static bool isArithmetic(const NodeProto &node) {
  return isComparison(node) ||
         isOneOf(node, {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min",
                        "Where", "Sqrt", "Reciprocal", "Neg", "Exp", "Log"});
}

ParameterUses::ParameterUses(const Graph &graph,
                             const ParameterTable &parameters)
    : graph(graph), parameters(parameters) {
  findGradientPaths();
  findNormalizers();
  findNumbers();
}

const NodeProto *ParameterUses::producer(StringRef name) const {
  const Definition *definition = graph.lookup(name);
  return definition && definition->kind == Definition::Kind::Node &&
                 !parameters.lookup(name)
             ? &graph.node(definition->index)
             : nullptr;
}

void ParameterUses::findGradientPaths() {
  for (const onnx::ValueInfoProto &output : graph.model().graph().output())
    gradientPaths.insert(output.name());
  for (int index : llvm::reverse(graph.liveNodes())) {
    const NodeProto &node = graph.node(index);
    if (parameters.isDefinedBy(node) ||
        llvm::none_of(node.output(), [&](const std::string &output) {
          return gradientPaths.contains(output);
        }))
      continue;
    for (auto [i, name] : llvm::enumerate(graph.inputs(index)))
      if (!name.empty() && passesGradient(node, i))
        gradientPaths.insert(name);
  }
}

/// Uses of `name` itself: what an Identity with a name of its own stands for is
/// a question of its own.
SmallVector<Use> ParameterUses::ownUses(StringRef name) const {
  SmallVector<Use> own;
  llvm::copy_if(graph.uses(name), std::back_inserter(own), [&](const Use &use) {
    return !parameters.isDefinedBy(graph.node(use.node));
  });
  return own;
}

bool ParameterUses::isSetting(StringRef name) const {
  SmallVector<Use> uses = ownUses(name);
  return !uses.empty() && llvm::all_of(uses, [&](const Use &use) {
    return isSettingInput(graph.node(use.node), use.input);
  });
}

//===----------------------------------------------------------------------===//
// Attention scores
//===----------------------------------------------------------------------===//

/// True if `name` reaches nothing but Softmax, through sums and views.
bool ParameterUses::feedsOnlySoftmax(StringRef name) const {
  SmallVector<StringRef> work = {name};
  llvm::StringSet<> seen;
  while (!work.empty()) {
    ArrayRef<Use> uses = graph.uses(work.pop_back_val());
    if (uses.empty())
      return false;
    for (const Use &use : uses) {
      const NodeProto &node = graph.node(use.node);
      if (isOneOf(node, {"Softmax"}))
        continue;
      if (node.output_size() != 1 || !(isView(node) || isOneOf(node, {"Add"})))
        return false;
      if (seen.insert(node.output(0)).second)
        work.push_back(node.output(0));
    }
  }
  return true;
}

/// True for a matrix product without a parameter in it.
bool ParameterUses::isActivationProduct(const NodeProto &node) const {
  return isOneOf(node, {"MatMul"}) &&
         llvm::none_of(node.input(), [&](StringRef input) {
           while (const NodeProto *view = producer(input)) {
             if (!isView(*view) || view->input_size() == 0)
               break;
             input = view->input(0);
           }
           return parameters.lookup(input) != nullptr;
         });
}

/// True if `name` is a scaled product of two activations. What is added before
/// the softmax of a classifier is its bias, and that product has a parameter.
bool ParameterUses::isAttentionScore(StringRef name) const {
  // Scores are scaled and masked a few times at most; a longer chain is a
  // residual stream, which need not be followed to its start.
  for (unsigned steps = 0; steps != 16; ++steps) {
    const NodeProto *node = producer(name);
    if (!node || node->input_size() == 0)
      return false;
    if (isOneOf(*node, {"MatMul"}))
      return isActivationProduct(*node);
    if (!isView(*node) && !isOneOf(*node, {"Mul", "Div", "Add", "Sub"}))
      return false;
    name = node->input(0);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

bool ParameterUses::isMaskUse(const Use &use, StringRef parameter) const {
  const NodeProto &node = graph.node(use.node);
  if (isComparison(node) || isOneOf(node, {"Not"}))
    return true;
  if (node.output_size() != 1)
    return false;
  // Where chooses by its condition. What it puts into hidden places is a mask
  // too, unless it is a vector of weights, such as a learned mask token.
  if (isOneOf(node, {"Where"})) {
    const Parameter *value = parameters.lookup(parameter);
    return use.input == 0 || value->type.getNumElements() == 1 ||
           feedsOnlySoftmax(node.output(0));
  }
  // What is added before a softmax is a mask if it hides pairs, by its shape or
  // by what it is added to; the bias of a classifier does neither.
  if (!isOneOf(node, {"Add", "Sub"}) || node.input_size() != 2 ||
      !feedsOnlySoftmax(node.output(0)))
    return false;
  ArrayRef<int64_t> shape = parameters.lookup(parameter)->type.getShape();
  bool hasPairs =
      shape.size() >= 2 && shape.back() != 1 && shape[shape.size() - 2] != 1;
  return hasPairs || isAttentionScore(node.input(1 - use.input));
}

bool ParameterUses::isMask(StringRef name) const {
  SmallVector<StringRef> work = {name};
  llvm::StringSet<> seen;
  while (!work.empty()) {
    SmallVector<Use> uses = ownUses(work.pop_back_val());
    if (uses.empty())
      return false;
    for (const Use &use : uses) {
      const NodeProto &node = graph.node(use.node);
      if (isMaskUse(use, name))
        continue;
      // A part of a mask is a mask.
      if (use.input != 0 || node.output_size() != 1 ||
          !(isView(node) || isOneOf(node, {"Slice", "Trilu"})) ||
          graph.isOutput(node.output(0)))
        return false;
      if (seen.insert(node.output(0)).second)
        work.push_back(node.output(0));
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Single numbers
//===----------------------------------------------------------------------===//

/// True if the use adds something ahead of a root, a logarithm or a division,
/// to keep it away from zero.
bool ParameterUses::isEpsilon(const Use &use) const {
  const NodeProto &node = graph.node(use.node);
  if (!isOneOf(node, {"Add", "Max"}) || node.output_size() != 1)
    return false;
  ArrayRef<Use> uses = graph.uses(node.output(0));
  return !uses.empty() && llvm::all_of(uses, [&](const Use &next) {
    return isOneOf(graph.node(next.node), {"Sqrt", "Reciprocal", "Log"});
  });
}

/// True if `name` becomes nothing but the argument of a Softmax, and is a
/// product of activations, or a factor of one, on the way.
bool ParameterUses::becomesScores(StringRef name) const {
  struct Item {
    StringRef value;
    bool isScore;
  };
  SmallVector<Item> work = {{name, isAttentionScore(name)}};
  llvm::StringSet<> seen;
  while (!work.empty()) {
    Item item = work.pop_back_val();
    ArrayRef<Use> uses = graph.uses(item.value);
    if (uses.empty() || graph.isOutput(item.value))
      return false;
    for (const Use &use : uses) {
      const NodeProto &node = graph.node(use.node);
      if (isOneOf(node, {"Softmax"}) && item.isScore)
        continue;
      bool isProduct = isActivationProduct(node);
      if (node.output_size() != 1 ||
          !(isProduct || isView(node) ||
            isOneOf(node, {"Mul", "Div", "Add", "Sub", "Where"})))
        return false;
      if (seen.insert(node.output(0)).second)
        work.push_back({node.output(0), item.isScore || isProduct});
    }
  }
  return true;
}

/// Finds what is computed from single numbers of the file alone.
void ParameterUses::findNumbers() {
  for (const Parameter &parameter : parameters.all())
    if (parameter.type.hasStaticShape() && parameter.type.getNumElements() == 1)
      numbers.insert(parameter.name);
  for (int index : graph.liveNodes()) {
    const NodeProto &node = graph.node(index);
    if (node.output_size() != 1)
      continue;
    const onnx::TensorProto *constant = constantTensor(node);
    bool isNumber = constant
                        ? llvm::all_of(constant->dims(),
                                       [](int64_t dim) { return dim == 1; })
                        : node.input_size() > 0 &&
                              (isArithmetic(node) || isView(node)) &&
                              llvm::all_of(node.input(), [&](StringRef input) {
                                return numbers.contains(input);
                              });
    if (isNumber)
      numbers.insert(node.output(0));
  }
}

/// True if `name`, or what is computed from it and other single numbers, only
/// multiplies what becomes attention scores.
bool ParameterUses::scalesScores(StringRef name) const {
  SmallVector<StringRef> work = {name};
  llvm::StringSet<> seen;
  while (!work.empty()) {
    SmallVector<Use> uses = ownUses(work.pop_back_val());
    if (uses.empty())
      return false;
    for (const Use &use : uses) {
      const NodeProto &node = graph.node(use.node);
      if (node.output_size() != 1)
        return false;
      StringRef result = node.output(0);
      if (numbers.contains(result)) {
        if (seen.insert(result).second)
          work.push_back(result);
      } else if (!isOneOf(node, {"Mul", "Div"}) || !becomesScores(result)) {
        return false;
      }
    }
  }
  return true;
}

bool onnx_import::isMadeUpName(StringRef name) {
  auto isNumber = [](StringRef text) {
    return !text.empty() && llvm::all_of(text, llvm::isDigit);
  };
  if (isNumber(name))
    return true;
  // PyTorch's TorchScript exporter: "onnx::Mul_12"; values of nodes that an
  // optimizer folded: "/h.0/attn/Constant_output_0".
  if (name.starts_with("onnx::") || name.starts_with("/"))
    return true;
  // PyTorch's dynamo exporter, ONNX Runtime's optimizer, tf2onnx.
  for (StringRef prefix :
       {"val_", "_val_", "ortshared_", "const_fold_opt__", "scalar_tensor"})
    if (name.starts_with(prefix) && !name.contains('.'))
      return true;
  return false;
}

StringRef ParameterUses::scalarSetting(const Parameter &parameter) const {
  SmallVector<Use> uses = ownUses(parameter.name);
  if (uses.empty() || !parameter.type.hasStaticShape() ||
      parameter.type.getNumElements() != 1)
    return "";
  auto all = [&](llvm::function_ref<bool(const Use &)> holds) {
    return llvm::all_of(uses, holds);
  };
  if (all([&](const Use &use) {
        return use.input == 1 && isOneOf(graph.node(use.node), {"Pow"});
      }))
    return "exponent of Pow";
  if (all([&](const Use &use) { return isEpsilon(use); }))
    return "keeps a root, logarithm or divisor away from zero";
  // A learned temperature has a name like "blocks.0.temperature".
  if (!StringRef(parameter.name).contains('.') && scalesScores(parameter.name))
    return "scale of attention scores";
  if (isMadeUpName(parameter.name) && all([&](const Use &use) {
        const NodeProto &node = graph.node(use.node);
        return isArithmetic(node) || isView(node);
      }))
    return "a number without a name of its own";
  return "";
}

//===----------------------------------------------------------------------===//
// Normalisers
//===----------------------------------------------------------------------===//

/// Walks from the outputs back: a value feeds a trained operator if a user of
/// it reads a parameter that is no normaliser, or if a user's result does.
void ParameterUses::findTrainedFollowers() {
  for (int index : llvm::reverse(graph.liveNodes())) {
    const NodeProto &node = graph.node(index);
    bool feeds = llvm::any_of(node.output(), [&](const std::string &output) {
      return feedsTrained.contains(output);
    });
    for (StringRef input : graph.inputs(index))
      feeds |= parameters.lookup(input) && !normalizers.contains(input);
    if (!feeds)
      continue;
    for (StringRef input : graph.inputs(index))
      feedsTrained.insert(input);
  }
}

void ParameterUses::findNormalizers() {
  // Values that are a graph input but for elementwise arithmetic, with it.
  llvm::StringMap<StringRef> raw;
  SmallVector<std::pair<StringRef, StringRef>> results;
  for (const onnx::ValueInfoProto &input : graph.model().graph().input())
    if (!parameters.lookup(input.name()))
      raw[input.name()] = input.name();
  for (int index : graph.liveNodes()) {
    const NodeProto &node = graph.node(index);
    if (node.output_size() != 1 || node.input_size() == 0)
      continue;
    if (isView(node) && raw.contains(node.input(0)))
      raw[node.output(0)] = raw[node.input(0)];
    if (!isOneOf(node, {"Add", "Sub", "Mul", "Div"}) || node.input_size() != 2)
      continue;
    for (unsigned i : {0u, 1u}) {
      StringRef other = node.input(1 - i);
      if (!raw.contains(other) || !parameters.lookup(node.input(i)) ||
          graph.uses(node.input(i)).size() != 1)
        continue;
      raw[node.output(0)] = raw[other];
      normalizers[node.input(i)] = raw[other];
      results.push_back({node.input(i), node.output(0)});
    }
  }
  // What nothing trained follows is itself what the user wants to train.
  findTrainedFollowers();
  for (auto [name, result] : results)
    if (!feedsTrained.contains(result))
      normalizers.erase(name);
}

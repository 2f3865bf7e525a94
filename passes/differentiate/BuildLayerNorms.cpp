#include "passes/analysis/LayerNames.h"
#include "passes/differentiate/BatchWeight.h"
#include "passes/differentiate/Names.h"
#include "passes/differentiate/Passes.h"
#include "passes/differentiate/States.h"
#include "passes/differentiate/TensorBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace dsc {
#define GEN_PASS_DEF_BUILDLAYERNORMSPASS
#include "passes/differentiate/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// The sums of squares of one layer's tensors.
struct LayerSquares {
  SmallVector<Value> gradients, weights;
};

class BuildLayerNormsPass
    : public dsc::impl::BuildLayerNormsPassBase<BuildLayerNormsPass> {
public:
  using BuildLayerNormsPassBase::BuildLayerNormsPassBase;
  void runOnOperation() override;
};

} // namespace

static Value readSquares(TensorBuilder &t, StringRef symbol, Type type) {
  return nn::SumSquaresOp::create(t.builder, t.loc, t.read(symbol, type));
}

static Value addUp(TensorBuilder &t, ArrayRef<Value> values) {
  Value sum = values.front();
  for (Value value : values.drop_front())
    sum = t.add(sum, value);
  return sum;
}

static DictionaryAttr describeNorm(Builder &builder, StringRef layer,
                                   StringRef of) {
  NamedAttrList attributes;
  attributes.set(names::nameAttr,
                 builder.getStringAttr(layer + "." + of + "_norm"));
  attributes.set(names::layerAttr, builder.getStringAttr(layer));
  attributes.set(names::normOfAttr, builder.getStringAttr(of));
  return attributes.getDictionary(builder.getContext());
}

void BuildLayerNormsPass::runOnOperation() {
  ModuleOp module = getOperation();
  StateDeclarer states(module);
  if (!states.claim(names::layerNorms))
    return signalPassFailure();

  OpBuilder builder(&getContext());
  llvm::MapVector<StringRef, SmallVector<train::ParameterOp>> layers;
  for (train::ParameterOp parameter : getTrainable(module))
    layers[getLayerOrName(parameter)].push_back(parameter);
  SmallVector<DictionaryAttr> attributes;
  for (StringRef layer : llvm::make_first_range(layers))
    for (StringRef of : {names::normOfGradient, names::normOfWeight})
      attributes.push_back(describeNorm(builder, layer, of));
  SmallVector<Type> types(attributes.size(),
                          TensorBuilder::scalar(builder.getF64Type()));

  builder.setInsertionPointToEnd(module.getBody());
  auto entry = train::EntryOp::create(
      builder, module.getLoc(), names::layerNorms, train::EntryKind::LayerNorms,
      builder.getFunctionType({}, types), /*argAttrs=*/{}, attributes);
  builder.setInsertionPointToEnd(&entry.getBody().front());
  TensorBuilder t(builder, module.getLoc());

  // All sums over tensors come first, so that ranks can add up their shares of
  // them in one message.
  SmallVector<LayerSquares> squares;
  for (auto &[layer, parameters] : layers) {
    LayerSquares &sums = squares.emplace_back();
    for (train::ParameterOp parameter : parameters) {
      StringRef name = parameter.getSymName();
      sums.gradients.push_back(readSquares(t, (name + names::gradSuffix).str(),
                                           parameter.getType()));
      sums.weights.push_back(readSquares(t, name, parameter.getType()));
    }
  }
  BatchWeight batch = BatchWeight::build(t, t.constant(0.0), t.constant(1.0));
  Value squaredScale = t.mul(batch.gradientScale, batch.gradientScale);
  SmallVector<Value> norms;
  for (const LayerSquares &sums : squares) {
    norms.push_back(t.sqrt(t.mul(addUp(t, sums.gradients), squaredScale)));
    norms.push_back(t.sqrt(addUp(t, sums.weights)));
  }
  train::ReturnOp::create(builder, module.getLoc(), norms);
}

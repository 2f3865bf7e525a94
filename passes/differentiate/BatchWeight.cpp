#include "passes/differentiate/BatchWeight.h"

#include "passes/differentiate/Names.h"

using namespace mlir;
using namespace dsc;

BatchWeight BatchWeight::build(TensorBuilder &t, Value zero, Value one) {
  BatchWeight batch;
  batch.weight = t.read(names::lossWeight);
  batch.isPresent = t.compare(nn::ComparePredicate::ne, batch.weight, zero);
  batch.safe = t.select(batch.isPresent, batch.weight, one);
  Value ratio = t.div(t.read(names::nominalWeight), batch.safe);
  batch.gradientScale = t.select(batch.isPresent, ratio, zero);
  return batch;
}

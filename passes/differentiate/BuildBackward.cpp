#include "dialects/interfaces/DifferentiableOpInterface.h"
#include "passes/differentiate/Forward.h"
#include "passes/differentiate/GradientPaths.h"
#include "passes/differentiate/Names.h"
#include "passes/differentiate/Passes.h"
#include "passes/differentiate/States.h"
#include "passes/differentiate/TensorBuilder.h"
#include "llvm/ADT/StringSet.h"

namespace dsc {
#define GEN_PASS_DEF_BUILDBACKWARDPASS
#include "passes/differentiate/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// Reverse mode over one block: walks its operations from the last to the first
/// and appends their gradients to the end of the block.
class ReverseMode {
public:
  ReverseMode(Block &block, const GradientPaths &paths)
      : block(block), paths(paths), builder(OpBuilder::atBlockEnd(&block)) {}

  /// Differentiates `loss`, whose own gradient is `seed`. Fails, with one error
  /// for all of them, when operations on the way have no gradient.
  LogicalResult run(Value loss, Value seed);

  /// Names of parameters that got a gradient.
  const llvm::StringSet<> &getReached() const { return reached; }

private:
  LogicalResult checkSupported(ArrayRef<Operation *> ops);
  LogicalResult differentiate(Operation *op);
  void addGradient(Value value, Value gradient, Location loc);

  Block &block;
  const GradientPaths &paths;
  OpBuilder builder;
  /// Sum of the contributions so far, in the order in which they arose.
  llvm::DenseMap<Value, Value> gradients;
  llvm::StringSet<> reached;
};

class BuildBackwardPass
    : public dsc::impl::BuildBackwardPassBase<BuildBackwardPass> {
public:
  using BuildBackwardPassBase::BuildBackwardPassBase;
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reverse mode
//===----------------------------------------------------------------------===//

LogicalResult ReverseMode::checkSupported(ArrayRef<Operation *> ops) {
  SmallVector<Operation *> unsupported;
  llvm::copy_if(ops, std::back_inserter(unsupported), [](Operation *op) {
    return !isa<DifferentiableOpInterface>(op);
  });
  if (unsupported.empty())
    return success();
  InFlightDiagnostic diagnostic =
      emitError(unsupported.front()->getLoc(), "no gradient for ")
      << unsupported.size()
      << " operation(s) on a path from a trained parameter to the loss; freeze "
         "the parameters below or choose another loss";
  for (Operation *op : unsupported) {
    OpOperand *operand = llvm::find_if(
        op->getOpOperands(), [&](OpOperand &o) { return paths.isOnPath(o); });
    diagnostic.attachNote(op->getLoc())
        << "'" << op->getName() << "', on the path from parameter '"
        << paths.getParameter(operand->get()).getSymName() << "'";
  }
  return diagnostic;
}

LogicalResult ReverseMode::run(Value loss, Value seed) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    if (llvm::any_of(op.getOpOperands(), [&](OpOperand &operand) {
          return paths.isOnPath(operand);
        }))
      ops.push_back(&op);
  if (failed(checkSupported(ops)))
    return failure();

  if (paths.isOnPath(loss))
    addGradient(loss, seed, loss.getLoc());
  for (Operation *op : llvm::reverse(ops))
    if (failed(differentiate(op)))
      return failure();
  return success();
}

LogicalResult ReverseMode::differentiate(Operation *op) {
  auto resultGradients = llvm::map_to_vector(
      op->getResults(), [&](Value result) { return gradients.lookup(result); });
  if (llvm::none_of(resultGradients, [](Value v) { return bool(v); }))
    return success();

  auto needed = llvm::map_to_vector(
      op->getOpOperands(), [&](OpOperand &o) { return paths.isOnPath(o); });
  SmallVector<Value> operandGradients;
  if (failed(cast<DifferentiableOpInterface>(op).buildGradient(
          builder, resultGradients, needed, operandGradients)))
    return op->emitError("its gradient could not be built");
  for (auto [operand, gradient, isNeeded] :
       llvm::zip_equal(op->getOperands(), operandGradients, needed)) {
    if (!gradient || !isNeeded)
      continue;
    if (gradient.getType() != operand.getType())
      return op->emitError("its gradient has type ")
             << gradient.getType() << ", expects " << operand.getType();
    addGradient(operand, gradient, op->getLoc());
  }
  return success();
}

/// What arrives at a parameter leaves the entry at once, so that it need not be
/// kept, and can be sent while the rest of backward runs.
void ReverseMode::addGradient(Value value, Value gradient, Location loc) {
  if (auto read = value.getDefiningOp<train::ReadOp>()) {
    train::GradientOp::create(builder, read.getLoc(), read.getSymbol(),
                              gradient);
    reached.insert(read.getSymbol());
    return;
  }
  Value &sum = gradients[value];
  sum = sum ? nn::AddOp::create(builder, loc, sum, gradient).getResult()
            : gradient;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Freezes the trainable parameters whose gradient does not exist.
static void freezeUnreached(ModuleOp module, const llvm::StringSet<> &reached) {
  for (train::ParameterOp parameter : getTrainable(module)) {
    if (reached.contains(parameter.getSymName()))
      continue;
    parameter.setRole(train::ParameterRole::Frozen);
    parameter.setReason("no gradient reaches it");
    emitRemark(parameter.getLoc(), "parameter '")
        << parameter.getSymName()
        << "' is frozen: no gradient of the loss reaches it";
  }
}

/// Random operations take other numbers in the next micro-batch.
static void countMicroBatch(ModuleOp module, TensorBuilder &t) {
  auto count = module.lookupSymbol<train::StateOp>(names::microBatch);
  if (!count)
    return;
  auto one = DenseElementsAttr::get(count.getType(), int64_t{1});
  train::AccumulateOp::create(t.builder, t.loc, names::microBatch,
                              nn::ConstantOp::create(t.builder, t.loc, one));
}

void BuildBackwardPass::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<Forward> forward = Forward::getWithLoss(module);
  if (failed(forward))
    return signalPassFailure();

  StateDeclarer states(module);
  states.addScalar(names::lossSum, train::StateKind::Accumulator);
  states.addScalar(names::lossWeight, train::StateKind::Accumulator);
  states.addSetting(names::nominalWeight, forward->nominal,
                    "weight of the global batch; default: one full "
                    "micro-batch");
  if (!states.claim(names::step) || !states.claim(names::stepLast))
    return signalPassFailure();

  IRMapping mapping;
  train::EntryOp step = forward->cloneInto(
      module, names::step, train::EntryKind::Step,
      {forward->lossSum, forward->lossWeight}, {}, {}, mapping);
  Block &body = step.getBody().front();
  Value sum = mapping.lookup(forward->lossSum);
  GradientPaths paths(body, sum, module);

  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  TensorBuilder t(builder, sum.getLoc());
  t.accumulate(names::lossSum, sum);
  t.accumulate(names::lossWeight, mapping.lookup(forward->lossWeight));
  // The sum over all micro-batches and ranks of these gradients is that of the
  // mean loss if the global batch has its nominal weight; update corrects by
  // the weight that it really had.
  Value seed = t.cast(t.div(t.constant(1.0), t.read(names::nominalWeight)),
                      TensorBuilder::typeOf(sum).getElementType());

  ReverseMode reverse(body, paths);
  if (failed(reverse.run(sum, seed)))
    return signalPassFailure();
  if (reverse.getReached().empty()) {
    step.emitError("no trained parameter influences the loss; train some with "
                   "--train=REGEX or choose another --loss");
    return signalPassFailure();
  }
  freezeUnreached(module, reverse.getReached());
  builder.setInsertionPointToEnd(&body);
  countMicroBatch(module, t);
  train::ReturnOp::create(builder, step.getLoc());

  for (train::ParameterOp parameter : getTrainable(module))
    states.addOf(parameter, names::gradSuffix, train::StateKind::Gradient);
  if (!states.succeeded())
    return signalPassFailure();

  train::EntryOp stepLast = step.clone();
  stepLast.setSymName(names::stepLast);
  stepLast.setKind(train::EntryKind::StepLast);
  module.push_back(stepLast);
}

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "passes/differentiate/Passes.h"

using namespace mlir;
using namespace dsc;

//===----------------------------------------------------------------------===//
// dsc-differentiate
//===----------------------------------------------------------------------===//

void dsc::buildDifferentiatePipeline(OpPassManager &pm,
                                     const DifferentiateOptions &options) {
  // First, so that every entry has the limits.
  pm.addPass(createLimitIndicesPass());

  if (options.training) {
    AttachLossPassOptions loss;
    loss.loss = options.loss;
    pm.addPass(createAttachLossPass(loss));

    pm.addPass(createBuildBackwardPass());

    // Behind backward, which decides which parameters are trained.
    pm.addPass(createAttachOptimizerPass(options));

    if (options.layerNorms)
      pm.addPass(createBuildLayerNormsPass());

    if (options.debugNan)
      pm.addPass(createBuildDebugPass());

    pm.addPass(createBuildEvalPass());
  }

  // Last of the builders, since it consumes @forward.
  BuildForwardPassOptions forward;
  forward.keep = options.forward;
  pm.addPass(createBuildForwardPass(forward));

  // No clean-up here: CSE would let two parameters of equal shape share a
  // tensor in @update, which partition then could not cut into shards.
  pm.addPass(createVerifyDifferentiatedPass());
}

//===----------------------------------------------------------------------===//
// Options of the pipeline: one table row for each field
//===----------------------------------------------------------------------===//

namespace {

template <typename T> struct Field {
  StringLiteral name;
  T DifferentiateOptions::*member;
};

constexpr Field<std::string> texts[] = {
    {"loss", &DifferentiateOptions::loss},
    {"optimizer", &DifferentiateOptions::optimizer},
    {"adam-epsilon", &DifferentiateOptions::adamEpsilon},
    {"no-decay", &DifferentiateOptions::noDecay},
    {"lr-schedule", &DifferentiateOptions::lrSchedule},
    {"warmup-type", &DifferentiateOptions::warmupType}};

constexpr Field<bool> flags[] = {
    {"training", &DifferentiateOptions::training},
    {"forward", &DifferentiateOptions::forward},
    {"layer-norms", &DifferentiateOptions::layerNorms},
    {"debug-nan", &DifferentiateOptions::debugNan},
    {"use-momentum", &DifferentiateOptions::useMomentum},
    {"nesterov", &DifferentiateOptions::nesterov},
    {"clip-norm", &DifferentiateOptions::clipNorm},
    {"cycle-momentum", &DifferentiateOptions::cycleMomentum},
    {"range-staircase", &DifferentiateOptions::rangeStaircase}};

constexpr Field<double> numbers[] = {
    {"lr", &DifferentiateOptions::lr},
    {"beta1", &DifferentiateOptions::beta1},
    {"beta2", &DifferentiateOptions::beta2},
    {"eps", &DifferentiateOptions::eps},
    {"weight-decay", &DifferentiateOptions::weightDecay},
    {"momentum", &DifferentiateOptions::momentum},
    {"max-norm", &DifferentiateOptions::maxNorm},
    {"warmup-steps", &DifferentiateOptions::warmupSteps},
    {"total-steps", &DifferentiateOptions::totalSteps},
    {"min-lr", &DifferentiateOptions::minLr},
    {"warmup-min-ratio", &DifferentiateOptions::warmupMinRatio},
    {"cosine-min-ratio", &DifferentiateOptions::cosineMinRatio},
    {"cycle-up-steps", &DifferentiateOptions::cycleUpSteps},
    {"cycle-down-steps", &DifferentiateOptions::cycleDownSteps},
    {"cycle-up-stairs", &DifferentiateOptions::cycleUpStairs},
    {"cycle-down-stairs", &DifferentiateOptions::cycleDownStairs},
    {"cycle-decay-steps", &DifferentiateOptions::cycleDecaySteps},
    {"cycle-lr-decay", &DifferentiateOptions::cycleLrDecay},
    {"cycle-min-beta1", &DifferentiateOptions::cycleMinBeta1},
    {"cycle-max-beta1", &DifferentiateOptions::cycleMaxBeta1},
    {"cycle-beta1-decay", &DifferentiateOptions::cycleBeta1Decay},
    {"range-steps", &DifferentiateOptions::rangeSteps},
    {"range-rate", &DifferentiateOptions::rangeRate}};

class PipelineOptions : public PassPipelineOptions<PipelineOptions> {
public:
  PipelineOptions() {
    add<std::string>(texts, textOptions);
    add<bool>(flags, flagOptions);
    add<double>(numbers, numberOptions);
  }

  DifferentiateOptions get() const {
    DifferentiateOptions result;
    read<std::string>(texts, textOptions, result);
    read<bool>(flags, flagOptions, result);
    read<double>(numbers, numberOptions, result);
    return result;
  }

private:
  template <typename T> using Options = SmallVector<std::unique_ptr<Option<T>>>;

  template <typename T>
  void add(ArrayRef<Field<T>> fields, Options<T> &options) {
    DifferentiateOptions defaults;
    for (const Field<T> &field : fields)
      options.push_back(std::make_unique<Option<T>>(
          *this, field.name,
          llvm::cl::desc("see the option of the same name of the passes"),
          llvm::cl::init(defaults.*field.member)));
  }
  template <typename T>
  static void read(ArrayRef<Field<T>> fields, const Options<T> &options,
                   DifferentiateOptions &result) {
    for (auto [field, option] : llvm::zip_equal(fields, options))
      result.*field.member = option->getValue();
  }

  Options<std::string> textOptions;
  Options<bool> flagOptions;
  Options<double> numberOptions;
};

} // namespace

void dsc::registerDifferentiatePipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "dsc-differentiate",
      "From @forward in normal form to the entries step, step_last, update, "
      "eval and forward",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildDifferentiatePipeline(pm, options.get());
      });
}

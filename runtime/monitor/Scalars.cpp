#include "runtime/monitor/Scalars.h"

using namespace dsc::runtime;

Status ScalarMonitor::onUpdate(const StepReport &report) {
  std::vector<Scalar> scalars;
  if (report.weight != 0) // Else there is no loss.
    scalars.push_back({"Train/Samples/train_loss", report.loss});
  scalars.push_back({"Train/Samples/lr", report.learningRate});
  if (report.lossScale)
    scalars.push_back({"Train/Samples/loss_scale", *report.lossScale});
  scalars.push_back({"Train/Samples/grad_norm", report.gradientNorm});
  return write(report.samples, scalars);
}

Status ScalarMonitor::onEvaluation(const EvalReport &report) {
  if (report.weight == 0)
    return {};
  std::vector<Scalar> scalars = {{"Eval/Samples/loss", report.loss}};
  if (report.accuracy)
    scalars.push_back({"Eval/Samples/accuracy", *report.accuracy});
  return write(report.trainedSamples, scalars);
}

Status ScalarMonitor::onSave(const SaveReport &report) {
  const Scalar scalar{"Train/Samples/save_stall_seconds", report.stallSeconds};
  return write(report.trainedSamples, {&scalar, 1});
}

Status ScalarMonitor::onLayerNorms(const StepReport &report,
                                   std::span<const LayerNorm> norms) {
  std::vector<Scalar> scalars;
  for (const LayerNorm &norm : norms) {
    std::string layer(norm.layer);
    scalars.push_back({"Layers/grad_norm/" + layer, norm.gradientNorm});
    scalars.push_back({"Layers/weight_norm/" + layer, norm.weightNorm});
  }
  return write(report.samples, scalars);
}

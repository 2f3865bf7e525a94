#include "runtime/driver/Accumulation.h"

using namespace dsc::runtime;

Result<uint64_t> dsc::runtime::countMicroBatches(const RunOptions &options,
                                                 uint64_t microBatch) {
  if (options.microBatch && *options.microBatch != microBatch)
    return usageError(options.spell("micro-batch"), ": '", options.module,
                      "' was compiled for micro-batches of ", microBatch);
  uint64_t accumulate = options.accumulate.value_or(1), inEach, together;
  if (__builtin_mul_overflow(microBatch, options.ranks, &inEach) ||
      __builtin_mul_overflow(inEach, accumulate, &together))
    return usageError(options.spell("accumulate"), " is too large");
  if (!options.globalBatch)
    return accumulate;
  uint64_t wanted = *options.globalBatch;
  const char *ranks = options.ranks == 1 ? " rank" : " ranks";
  if (options.accumulate && wanted != together)
    return usageError(options.spell("global-batch"), " contradicts ",
                      options.spell("accumulate"), ": micro-batches of ",
                      microBatch, " on ", options.ranks, ranks, " make ",
                      together, "; leave one of them out");
  if (wanted % inEach)
    return usageError(options.spell("global-batch"), " is no multiple of ",
                      inEach, ": the module takes micro-batches of ",
                      microBatch, ", on ", options.ranks, ranks);
  return wanted / inEach;
}

Result<const Manifest::Entry *>
dsc::runtime::findStepEntry(const Module &module, const Manifest::Entry &last) {
  // step_last.seq256 belongs to step.seq256.
  std::string set = last.name.substr(std::string("step_last").size());
  if (const auto *entry = module.manifest().findEntry("step" + set))
    return entry;
  return usageError("'", module.path(), "' has no entry 'step", set,
                    "', which accumulation needs");
}

Status dsc::runtime::setNominalWeight(Session &session, uint64_t microBatches) {
  const Manifest::Setting *weight =
      session.module().manifest().findSetting("dsc.nominal_weight");
  if (!weight)
    return {};
  return session.setScalar(weight->name,
                           double(microBatches) * weight->initial);
}

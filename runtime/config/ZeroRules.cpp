#include "runtime/config/Rules.h"

using namespace dsc::runtime;

namespace {

const std::string kZero = "/zero_optimization";

uint64_t stageOf(const Judging &judging) {
  const ConfigNode *stage = judging.find(kZero + "/stage");
  return stage ? countOf(*stage) : 0;
}

Verdict judgeStage(Judging &judging, const ConfigNode &node) {
  if (countOf(node) > 3)
    return refused("ZeRO has the stages 0, 1, 2 and 3");
  judging.compile("zero", countText(node));
  return honoured();
}

/// Bounds of what reductions and gathers move at once, in elements, in
/// DeepSpeed as in dsc: the option `joins` bounds how many small groups travel
/// together. A layer's group is both reduced and gathered, so the smaller bound
/// cuts it.
Judge bucket(const char *joins, const char *otherBound, bool winsTies) {
  return [=](Judging &judging, const ConfigNode &node) {
    if (isAuto(node))
      return approximated("a collective moves a layer, whatever its size");
    if (node.number < 1)
      return refused("must be at least 1");
    judging.compile(joins, countText(node));
    const ConfigNode *other = judging.find(kZero + otherBound);
    if (other && (other->number < node.number ||
                  (other->number == node.number && !winsTies)))
      return honoured("by the smaller bound, " + judging.place(*other));
    judging.compile("bucket-size", countText(node));
    return honoured();
  };
}

Verdict judgePersistence(Judging &judging, const ConfigNode &node) {
  if (stageOf(judging) != 3)
    return ignored("below stage 3 every parameter is whole on every rank");
  judging.compile("persistence-threshold",
                  isAuto(node) ? "auto" : countText(node), "zero");
  return honoured();
}

/// A bound in elements at stage 3, by the option of dsc of the same meaning.
Judge bound(const char *option) {
  return [=](Judging &judging, const ConfigNode &node) {
    if (stageOf(judging) != 3)
      return ignored("concerns stage 3 alone");
    if (isAuto(node))
      return approximated("dsc chooses by what an exchange takes");
    judging.compile(option, countText(node));
    return honoured();
  };
}

Verdict judgeOverlap(Judging &judging, const ConfigNode &node) {
  if (!isTrue(node))
    judging.compile("overlap", "off");
  return honoured();
}

/// A key that has an effect at stage 3 only, if any.
Judge atStage3(Verdict verdict) {
  return [verdict](Judging &judging, const ConfigNode &) {
    return stageOf(judging) == 3 ? verdict : ignored("concerns stage 3 alone");
  };
}

const std::string kOffloadOptimizer = kZero + "/offload_optimizer";
const std::string kOffloadParam = kZero + "/offload_param";

Verdict judgeParamDevice(Judging &, const ConfigNode &node) {
  if (node.text == "none")
    return honoured();
  if (node.text == "cpu")
    return honoured("parameters of the host target are in its memory");
  if (node.text == "nvme")
    return ignored("parameters stay in memory");
  return refused("expects \"none\", \"cpu\" or \"nvme\"");
}

Verdict judgeOptimizerDevice(Judging &judging, const ConfigNode &node) {
  if (node.text == "none")
    return honoured();
  if (node.text != "cpu" && node.text != "nvme")
    return refused("expects \"none\", \"cpu\" or \"nvme\"");
  if (node.text == "nvme" &&
      judging.text(kOffloadOptimizer + "/nvme_path").empty())
    return refused("needs nvme_path, the folder to offload to");
  judging.compile("offload-optimizer", "all");
  return honoured();
}

Verdict judgeNvmePath(Judging &judging, const ConfigNode &node) {
  if (judging.text(kOffloadOptimizer + "/device") != "nvme")
    return ignored("the device is not nvme");
  judging.run("offload-dir", node.text);
  return honoured();
}

/// DeepSpeed's old spelling of the device cpu.
Verdict judgeCpuOffload(Judging &judging, const ConfigNode &node) {
  if (isTrue(node) && !judging.given(kOffloadOptimizer))
    judging.compile("offload-optimizer", "all");
  return honoured();
}

/// Lengths in elements up to which something is kept or fetched ahead.
KeyRules sizeRules() {
  using T = ConfigType;
  auto approximately = [](const char *reason) {
    return atStage3(approximated(reason));
  };
  return {
      {kZero + "/reduce_bucket_size", T::Count,
       bucket("reduce-bucket-size", "/allgather_bucket_size", true), true},
      {kZero + "/allgather_bucket_size", T::Count,
       bucket("allgather-bucket-size", "/reduce_bucket_size", false), true},
      {kZero + "/stage3_prefetch_bucket_size", T::Count,
       bound("prefetch-bucket-size"), true},
      {kZero + "/stage3_param_persistence_threshold", T::Count,
       judgePersistence, true},
      {kZero + "/stage3_model_persistence_threshold", T::Count,
       approximately("what stays whole is bounded for each parameter alone")},
      {kZero + "/stage3_max_live_parameters", T::Count,
       bound("max-live-parameters"), true},
      {kZero + "/stage3_max_reuse_distance", T::Count,
       bound("max-reuse-distance"), true},
      {kZero + "/sub_group_size", T::Count,
       always(ignored("the update is one kernel for each parameter; its "
                      "results do not depend on tiles"))},
  };
}

KeyRules offloadRules() {
  using T = ConfigType;
  KeyRules rules = {
      {kOffloadParam + "/device", T::Text, judgeParamDevice},
      {kOffloadParam + "/nvme_path", T::Text,
       always(ignored("parameters stay in memory"))},
      {kOffloadOptimizer + "/device", T::Text, judgeOptimizerDevice},
      {kOffloadOptimizer + "/nvme_path", T::Text, judgeNvmePath},
      {kZero + "/cpu_offload", T::Boolean, judgeCpuOffload},
  };
  for (const std::string &path : {kOffloadParam, kOffloadOptimizer}) {
    rules.push_back({path, T::Section, {}});
    Judge tuning = always(ignored(
        path == kOffloadParam
            ? "parameters are not moved"
            : "update moves the state of one group while it works on another"));
    for (const char *key : {"/buffer_count", "/buffer_size", "/max_in_cpu"})
      rules.push_back({path + key, T::Count, tuning});
    for (const char *key : {"/ratio", "/cpuadam_cores_perc"})
      rules.push_back({path + key, T::Number, tuning});
    for (const char *key : {"/pin_memory", "/pipeline", "/pipeline_read",
                            "/pipeline_write", "/fast_init", "/super_offload"})
      rules.push_back({path + key, T::Boolean, tuning});
  }
  return rules;
}

KeyRules quantizationRules() {
  using T = ConfigType;
  Judge exact = offOr(refused("it would change results: dsc sends whole "
                              "floats"));
  return {
      {kZero + "/zero_quantized_weights", T::Boolean, exact},
      {kZero + "/zero_quantized_nontrainable_weights", T::Boolean, exact},
      {kZero + "/zero_quantized_gradients", T::Boolean, exact},
      {kZero + "/zeropp_loco_param", T::Any,
       always(ignored("concerns quantized gradients alone"))},
      {kZero + "/zero_hpz_partition_size", T::Count,
       always(ignored("there is no second copy within a node; results are the "
                      "same"))},
      {kZero + "/mics_shard_size", T::Number,
       always(ignored("all ranks cut the state; results are the same"))},
      {kZero + "/mics_hierarchical_params_gather", T::Boolean,
       always(ignored("all ranks cut the state; results are the same"))},
  };
}

/// Switches that choose how the same result is reached.
KeyRules switchRules() {
  using T = ConfigType;
  KeyRules rules = {
      {kZero + "/overlap_comm", T::Boolean, judgeOverlap},
      {kZero + "/contiguous_gradients", T::Boolean,
       [](Judging &, const ConfigNode &node) {
         return isTrue(node) ? honoured("gradients of a layer are one block")
                             : ignored("gradients of a layer are one block "
                                       "always");
       }},
      {kZero + "/stage3_gather_16bit_weights_on_model_save", T::Boolean,
       [](Judging &, const ConfigNode &node) {
         return isTrue(node) ? honoured("dsrun --save=FILE.safetensors writes "
                                        "whole parameters, in f32")
                             : honoured();
       }},
  };
  Judge same = always(ignored("chooses how the same result is reached, which "
                              "dsc does at compile time"));
  for (const char *key :
       {"/reduce_scatter", "/allgather_partitions", "/round_robin_gradients",
        "/use_multi_rank_bucket_allreduce", "/ignore_unused_parameters",
        "/legacy_stage1", "/load_from_fp32_weights", "/elastic_checkpoint",
        "/stage3_use_all_reduce_for_fetch_params",
        "/stage3_allgather_sequential", "/memory_efficient_linear",
        "/pipeline_loading_checkpoint", "/override_module_apply",
        "/log_trace_cache_warnings", "/enable_sanity_checks",
        "/cpu_offload_params", "/cpu_offload_param",
        "/cpu_offload_use_pin_memory", "/save_muon_momentum_buffer_in_memory"})
    rules.push_back({kZero + key, T::Boolean, same});
  rules.push_back(
      {kZero + "/stage3_module_granularity_threshold", T::Count, same});
  rules.push_back({kZero + "/leaf_module", T::Any, same});
  rules.push_back({kZero + "/zenflow", T::Any,
                   always(refused("it would change results: dsc updates every "
                                  "parameter in every update"))});
  return rules;
}

} // namespace

KeyRules dsc::runtime::zeroRules() {
  KeyRules rules = {{kZero, ConfigType::Section, {}},
                    {kZero + "/stage", ConfigType::Count, judgeStage}};
  for (KeyRules part :
       {sizeRules(), offloadRules(), quantizationRules(), switchRules()})
    rules.insert(rules.end(), part.begin(), part.end());
  return rules;
}

#include "runtime/config/Rules.h"

using namespace dsc::runtime;

namespace {

using T = ConfigType;
using Keys = std::vector<std::pair<const char *, ConfigType>>;

/// A section of which only the switch matters.
void addSection(KeyRules &rules, const std::string &section, Verdict ifOn,
                const Keys &keys) {
  rules.push_back({section, T::Section, {}});
  rules.push_back(enabledRule(section, ifOn));
  for (auto [key, type] : keys)
    rules.push_back({section + "/" + key, type,
                     [section, ifOn](Judging &judging, const ConfigNode &) {
                       if (!judging.isOn(section + "/enabled"))
                         return ignored(section + "/enabled is not on");
                       return ifOn.answer == ConfigAnswer::Refused
                                  ? ignored("goes with " + section +
                                            "/enabled, which is refused")
                                  : ifOn;
                     }});
}

/// What trains another thing than the model, its batches and its loss say.
void addRefusedSections(KeyRules &rules) {
  addSection(rules, "/elasticity",
             refused("it would choose the batch; write the batch sizes"),
             {{"max_train_batch_size", T::Count},
              {"micro_batch_sizes", T::List},
              {"min_gpus", T::Count},
              {"max_gpus", T::Count},
              {"min_time", T::Number},
              {"prefer_larger_batch", T::Boolean},
              {"ignore_non_elastic_batch_info", T::Boolean},
              {"version", T::Number},
              {"model_parallel_size", T::Count},
              {"num_gpus_per_node", T::Count}});
  Verdict tuning = refused("it would try configurations of its own");
  addSection(rules, "/autotuning", tuning,
             {{"arg_mappings", T::Any},
              {"fast", T::Boolean},
              {"results_dir", T::Text},
              {"exps_dir", T::Text},
              {"overwrite", T::Boolean},
              {"metric", T::Text},
              {"metric_path", T::Text},
              {"start_profile_step", T::Count},
              {"end_profile_step", T::Count},
              {"max_train_batch_size", T::Count},
              {"min_train_batch_size", T::Count},
              {"mp_size", T::Count},
              {"num_tuning_micro_batch_sizes", T::Count},
              {"max_train_micro_batch_size_per_gpu", T::Count},
              {"min_train_micro_batch_size_per_gpu", T::Count},
              {"tuner_type", T::Text},
              {"tuner_early_stopping", T::Count},
              {"tuner_num_trials", T::Count},
              {"model_info", T::Any},
              {"model_info_path", T::Text}});
  Verdict data = refused("it would change results: dsrun feeds the data as it "
                         "is");
  addSection(rules, "/curriculum_learning", data,
             {{"curriculum_type", T::Text},
              {"min_difficulty", T::Count},
              {"max_difficulty", T::Count},
              {"schedule_type", T::Text},
              {"schedule_config", T::Any}});
  addSection(rules, "/data_efficiency", data,
             {{"seed", T::Count},
              {"data_sampling", T::Any},
              {"data_routing", T::Any}});
  addSection(rules, "/progressive_layer_drop",
             refused("it would change results: dsc runs every layer"),
             {{"theta", T::Number}, {"gamma", T::Number}});
  addSection(rules, "/eigenvalue",
             refused("it would change the quantization of the model, which "
                     "dsc does not do"),
             {{"verbose", T::Boolean},
              {"max_iter", T::Count},
              {"tol", T::Number},
              {"stability", T::Number},
              {"gas_boundary_resolution", T::Count},
              {"layer_name", T::Text},
              {"layer_num", T::Count}});
}

/// What splits or compresses the model itself.
void addModelSections(KeyRules &rules) {
  auto refuse = [&](const char *pointer, const char *reason) {
    rules.push_back({pointer, T::Any, always(refused(reason))});
  };
  refuse("/compression_training",
         "it would change results: dsc trains the model of the ONNX file");
  refuse("/sparse_attention",
         "the model itself must read it; dsc computes attention as the ONNX "
         "file says");
  refuse("/quantize_training",
         "it would change results: dsc trains the model of the ONNX file");
  refuse("/hybrid_engine", "dsc does not generate text while it trains");
  refuse("/pipeline", "every rank runs every layer");
  auto one = [](const char *reason) {
    return [reason](Judging &, const ConfigNode &node) {
      return node.number <= 1 ? honoured() : refused(reason);
    };
  };
  rules.push_back({"/tensor_parallel", T::Section, {}});
  rules.push_back({"/tensor_parallel/autotp_size", T::Count,
                   one("tensors are not split within an operator")});
  rules.push_back({"/sequence_parallel_size", T::Count,
                   one("sequences are not split over ranks")});
}

/// What recomputes, profiles or tunes, and leaves the results as they are.
void addHarmlessSections(KeyRules &rules) {
  rules.push_back({"/activation_checkpointing", T::Section, {}});
  // They tune what a model's own calls of deepspeed.checkpointing keep.
  Verdict tuning = ignored("dsc's --recompute says which activations are "
                           "computed again; results are the same");
  for (const char *key : {"/partition_activations", "/cpu_checkpointing",
                          "/contiguous_memory_optimization",
                          "/synchronize_checkpoint_boundary", "/profile"})
    rules.push_back({std::string("/activation_checkpointing") + key, T::Boolean,
                     offOr(tuning)});
  rules.push_back({"/activation_checkpointing/number_checkpoints", T::Count,
                   always(tuning)});

  rules.push_back({"/aio", T::Section, {}});
  Judge io = always(ignored("nothing is moved to a disk while training"));
  for (const char *key : {"/block_size", "/queue_depth", "/thread_count",
                          "/intra_op_parallelism"})
    rules.push_back({std::string("/aio") + key, T::Count, io});
  for (const char *key : {"/single_submit", "/overlap_events", "/use_gds"})
    rules.push_back({std::string("/aio") + key, T::Boolean, io});

  addSection(rules, "/flops_profiler",
             ignored("--metrics has the time of each step"),
             {{"profile_step", T::Count},
              {"module_depth", T::Number},
              {"top_modules", T::Count},
              {"detailed", T::Boolean},
              {"output_file", T::Text},
              {"recompute_fwd_factor", T::Number}});
  addSection(rules, "/comms_logger",
             ignored("'dsc --plan' lists what is sent, and --metrics counts "
                     "it"),
             {{"verbose", T::Boolean},
              {"prof_all", T::Boolean},
              {"prof_ops", T::List},
              {"debug", T::Boolean}});
  rules.push_back(
      {"/timers", T::Any, always(ignored("dsrun prints its own rate"))});

  rules.push_back({"/compile", T::Section, {}});
  Judge compiled = always(ignored("dsc compiles the step always, by its own "
                                  "passes"));
  for (const char *key : {"/deepcompile",
                          "/free_activation",
                          "/offload_activation",
                          "/offload_opt_states",
                          "/offload_parameters",
                          "/double_buffer",
                          "/symmetric_memory",
                          "/sync_before_reduce",
                          "/sync_after_reduce",
                          "/sync_before_allgather",
                          "/sync_after_allgather",
                          "/keep_int_input_tensors",
                          "/keep_all_input_tensors",
                          "/debug_log",
                          "/enabled",
                          "/backend",
                          "/passes",
                          "/pin_memory",
                          "/offload_activation_pin_memory",
                          "/free_activation_threshold"})
    rules.push_back({std::string("/compile") + key, T::Any, compiled});
}

} // namespace

KeyRules dsc::runtime::otherRules() {
  Judge same = always(ignored("does not change results"));
  KeyRules rules = {
      {"/prescale_gradients", T::Boolean,
       [](Judging &, const ConfigNode &node) {
         return isTrue(node)
                    ? honoured("gradients are scaled before they are added")
                    : ignored("gradients are scaled before they are added, "
                              "always; results are the same to rounding");
       }},
      {"/gradient_predivide_factor", T::Number,
       always(ignored("gradients are scaled before they are added; results "
                      "are the same to rounding"))},
      {"/gradient_allreduce_op", T::Text,
       [](Judging &, const ConfigNode &node) {
         return node.text == "mean"
                    ? honoured()
                    : refused("dsc takes the mean over the global batch");
       }},
      {"/managed_gradient_accumulation", T::Boolean,
       [](Judging &, const ConfigNode &node) {
         return isTrue(node) ? honoured()
                             : refused("dsrun counts the micro-batches");
       }},
      {"/sparse_gradients", T::Boolean,
       offOr(ignored("gradients are sent whole; results are the same"))},
      {"/zero_allow_untested_optimizer", T::Boolean,
       always(ignored("every optimizer of dsc is tested with every stage"))},
      {"/zero_force_ds_cpu_optimizer", T::Boolean,
       always(ignored("there is one implementation of each optimizer"))},
      {"/disable_allgather", T::Boolean, same},
      {"/graph_harvesting", T::Boolean, same},
      {"/use_data_before_expert_parallel_parallelism", T::Boolean, same},
      {"/use_data_before_expert_parallelism", T::Boolean, same},
      {"/dataloader_drop_last", T::Boolean,
       offOr(refused("the last short batch counts by its samples; --steps "
                     "can end before it"))},
      {"/vocabulary_size", T::Count, same},
  };
  addRefusedSections(rules);
  addModelSections(rules);
  addHarmlessSections(rules);
  return rules;
}

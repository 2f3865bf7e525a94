#include "runtime/config/Rules.h"

using namespace dsc::runtime;

namespace {

const std::string kCheckpoint = "/checkpoint";

Verdict judgeTag(Judging &, const ConfigNode &node) {
  std::string text = node.text;
  for (char &c : text)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  if (text == "fail")
    return honoured("parts of another step are never loaded");
  if (text == "warn" || text == "ignore")
    return approximated("stricter: parts of another step are never loaded");
  return refused("expects \"Ignore\", \"Warn\" or \"Fail\"");
}

} // namespace

KeyRules dsc::runtime::checkpointRules() {
  using T = ConfigType;
  Judge layout = always(ignored("each rank writes one part of each checkpoint, "
                                "in the background"));
  KeyRules rules = {
      {kCheckpoint, T::Section, {}},
      {kCheckpoint + "/tag_validation", T::Text, judgeTag},
      {kCheckpoint + "/load_universal", T::Boolean,
       [](Judging &, const ConfigNode &node) {
         return isTrue(node)
                    ? honoured("every checkpoint loads at any number of ranks")
                    : ignored("every checkpoint loads at any number of ranks");
       }},
      {kCheckpoint + "/use_node_local_storage", T::Boolean,
       offOr(ignored("ranks of one host write to one folder"))},
      {kCheckpoint + "/parallel_write", T::Section, {}},
      {kCheckpoint + "/parallel_write/pipeline_stage", T::Boolean, layout},
      {kCheckpoint + "/checkpoint_serialization", T::Boolean, layout},
      {kCheckpoint + "/writer", T::Section, {}},
      {kCheckpoint + "/writer/type", T::Text, layout},
      {kCheckpoint + "/writer/data_parallel", T::Text, layout},
      {"/checkpoint_parallel_write_pipeline", T::Boolean, layout},
      {"/load_universal_checkpoint", T::Boolean,
       always(honoured("every checkpoint loads at any number of ranks"))},
      {"/nebula", T::Any, always(ignored("checkpoints are files"))},
      {"/datastates_ckpt", T::Any, always(ignored("checkpoints are files"))},
  };
  for (const char *key : {"io_buffer_size", "io_multiplier"})
    rules.push_back({kCheckpoint + "/writer/" + key, T::Count, layout});
  for (const char *key : {"io_buffer_double", "show_statistics", "decoupled"})
    rules.push_back({kCheckpoint + "/writer/" + key, T::Boolean, layout});
  return rules;
}

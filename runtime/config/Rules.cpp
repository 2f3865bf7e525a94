#include "runtime/config/Rules.h"

using namespace dsc::runtime;
using Kind = ConfigNode::Kind;

bool dsc::runtime::isAuto(const ConfigNode &node) {
  return node.kind == Kind::String && node.text == "auto";
}

bool dsc::runtime::isTrue(const ConfigNode &node) {
  return node.boolean || node.number == 1;
}

uint64_t dsc::runtime::countOf(const ConfigNode &node) {
  bool fits = node.number >= 0 && node.number < 0x1p63;
  return fits ? uint64_t(node.number) : 0;
}

std::string dsc::runtime::countText(const ConfigNode &node) {
  return std::to_string(countOf(node));
}

std::string dsc::runtime::checkType(const ConfigNode &node, ConfigType type) {
  auto expects = [&](const char *what) {
    return concat("expects ", what, ", not ", node.describe());
  };
  bool isNumber = node.kind == Kind::Number && std::isfinite(node.number);
  switch (type) {
  case ConfigType::Boolean:
    if (node.kind != Kind::Boolean &&
        !(isNumber && (node.number == 0 || node.number == 1)))
      return expects("true or false");
    return "";
  case ConfigType::Count:
    // 2^63: what lies above is no size, and would not fit.
    if (!isNumber || node.number < 0 || node.number >= 0x1p63 ||
        node.number != std::floor(node.number))
      return expects("a whole number from 0 on");
    return "";
  case ConfigType::Number:
    return isNumber ? "" : expects("a number");
  case ConfigType::Text:
    return node.kind == Kind::String ? "" : expects("a string");
  case ConfigType::Pair:
    if (node.kind != Kind::List || node.items.size() != 2 ||
        node.items[0].kind != Kind::Number ||
        node.items[1].kind != Kind::Number)
      return expects("a list of two numbers");
    return "";
  case ConfigType::List:
    return node.kind == Kind::List ? "" : expects("a list");
  case ConfigType::Section:
    return node.kind == Kind::Object ? "" : expects("an object");
  case ConfigType::Any:
    return "";
  }
  return "";
}

std::string dsc::runtime::firstSpelling(const std::string &pointer) {
  static const std::string zero = "/zero_optimization/";
  static const std::map<std::string, std::string> spellings = {
      {"/bfloat16", "/bf16"},
      {zero + "prefetch_bucket_size", zero + "stage3_prefetch_bucket_size"},
      {zero + "param_persistence_threshold",
       zero + "stage3_param_persistence_threshold"},
      {zero + "model_persistence_threshold",
       zero + "stage3_model_persistence_threshold"},
      {zero + "max_live_parameters", zero + "stage3_max_live_parameters"},
      {zero + "max_reuse_distance", zero + "stage3_max_reuse_distance"},
      {zero + "gather_16bit_weights_on_model_save",
       zero + "stage3_gather_16bit_weights_on_model_save"},
      {zero + "stage3_gather_fp16_weights_on_model_save",
       zero + "stage3_gather_16bit_weights_on_model_save"},
      {zero + "use_all_reduce_for_fetch_params",
       zero + "stage3_use_all_reduce_for_fetch_params"},
      {zero + "module_granularity_threshold",
       zero + "stage3_module_granularity_threshold"},
      {zero + "allgather_sequential", zero + "stage3_allgather_sequential"},
  };
  auto found = spellings.find(pointer);
  return found == spellings.end() ? pointer : found->second;
}

Judging::Judging(const ConfigDocument &document) : document(document) {
  index(document.root, "");
}

void Judging::index(const ConfigNode &node, const std::string &pointer) {
  nodes.emplace(pointer, &node);
  for (const ConfigNode &member : node.members) {
    std::string last = member.pointer.substr(node.pointer.size());
    index(member, firstSpelling(pointer + last));
  }
}

const ConfigNode *Judging::given(const std::string &pointer) const {
  auto found = nodes.find(pointer);
  return found == nodes.end() ? nullptr : found->second;
}

const ConfigNode *Judging::find(const std::string &pointer) const {
  const ConfigNode *node = given(pointer);
  bool isOpen = !node || node->kind == Kind::Null || runtime::isAuto(*node);
  return isOpen ? nullptr : node;
}

bool Judging::isAuto(const std::string &pointer) const {
  const ConfigNode *node = given(pointer);
  return node && runtime::isAuto(*node);
}

std::string Judging::text(const std::string &pointer) const {
  const ConfigNode *found = find(pointer);
  return found && found->kind == Kind::String ? found->text : "";
}

bool Judging::isOn(const std::string &pointer) const {
  const ConfigNode *found = find(pointer);
  return found && isTrue(*found);
}

void Judging::compile(const std::string &name, const std::string &value,
                      const std::string &goesWith) {
  key->compile.push_back({name, value, document.place(*node), goesWith});
}

void Judging::run(const std::string &name, const std::string &value,
                  const std::string &goesWith) {
  key->run.push_back({name, value, document.place(*node), goesWith});
}

Judge dsc::runtime::always(Verdict verdict) {
  return [verdict](Judging &, const ConfigNode &) { return verdict; };
}

Judge dsc::runtime::offOr(Verdict ifOn, std::string ifOff) {
  return [ifOn, ifOff](Judging &, const ConfigNode &node) {
    return isTrue(node) ? ifOn : honoured(ifOff);
  };
}

Judge dsc::runtime::within(double low, double high, Judge judge) {
  return [=](Judging &judging, const ConfigNode &node) {
    if (isAuto(node) || (node.number >= low && node.number < high))
      return judge(judging, node);
    return refused(std::isinf(high)
                       ? concat("must be at least ", low)
                       : concat("must be at least ", low, " and below ", high));
  };
}

KeyRule dsc::runtime::enabledRule(const std::string &section, Verdict ifOn) {
  return {section + "/enabled", ConfigType::Boolean, offOr(std::move(ifOn))};
}

#include "runtime/config/Config.h"

#include "runtime/config/Rules.h"
#include "runtime/config/Suggest.h"

using namespace dsc::runtime;
using Kind = ConfigNode::Kind;

namespace {

using RuleMap = std::map<std::string, KeyRule>;

const RuleMap &ruleMap() {
  static const RuleMap map = [] {
    RuleMap map;
    for (const KeyRules &rules :
         {batchRules(), optimizerRules(), schedulerRules(), zeroRules(),
          precisionRules(), monitorRules(), checkpointRules(), otherRules()})
      for (const KeyRule &rule : rules)
        map.emplace(rule.pointer, rule);
    return map;
  }();
  return map;
}

/// Everything up to the last slash, which is kept.
std::string sectionOf(const std::string &pointer) {
  return pointer.substr(0, pointer.rfind('/') + 1);
}

/// What a key that has no row might have meant: one of its section with nearly
/// its name, or one of another section with its very name.
Verdict unknownKey(const std::string &pointer) {
  std::string section = sectionOf(pointer);
  std::string word = pointer.substr(section.size()), elsewhere;
  std::vector<std::string> siblings;
  for (const auto &[known, rule] : ruleMap()) {
    std::string name = known.substr(sectionOf(known).size());
    if (sectionOf(known) == section)
      siblings.push_back(name);
    else if (name == word && elsewhere.empty())
      elsewhere = "; did you mean '" + known + "'?";
  }
  std::string near = suggestion(word, siblings);
  return refused("unknown key" + (near.empty() ? elsewhere : near));
}

/// Judges the keys of a document in their order.
class KeyJudge {
public:
  KeyJudge(const ConfigDocument &document, Config &config)
      : judging(document), config(config) {}

  void judgeMembers(const ConfigNode &object, const std::string &pointer) {
    for (const ConfigNode &member : object.members) {
      std::string last = member.pointer.substr(object.pointer.size());
      judgeKey(member, firstSpelling(pointer + last));
    }
  }

private:
  void judgeKey(const ConfigNode &node, const std::string &pointer) {
    ConfigKey key{
        node.line, node.column, node.pointer, ConfigAnswer::Honoured, {},
        {},        ""};
    judging.key = &key;
    judging.node = &node;
    auto found = ruleMap().find(pointer);
    const KeyRule *rule = found == ruleMap().end() ? nullptr : &found->second;
    Verdict verdict = judgeValue(node, pointer, rule);
    bool isSection =
        rule && rule->type == ConfigType::Section && node.kind == Kind::Object;
    key.answer = verdict.answer;
    key.reason = verdict.reason;
    if (key.answer == ConfigAnswer::Refused) {
      key.compile.clear();
      key.run.clear();
    }
    if (!isSection || key.answer != ConfigAnswer::Honoured)
      config.keys.push_back(std::move(key));
    if (isSection)
      judgeMembers(node, pointer);
  }

  Verdict judgeValue(const ConfigNode &node, const std::string &pointer,
                     const KeyRule *rule) {
    if (!rule)
      return unknownKey(pointer);
    const ConfigNode *first = judging.given(pointer);
    if (first != &node)
      return refused("the same key as " + judging.place(*first));
    if (node.kind == Kind::Null)
      return honoured("the default");
    bool isOpen = isAuto(node) && rule->allowsAuto;
    if (isAuto(node) && !isOpen && rule->type != ConfigType::Any)
      return refused("\"auto\" is no value of this key");
    std::string wrong = isOpen ? "" : checkType(node, rule->type);
    if (!wrong.empty())
      return refused(wrong);
    return rule->judge ? rule->judge(judging, node) : honoured();
  }

  Judging judging;
  Config &config;
};

} // namespace

std::vector<ConfigOption> Config::compileOptions() const {
  std::vector<ConfigOption> options;
  for (const ConfigKey &key : keys)
    options.insert(options.end(), key.compile.begin(), key.compile.end());
  return options;
}

std::vector<ConfigOption> Config::runOptions() const {
  std::vector<ConfigOption> options;
  for (const ConfigKey &key : keys)
    options.insert(options.end(), key.run.begin(), key.run.end());
  return options;
}

Status Config::check() const {
  std::string lines;
  for (const ConfigKey &key : keys)
    if (key.answer == ConfigAnswer::Refused)
      lines += concat(lines.empty() ? "" : "\n", file, ":", key.line, ":",
                      key.column, " (", key.pointer, "): ", key.reason);
  return lines.empty() ? Status() : inputError(lines);
}

std::string Config::ignoredNotice() const {
  std::string names;
  for (const ConfigKey &key : keys)
    if (key.answer == ConfigAnswer::Ignored)
      names += (names.empty() ? "" : ", ") + key.pointer;
  return names.empty() ? ""
                       : concat(file, ": without effect: ", names,
                                "; 'dsc config check' says why");
}

Config dsc::runtime::judgeConfig(const ConfigDocument &document) {
  Config config;
  config.file = document.name;
  KeyJudge(document, config).judgeMembers(document.root, "");
  if (!Judging(document).given("/gradient_clipping"))
    config.notices.push_back(
        config.file + ": no gradient_clipping: DeepSpeed clips at 1.0 without "
                      "it from 0.19.3 on, and not before; dsc does not");
  return config;
}

Result<Config> dsc::runtime::loadConfig(const std::string &fileOrText) {
  DSC_ASSIGN(ConfigDocument document, readConfig(fileOrText));
  return judgeConfig(document);
}

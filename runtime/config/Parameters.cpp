#include "runtime/config/Parameters.h"

#include <algorithm>

using namespace dsc::runtime;
using Kind = ConfigNode::Kind;

namespace {

/// A node that holds a default, for the rule that a given value would have.
ConfigNode defaultNode(const std::string &text, ConfigType type) {
  ConfigNode node;
  if (type == ConfigType::Text) {
    node.kind = Kind::String;
    node.text = text;
  } else if (type == ConfigType::Boolean) {
    node.kind = Kind::Boolean;
    node.boolean = text == "true";
  } else if (type == ConfigType::Pair) {
    node.kind = Kind::List;
    size_t comma = text.find(',');
    node.items = {defaultNode(text.substr(0, comma), ConfigType::Number),
                  defaultNode(text.substr(comma + 1), ConfigType::Number)};
  } else {
    node.kind = Kind::Number;
    node.text = text;
    node.number = std::stod(text);
  }
  return node;
}

} // namespace

void dsc::runtime::addDefaults(Judging &judging, const std::string &section,
                               const std::string &kind,
                               const ParameterTable &table) {
  for (const Parameter &parameter : table) {
    bool has = std::count(parameter.kinds.begin(), parameter.kinds.end(), kind);
    std::string text = parameter.defaultText(judging);
    if (has && !text.empty() && !judging.find(section + "/" + parameter.name))
      (void)parameter.judge(judging, defaultNode(text, parameter.type));
  }
}

KeyRules dsc::runtime::parameterRules(
    const std::string &section, const ParameterTable &table,
    std::function<std::string(const Judging &)> kindOf) {
  auto needsType = [section](Judging &judging, const ConfigNode &) {
    return judging.find(section + "/type") ? honoured()
                                           : refused("needs the key \"type\"");
  };
  KeyRules rules = {{section, ConfigType::Section, needsType},
                    {section + "/params", ConfigType::Section, {}}};
  for (const Parameter &parameter : table) {
    auto judge = [=](Judging &judging, const ConfigNode &node) {
      std::string kind = kindOf(judging), type = section + "/type";
      if (kind.empty())
        return ignored("goes with " + type + ", which is refused");
      if (!std::count(parameter.kinds.begin(), parameter.kinds.end(), kind))
        return refused(judging.text(type) + " has no such parameter");
      if (isAuto(node))
        return honoured("the command line or the default of " + type +
                        " gives it");
      return parameter.judge(judging, node);
    };
    rules.push_back(
        {section + "/params/" + parameter.name, parameter.type, judge, true});
  }
  return rules;
}

Judge dsc::runtime::plainZero() {
  return [](Judging &, const ConfigNode &node) {
    return node.number == 0 ? honoured() : refused("dsc has it as 0 only");
  };
}

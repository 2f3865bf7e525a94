#ifndef DSC_RUNTIME_CONFIG_RULES_H
#define DSC_RUNTIME_CONFIG_RULES_H

#include "runtime/config/Config.h"
#include "runtime/config/Document.h"

#include <cmath>
#include <functional>
#include <map>

namespace dsc::runtime {

/// What a rule says of a key.
struct Verdict {
  ConfigAnswer answer = ConfigAnswer::Honoured;
  std::string reason;
};

inline Verdict honoured(std::string reason = "") {
  return {ConfigAnswer::Honoured, std::move(reason)};
}
inline Verdict approximated(std::string reason) {
  return {ConfigAnswer::Approximated, std::move(reason)};
}
inline Verdict ignored(std::string reason) {
  return {ConfigAnswer::Ignored, std::move(reason)};
}
inline Verdict refused(std::string reason) {
  return {ConfigAnswer::Refused, std::move(reason)};
}

/// What a rule sees: the whole configuration, and where it puts options for
/// the key that it judges.
class Judging {
public:
  explicit Judging(const ConfigDocument &document);

  /// The first value of a key, by its first spelling; null without any.
  const ConfigNode *given(const std::string &pointer) const;
  /// The value of a key by its first spelling; null if it is not given or is
  /// null, and where "auto" leaves it open.
  const ConfigNode *find(const std::string &pointer) const;
  bool isAuto(const std::string &pointer) const;
  /// The string there; empty without one.
  std::string text(const std::string &pointer) const;
  bool isOn(const std::string &pointer) const;

  /// FILE:LINE:COLUMN (POINTER).
  std::string place(const ConfigNode &node) const {
    return document.place(node);
  }

  void compile(const std::string &name, const std::string &value,
               const std::string &goesWith = "");
  void run(const std::string &name, const std::string &value,
           const std::string &goesWith = "");
  void both(const std::string &name, const std::string &value,
            const std::string &goesWith = "") {
    compile(name, value, goesWith);
    run(name, value, goesWith);
  }
  /// Marks the last option for dsrun as one that asks for what holds anyway.
  void neutral() { key->run.back().isNeutral = true; }

  const ConfigDocument &document;
  ConfigKey *key = nullptr;         ///< That is judged.
  const ConfigNode *node = nullptr; ///< Its value.

private:
  void index(const ConfigNode &node, const std::string &pointer);
  std::map<std::string, const ConfigNode *> nodes; ///< By first spelling.
};

/// A pointer in the first spelling of its last key.
std::string firstSpelling(const std::string &pointer);

/// The type of a key's value. null stands for the default of any.
enum class ConfigType {
  Boolean, ///< true, false, or as Python has them, 1 and 0.
  Count,   ///< A whole number from 0 on, such as 5e8.
  Number,  ///< A finite number.
  Text,
  Pair, ///< Two numbers.
  List,
  Section, ///< An object whose keys have rows of their own.
  Any,     ///< An object whose keys have none, or anything else.
};

/// One row of the table of keys.
struct KeyRule {
  std::string pointer;
  ConfigType type;
  /// Judges a value of this type, and puts options into Judging.
  std::function<Verdict(Judging &, const ConfigNode &)> judge;
  /// Whether "auto" is a value: the rule is asked about it, and options on the
  /// command line take its place.
  bool allowsAuto = false;
};

using KeyRules = std::vector<KeyRule>;

/// The rows, by subject. A row without a rule is honoured, as most sections
/// are.
KeyRules batchRules();
KeyRules optimizerRules();
KeyRules schedulerRules();
KeyRules zeroRules();
KeyRules precisionRules();
KeyRules monitorRules();
KeyRules checkpointRules();
KeyRules otherRules();

/// What speaks against a value's type; empty if nothing does.
std::string checkType(const ConfigNode &node, ConfigType type);

/// A whole number from 0 on, as digits; the type has been checked.
std::string countText(const ConfigNode &node);
uint64_t countOf(const ConfigNode &node);
/// Of a Boolean whose type has been checked.
bool isTrue(const ConfigNode &node);
bool isAuto(const ConfigNode &node);

//===-- Rules that many keys have -----------------------------------------===//

using Judge = std::function<Verdict(Judging &, const ConfigNode &)>;

/// Whatever the value.
Judge always(Verdict verdict);

/// A switch that may be off, and is refused or ignored if it is on.
Judge offOr(Verdict ifOn, std::string ifOff = "");

/// A number in [low, high), or "auto", which `judge` goes on with.
Judge within(double low, double high, Judge judge);

/// A section that may have "enabled": false, and what holds if it is on. Gives
/// the row of /SECTION/enabled.
KeyRule enabledRule(const std::string &section, Verdict ifOn);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CONFIG_RULES_H

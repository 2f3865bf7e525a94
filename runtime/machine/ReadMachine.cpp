#include "runtime/config/Document.h"
#include "runtime/config/PlainText.h"
#include "runtime/config/Suggest.h"
#include "runtime/machine/MachineFields.h"

#include <algorithm>
#include <cmath>

using namespace dsc::runtime;
using Kind = ConfigNode::Kind;

namespace {

/// Far above any machine, and exact as a double.
constexpr double kMostRanks = 1 << 20;
constexpr double kMostBytes = 1e15;

/// No machine has more levels.
constexpr size_t kMostLevels = 16;

/// Takes an object of the document apart, key by key. What is wrong is
/// collected, and reading goes on.
class Section {
public:
  /// `node` is an object, or null where one is missing: then all is absent.
  Section(const ConfigDocument &document, const ConfigNode *node,
          std::string &errors)
      : document(document), node(node), errors(errors) {}

  void number(const char *key, const Quantity &quantity, double &value) {
    const ConfigNode *found = require(key, quantity.expected);
    if (!found)
      return;
    if (found->kind == Kind::Number && std::isfinite(found->number) &&
        found->number >= quantity.least && found->number <= quantity.most)
      value = found->number;
    else
      refuse(*found, quantity.expected);
  }

  template <typename Struct, size_t count>
  void numbers(const NumberField<Struct> (&fields)[count], Struct &of) {
    for (const NumberField<Struct> &field : fields)
      number(field.key, field.quantity, of.*field.member);
  }

  void count(const char *key, double least, double most, uint64_t &value) {
    std::string expected =
        concat("a whole number from ", uint64_t(least), " to ", uint64_t(most));
    const ConfigNode *found = require(key, expected);
    if (!found)
      return;
    if (found->kind == Kind::Number && found->number >= least &&
        found->number <= most && found->number == std::floor(found->number))
      value = uint64_t(found->number);
    else
      refuse(*found, expected);
  }

  void text(const char *key, const char *expected, std::string &value) {
    const ConfigNode *found = require(key, expected);
    if (!found)
      return;
    if (found->kind == Kind::String && !found->text.empty())
      value = found->text;
    else
      refuse(*found, expected);
  }

  /// false without the key.
  void flag(const char *key, bool &value) {
    const ConfigNode *found = find(key);
    if (found && found->kind == Kind::Boolean)
      value = found->boolean;
    else if (found)
      refuse(*found, "true or false");
  }

  /// The object of a key; what is missing in one that is missing is not told.
  Section section(const char *key, bool isOptional = false) {
    const ConfigNode *found =
        isOptional ? find(key) : require(key, "an object");
    if (found && found->kind != Kind::Object) {
      refuse(*found, "an object");
      found = nullptr;
    }
    return Section(document, found, errors);
  }

  const ConfigNode *list(const char *key, const char *expected) {
    const ConfigNode *found = require(key, expected);
    if (found && found->kind == Kind::List && !found->items.empty() &&
        found->items.size() <= kMostLevels)
      return found;
    if (found)
      refuse(*found, expected);
    return nullptr;
  }

  /// Refuses what nothing above has asked for.
  void finish() {
    if (!node)
      return;
    for (const ConfigNode &member : node->members)
      if (std::find(known.begin(), known.end(), member.key) == known.end())
        say(member, "unknown key" + suggestion(member.key, known));
  }

  const ConfigNode *find(const char *key) {
    known.push_back(key);
    if (node)
      for (const ConfigNode &member : node->members)
        if (member.key == key)
          return &member;
    return nullptr;
  }

  void refuse(const ConfigNode &at, const std::string &expected) {
    say(at, "expected " + expected + ", not " + at.describe());
  }

  void say(const ConfigNode &at, const std::string &message) {
    errors +=
        concat(errors.empty() ? "" : "\n", document.place(at), ": ", message);
  }

  explicit operator bool() const { return node; }

private:
  const ConfigNode *require(const char *key, const std::string &expected) {
    const ConfigNode *found = find(key);
    if (!found && node)
      say(*node, concat("the key '", key, "' is missing: ", expected));
    return found;
  }

  const ConfigDocument &document;
  const ConfigNode *node;
  std::string &errors;
  std::vector<std::string> known;
};

void readDevice(Section device, Machine::Device &into) {
  Section flops = device.section("flops");
  flops.numbers(kFlops, into);
  flops.finish();
  device.numbers(kDevice, into);
  device.count("memory_bytes", 1, kMostBytes, into.memoryBytes);
  device.flag("shared", into.isShared);
  if (device.find("cache_bytes") || device.find("cache_bandwidth")) {
    device.count("cache_bytes", 1, kMostBytes, into.cacheBytes);
    device.number("cache_bandwidth", kBandwidth, into.cacheBandwidth);
  }
  device.finish();
}

void readLevels(Section &root, const ConfigDocument &document,
                std::string &errors, Machine &machine) {
  const ConfigNode *list =
      root.list("levels", "a list of 1 to 16 levels of links, each with name, "
                          "ranks, latency and bandwidth, that of the fewest "
                          "ranks first");
  if (!list)
    return;
  for (const ConfigNode &item : list->items) {
    if (item.kind != Kind::Object) {
      root.refuse(item, "an object with name, ranks, latency and bandwidth");
      continue;
    }
    Section section(document, &item, errors);
    Machine::Level level;
    section.text("name", "a name", level.name);
    section.count("ranks", 2, kMostRanks, level.ranks);
    section.numbers(kLevel, level);
    const ConfigNode *ranks = section.find("ranks");
    uint64_t before = machine.levels.empty() ? 0 : machine.levels.back().ranks;
    if (level.ranks && level.ranks <= before)
      section.say(*ranks, concat("levels are out of order: expected more than "
                                 "the ",
                                 before, " ranks of the level before, not ",
                                 level.ranks));
    section.finish();
    if (ranks)
      machine.ranksPlace = document.place(*ranks);
    machine.levels.push_back(std::move(level));
  }
}

} // namespace

Result<Machine> dsc::runtime::parseMachine(std::string text,
                                           const std::string &name) {
  DSC_ASSIGN(ConfigDocument document,
             parseConfig(std::move(text), name, "a machine's description"));
  std::string errors;
  Machine machine;
  Section root(document, &document.root, errors);
  root.text("name", "a name", machine.name);
  root.text("source", "a text that says where the figures come from",
            machine.source);
  readDevice(root.section("device"), machine.device);
  if (Section efficiency = root.section("efficiency", /*isOptional=*/true)) {
    efficiency.numbers(kEfficiency, machine.efficiency);
    efficiency.finish();
  }
  readLevels(root, document, errors, machine);
  Section storage = root.section("storage");
  storage.numbers(kStorage, machine.storage);
  storage.finish();
  root.finish();
  if (!errors.empty())
    return inputError(errors);
  return machine;
}

Result<Machine> dsc::runtime::readMachine(const std::string &path) {
  DSC_ASSIGN(std::string text, readConfigFile(path));
  return parseMachine(std::move(text), path);
}

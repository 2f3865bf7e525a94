#include "compiler/ConfigOptions.h"

#include "compiler/CommandLineOptions.h"
#include "llvm/Support/WithColor.h"
#include <set>

using namespace dsc;
using llvm::StringRef;
using runtime::Config;
using runtime::ConfigOption;

bool ConfigOptions::applyOption(const ConfigOption &option) {
  cl::Option *registered = cl::getRegisteredOptions().lookup(option.name);
  // The parser prints what is wrong with a value.
  bool isOfTwo = registered->getMiscFlags() & cl::CommaSeparated;
  StringRef rest = option.value;
  do {
    StringRef value = rest;
    if (isOfTwo)
      std::tie(value, rest) = rest.split(',');
    if (registered->addOccurrence(0, option.name, value))
      return false;
  } while (isOfTwo && !rest.empty());
  given.push_back("--" + option.name +
                  (option.value.empty() ? "" : "=" + option.value));
  origins[option.name] = option.origin;
  return true;
}

bool ConfigOptions::apply(const CommandLine &line) {
  if (line.config.empty())
    return true;
  runtime::Result<Config> config = runtime::loadConfig(line.config);
  runtime::Status status = config.ok() ? config->check() : config.status();
  if (!status.ok()) {
    llvm::WithColor::error(llvm::errs(), "dsc") << status.message() << '\n';
    return false;
  }
  std::vector<std::string> notices = config->notices;
  if (std::string ignored = config->ignoredNotice(); !ignored.empty())
    notices.push_back(ignored);
  for (const std::string &notice : notices)
    llvm::errs() << "dsc: notice: " << notice << '\n';

  auto &registered = cl::getRegisteredOptions();
  std::set<std::string> onCommandLine;
  for (auto &entry : registered)
    if (entry.second->getNumOccurrences())
      onCommandLine.insert(entry.first.str());
  // Nothing is optimized.
  bool trainsNothing = line.forward && line.loss.empty();
  for (const ConfigOption &option : config->compileOptions()) {
    const cl::Option *known = registered.lookup(option.name);
    if (!known) {
      llvm::WithColor::error(llvm::errs(), "dsc")
          << option.origin << ": there is no option --" << option.name << '\n';
      return false;
    }
    bool isOfOptimizer =
        llvm::is_contained(known->Categories, &line.optimization);
    if (onCommandLine.count(option.name) ||
        onCommandLine.count(option.goesWith) ||
        (trainsNothing && isOfOptimizer))
      continue;
    if (!applyOption(option))
      return false;
  }
  return true;
}

/// What an option's help says behind "Default: ".
static StringRef defaultOf(const cl::Option &option) {
  auto [help, text] = option.HelpStr.rsplit("Default: ");
  return text.empty() ? "none" : text;
}

void ConfigOptions::print(const CommandLine &line,
                          llvm::raw_ostream &os) const {
  std::map<std::string, std::string> values =
      line.listGiven(given, /*all=*/true);
  const cl::OptionCategory *categories[] = {&line.inputs, &line.training,
                                            &line.optimization, &line.target,
                                            &line.outputs};
  auto &registered = cl::getRegisteredOptions();
  std::set<std::string> names;
  for (auto &entry : registered)
    names.insert(entry.first.str());
  for (const cl::OptionCategory *category : categories)
    for (const std::string &name : names) {
      const cl::Option &option = *registered.lookup(name);
      if (!llvm::is_contained(option.Categories, category) ||
          &option == &line.printConfig)
        continue;
      os << (name.size() == 1 ? "-" : "--") << name << '\t';
      auto origin = origins.find(name);
      auto value = values.find(name);
      if (!option.getNumOccurrences())
        os << defaultOf(option) << "\tdefault\n";
      else
        os << (value == values.end() || value->second.empty() ? "on"
                                                              : value->second)
           << '\t'
           << (origin == origins.end() ? "command line" : origin->second)
           << '\n';
    }
}

#include "compiler/import/onnx/InitRule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace dsc::onnx_import;
using llvm::StringRef;

llvm::Expected<InitRule> dsc::onnx_import::parseInitRule(StringRef text) {
  auto fault = [&](const llvm::Twine &what) {
    return llvm::createStringError("rule '" + text + "' " + what);
  };
  auto [name, rest] = text.split('(');
  InitRule rule{name.trim(), {}};
  int expected = llvm::StringSwitch<int>(rule.name)
                     .Cases({"zeros", "ones", "xavier", "kaiming"}, 0)
                     .Case("normal", 1)
                     .Case("uniform", 2)
                     .Default(-1);
  if (expected < 0)
    return fault("is unknown; the rules are zeros, ones, normal(std), "
                 "uniform(low,high), xavier and kaiming");
  if (name.size() != text.size()) {
    if (!rest.consume_back(")"))
      return fault("lacks its closing parenthesis");
    llvm::SmallVector<StringRef> parts;
    rest.split(parts, ',');
    for (StringRef part : parts)
      if (part.trim().getAsDouble(rule.arguments.emplace_back()))
        return fault("has an argument that is not a number: '" + part + "'");
  }
  if (rule.arguments.size() != size_t(expected))
    return fault("takes " + llvm::Twine(expected) + " arguments");
  if (!llvm::all_of(rule.arguments, [](double v) { return std::isfinite(v); }))
    return fault("has an argument that is not finite");
  if (rule.name == "normal" && rule.arguments[0] <= 0)
    return fault("needs a positive standard deviation");
  if (rule.name == "uniform" && rule.arguments[0] >= rule.arguments[1])
    return fault("needs its lower bound below its upper bound");
  return rule;
}

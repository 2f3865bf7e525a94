#include "compiler/import/onnx/TrainRules.h"
#include "mlir/IR/Diagnostics.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

FailureOr<llvm::Regex> onnx_import::parseRegex(StringRef option, StringRef text,
                                               Location loc) {
  llvm::Regex regex(text);
  std::string error;
  if (!regex.isValid(error))
    return emitError(loc) << option << ": '" << text
                          << "' is not a regular expression: " << error;
  return regex;
}

FailureOr<TrainRules>
TrainRules::parse(ArrayRef<OnnxImportOptions::TrainRule> rules, Location loc) {
  TrainRules result;
  for (const OnnxImportOptions::TrainRule &rule : rules) {
    StringRef option = rule.train ? "--train" : "--freeze";
    FailureOr<llvm::Regex> regex = parseRegex(option, rule.regex, loc);
    if (failed(regex))
      return failure();
    result.rules.push_back(
        {rule.train, (option + "=" + rule.regex).str(), std::move(*regex)});
  }
  return result;
}

std::optional<TrainRules::Verdict> TrainRules::lookup(StringRef name) const {
  for (const Rule &rule : llvm::reverse(rules))
    if (rule.regex.match(name))
      return Verdict{rule.train, rule.option};
  return std::nullopt;
}

bool TrainRules::names(StringRef name) const {
  return llvm::any_of(rules, [&](const Rule &rule) {
    return rule.train && rule.regex.match(name);
  });
}

LogicalResult TrainRules::checkUsed(ArrayRef<StringRef> names,
                                    Location loc) const {
  bool ok = true;
  for (const Rule &rule : rules) {
    if (llvm::any_of(names,
                     [&](StringRef name) { return rule.regex.match(name); }))
      continue;
    emitError(loc) << rule.option << " matches the name of no parameter";
    ok = false;
  }
  return success(ok);
}

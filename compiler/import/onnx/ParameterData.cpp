#include "compiler/import/onnx/InitRule.h"
#include "compiler/import/onnx/Parameters.h"
#include "compiler/import/onnx/Safetensors.h"
#include "compiler/import/onnx/TensorData.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

/// The safetensors name of an element type.
static StringRef safetensorsType(Type element) {
  if (element.isF32())
    return "F32";
  if (element.isF64())
    return "F64";
  if (element.isInteger(64))
    return "I64";
  return element.isInteger(32) ? "I32" : "BOOL";
}

/// Takes the value of `parameter` from `entry` of the file at `path`.
static LogicalResult bindEntry(Parameter &parameter, StringRef path,
                               const SafetensorsEntry &entry) {
  auto emit = [&] {
    return emitError(parameter.loc)
           << "--weights: '" << parameter.name << "' of '" << path << "' ";
  };
  StringRef type = safetensorsType(parameter.type.getElementType());
  if (entry.type != type)
    return emit() << "has type " << entry.type << ", but the model needs "
                  << type;
  // A graph input may leave dims open; then the file decides them, and not the
  // default that an initializer gives the input.
  RankedTensorType wanted =
      parameter.inputType ? parameter.inputType : parameter.type;
  if (failed(verifyCompatibleShape(wanted.getShape(), entry.shape)))
    return emit() << "has shape " << shapeText(entry.shape)
                  << ", but the model needs " << shapeText(wanted.getShape());
  auto bound =
      RankedTensorType::get(entry.shape, parameter.type.getElementType());
  int64_t elements = 1;
  for (int64_t size : entry.shape) {
    // The entry's range lies in a file, which bounds every honest product.
    if (size != 0 && elements > int64_t(entry.bytes) / size)
      return emit() << "does not have the bytes of its shape";
    elements *= size;
  }
  if (uint64_t(elements) * elementBytes(bound.getElementType()) != entry.bytes)
    return emit() << "does not have the bytes of its shape";
  parameter.type = bound;
  parameter.initial = train::FileAttr::get(parameter.loc.getContext(), path,
                                           entry.offset, entry.bytes);
  return success();
}

static LogicalResult bindWeightsFile(const Model &model, StringRef path,
                                     ParameterTable &parameters) {
  Location loc = FileLineColLoc::get(model.context, path, 0, 0);
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return emitError(loc) << "--weights: cannot read the file: "
                          << file.getError().message();
  llvm::Expected<SafetensorsTable> table =
      readSafetensorsTable((*file)->getBuffer());
  if (!table)
    return emitError(loc) << "--weights: " << llvm::toString(table.takeError());
  bool ok = true;
  size_t bound = 0;
  for (const auto &[name, entry] : *table) {
    Parameter *parameter = parameters.lookup(name);
    if (!parameter)
      continue;
    ++bound;
    ok &= succeeded(bindEntry(*parameter, path, entry));
  }
  if (bound == 0)
    return emitError(loc) << "--weights: none of its " << table->size()
                          << " tensors has the name of a parameter";
  if (bound != table->size())
    emitRemark(loc) << "--weights: " << table->size() - bound << " of its "
                    << table->size()
                    << " tensors have the name of no parameter and are not "
                       "used";
  return success(ok);
}

namespace {
struct InitOption {
  InitRule rule;
  llvm::Regex regex;
  /// As the user wrote it.
  std::string option;
};
} // namespace

static LogicalResult parseInitOptions(const Model &model,
                                      const OnnxImportOptions &options,
                                      std::vector<InitOption> &result) {
  for (const auto &[text, pattern] : options.init) {
    llvm::Expected<InitRule> rule = parseInitRule(text);
    if (!rule)
      return emitError(model.location(), llvm::toString(rule.takeError()));
    FailureOr<llvm::Regex> regex =
        parseRegex("--init", pattern, model.location());
    if (failed(regex))
      return failure();
    result.push_back({std::move(*rule), std::move(*regex),
                      "--init=" + text + "@" + pattern});
  }
  return success();
}

/// Reports rules that match no parameter, and tells of those that match only
/// parameters with data, which a rule does not replace.
static LogicalResult checkInitOptions(const Model &model,
                                      ArrayRef<InitOption> options,
                                      const ParameterTable &parameters) {
  bool ok = true;
  for (const InitOption &option : options) {
    auto matches = [&](const Parameter &parameter) {
      return option.regex.match(parameter.name);
    };
    if (llvm::none_of(parameters.all(), matches)) {
      emitError(model.location())
          << option.option << " matches the name of no parameter";
      ok = false;
    } else if (llvm::none_of(parameters.all(), [&](const Parameter &parameter) {
                 return matches(parameter) && !parameter.initial;
               })) {
      emitWarning(model.location())
          << option.option
          << " fills nothing: every parameter that it matches "
             "has data";
    }
  }
  return success(ok);
}

/// Reports in one error all parameters that nothing gives a value.
static LogicalResult reportEmpty(const Model &model,
                                 ArrayRef<const Parameter *> empty) {
  if (empty.empty())
    return success();
  bool isOne = empty.size() == 1;
  InFlightDiagnostic diagnostic =
      emitError(isOne ? empty.front()->loc : model.location());
  if (isOne)
    diagnostic << "parameter '" << empty.front()->name << "' has no data";
  else
    diagnostic << empty.size() << " parameters have no data";
  for (const Parameter *parameter : empty) {
    if (isOne && parameter->missing.empty())
      break;
    Diagnostic &note = diagnostic.attachNote(parameter->loc);
    note << "'" << parameter->name << "' ("
         << shapeText(parameter->type.getShape()) << ")";
    if (!parameter->missing.empty())
      note << ": " << parameter->missing;
  }
  diagnostic.attachNote() << "give " << (isOne ? "it a value" : "them values")
                          << " with --weights=FILE.safetensors, or fill "
                          << (isOne ? "it" : "them")
                          << " by rule, as in --init='normal(0.02)@"
                          << empty.front()->name << "'";
  return diagnostic;
}

LogicalResult onnx_import::bindParameterData(const Model &model,
                                             const OnnxImportOptions &options,
                                             ParameterTable &parameters) {
  if (!options.weightsFile.empty() &&
      failed(bindWeightsFile(model, options.weightsFile, parameters)))
    return failure();
  std::vector<InitOption> rules;
  if (failed(parseInitOptions(model, options, rules)) ||
      failed(checkInitOptions(model, rules, parameters)))
    return failure();

  Builder builder(model.context);
  SmallVector<const Parameter *> empty;
  bool ok = true;
  for (Parameter &parameter : parameters.all()) {
    if (parameter.initial)
      continue;
    auto rule = llvm::find_if(llvm::reverse(rules), [&](InitOption &option) {
      return option.regex.match(parameter.name);
    });
    if (rule == rules.rend()) {
      empty.push_back(&parameter);
    } else if (!parameter.type.hasStaticShape()) {
      emitError(parameter.loc) << "parameter '" << parameter.name
                               << "' has a symbolic shape, which --init cannot "
                                  "fill; give its dims one size each with "
                                  "--bind, or its values with --weights";
      ok = false;
    } else {
      parameter.initial = train::InitAttr::get(
          model.context, rule->rule.name,
          builder.getDenseF64ArrayAttr(rule->rule.arguments), options.initSeed);
    }
  }
  return success(succeeded(reportEmpty(model, empty)) && ok);
}

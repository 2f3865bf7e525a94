#include "passes/differentiate/LossSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dsc;

namespace {
struct LossFunction {
  StringLiteral name;
  LossKind kind;
  bool takesTarget;
};
} // namespace

static constexpr LossFunction functions[] = {
    {"cross_entropy", LossKind::CrossEntropy, true},
    {"mse", LossKind::MeanSquaredError, true},
    {"bce_with_logits", LossKind::BinaryCrossEntropy, true},
    {"sum", LossKind::Sum, false},
};

/// Parses `key=N`, an option of cross_entropy.
static LogicalResult parseOption(StringRef text, LossSpec &spec, Location loc) {
  auto [key, number] = text.split('=');
  int64_t value;
  if (number.trim().getAsInteger(10, value))
    return emitError(loc, "in --loss: '")
           << text << "' is not of the form key=INTEGER";
  key = key.trim();
  if (key == "ignore")
    spec.ignoreIndex = value;
  else if (key == "shift" && (value == 0 || value == 1))
    spec.shift = value;
  else if (key == "shift")
    return emitError(loc, "in --loss: shift must be 0 or 1, got ") << value;
  else
    return emitError(loc, "in --loss: unknown option '")
           << key << "'; cross_entropy takes ignore=N and shift=1";
  return success();
}

FailureOr<LossSpec> LossSpec::parse(StringRef text, ArrayRef<StringRef> outputs,
                                    Location loc) {
  LossSpec spec;
  text = text.trim();
  size_t open = text.find('(');
  if (text.empty() || llvm::is_contained(outputs, text) ||
      open == StringRef::npos || !text.ends_with(")")) {
    spec.output = text.str();
    return spec;
  }

  StringRef name = text.take_front(open).trim();
  const LossFunction *function = llvm::find_if(
      functions, [&](const LossFunction &f) { return f.name == name; });
  if (function == std::end(functions))
    return emitError(loc, "in --loss: unknown function '")
           << name << "'; expects cross_entropy, mse, bce_with_logits or sum";
  spec.kind = function->kind;

  SmallVector<StringRef> arguments;
  text.drop_front(open + 1).drop_back().split(arguments, ',');
  for (StringRef &argument : arguments)
    argument = argument.trim();
  size_t names = function->takesTarget ? 2 : 1;
  if (arguments.size() < names ||
      llvm::any_of(ArrayRef(arguments).take_front(names),
                   [](StringRef argument) { return argument.empty(); }))
    return emitError(loc, "in --loss: ")
           << name << " takes "
           << (function->takesTarget ? "an output and an input" : "one output");
  spec.output = arguments[0].str();
  if (function->takesTarget)
    spec.target = arguments[1].str();

  ArrayRef<StringRef> options = ArrayRef(arguments).drop_front(names);
  if (!options.empty() && spec.kind != LossKind::CrossEntropy)
    return emitError(loc, "in --loss: ")
           << name << " takes no '" << options.front() << "'";
  for (StringRef option : options)
    if (failed(parseOption(option, spec, loc)))
      return failure();
  return spec;
}

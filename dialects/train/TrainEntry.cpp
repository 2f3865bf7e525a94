/// The function-like entry op: builder, syntax and verifier.

#include "dialects/train/TrainOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace dsc::train;

void EntryOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    EntryKind kind, FunctionType type,
                    ArrayRef<DictionaryAttr> argAttrs,
                    ArrayRef<DictionaryAttr> resAttrs) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.kind = EntryKindAttr::get(builder.getContext(), kind);
  properties.function_type = TypeAttr::get(type);
  call_interface_impl::addArgAndResultAttrs(builder, state, argAttrs, resAttrs,
                                            getArgAttrsAttrName(state.name),
                                            getResAttrsAttrName(state.name));
  Block *block = &state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs())
    block->addArgument(input, state.location);
}

ParseResult EntryOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  StringRef kindName;
  (void)mlir::impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs) ||
      parser.parseKeyword("kind") || parser.parseLParen())
    return failure();

  SMLoc kindLocation = parser.getCurrentLocation();
  if (parser.parseKeyword(&kindName) || parser.parseRParen())
    return failure();
  std::optional<EntryKind> kind = symbolizeEntryKind(kindName);
  if (!kind)
    return parser.emitError(kindLocation, "unknown kind of entry point '")
           << kindName
           << "'; expects step, step_last, update, eval, forward, "
              "layer_norms, debug or debug_update";
  result.addAttribute(getKindAttrName(result.name),
                      EntryKindAttr::get(builder.getContext(), *kind));

  SmallVector<Type> argumentTypes;
  for (const OpAsmParser::Argument &argument : arguments)
    argumentTypes.push_back(argument.type);
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(builder.getFunctionType(argumentTypes, resultTypes)));
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, resultAttrs, getArgAttrsAttrName(result.name),
      getResAttrsAttrName(result.name));

  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void EntryOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      printer, *this, getArgumentTypes(), /*isVariadic=*/false,
      getResultTypes());
  printer << " kind(" << stringifyEntryKind(getKind()) << ')';
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getKindAttrName(), getSymVisibilityAttrName(), getFunctionTypeAttrName(),
       getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void EntryOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setNameFn) {
  for (BlockArgument argument : region.getArguments())
    if (auto name =
            getArgAttrOfType<StringAttr>(argument.getArgNumber(), "dsc.name"))
      setNameFn(argument, name);
}

bool EntryOp::isStep() {
  return getKind() == EntryKind::Step || getKind() == EntryKind::StepLast;
}

LogicalResult EntryOp::verifyRegions() {
  // (C1)
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<RankedTensorType>(type) ||
        !getArgAttrOfType<StringAttr>(index, "dsc.name"))
      return emitOpError("argument ")
             << index << " must be a ranked tensor with a 'dsc.name'";
  for (auto [index, type] : llvm::enumerate(getResultTypes()))
    if (!isa<RankedTensorType>(type) ||
        !getResultAttrOfType<StringAttr>(index, "dsc.name"))
      return emitOpError("result ")
             << index << " must be a ranked tensor with a 'dsc.name'";

  // (C2)
  StringRef kind = stringifyEntryKind(getKind());
  if (worksOnParts() && getNumArguments() != 0)
    return emitOpError("of kind '") << kind << "' takes no arguments";
  if ((getKind() == EntryKind::Update || isStep()) && getNumResults() != 0)
    return emitOpError("of kind '") << kind << "' has no results";

  // (C3)
  Block &block = getBody().front();
  for (Operation &op : block) {
    if (isa<GradientOp>(op) && !isStep())
      return op.emitOpError("is not allowed in an entry of kind '")
             << kind << "', only in a step";
    if (isa<WriteOp>(op) && getKind() != EntryKind::Update)
      return op.emitOpError("is not allowed in an entry of kind '")
             << kind << "', only in update";
  }

  // (C4)
  if (!isa<ReturnOp>(block.back()))
    return emitOpError("must end in 'train.return'");
  return success();
}

LogicalResult ReturnOp::verify() {
  auto entry = cast<EntryOp>((*this)->getParentOp());
  // (C1)
  if (TypeRange(getOperands()) != TypeRange(entry.getResultTypes()))
    return emitOpError("returns (")
           << getOperandTypes() << "), but entry '" << entry.getSymName()
           << "' has results (" << entry.getResultTypes() << ")";
  return success();
}

#include "dialects/nn/NnOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dsc::nn;

void FusionOp::build(OpBuilder &builder, OperationState &state,
                     TypeRange resultTypes, ValueRange inputs, StringRef kind) {
  state.addTypes(resultTypes);
  state.addOperands(inputs);
  if (!kind.empty())
    state.getOrAddProperties<Properties>().kind = builder.getStringAttr(kind);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(state.addRegion());
  for (Value input : inputs)
    body->addArgument(input.getType(), input.getLoc());
}

std::optional<unsigned> FusionOp::getInplaceOperand(unsigned index) {
  std::optional<ArrayRef<int64_t>> inplace = getInplace();
  if (!inplace || (*inplace)[index] < 0)
    return std::nullopt;
  return (*inplace)[index];
}

YieldOp FusionOp::getYield() { return cast<YieldOp>(getBody()->back()); }

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

// nn.fusion ins(%p = %x : type, ...) (kind("..."))? (inplace [...])?
//     -> (types) (attributes {...})? { body }

ParseResult FusionOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> operandTypes;
  auto parseInput = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(operands.emplace_back()) ||
        parser.parseColonType(argument.type))
      return failure();
    operandTypes.push_back(argument.type);
    return success();
  };
  SMLoc operandLoc;
  if (parser.parseKeyword("ins") || parser.getCurrentLocation(&operandLoc) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseInput) ||
      parser.resolveOperands(operands, operandTypes, operandLoc,
                             result.operands))
    return failure();

  auto &properties = result.getOrAddProperties<Properties>();
  if (succeeded(parser.parseOptionalKeyword("kind"))) {
    std::string kind;
    if (parser.parseLParen() || parser.parseString(&kind) ||
        parser.parseRParen())
      return failure();
    properties.kind = builder.getStringAttr(kind);
  }
  if (succeeded(parser.parseOptionalKeyword("inplace"))) {
    SmallVector<int64_t> inplace;
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(inplace.emplace_back());
        }))
      return failure();
    properties.inplace = builder.getDenseI64ArrayAttr(inplace);
  }

  SmallVector<Type> resultTypes;
  if (parser.parseArrow() || parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen()) &&
      (parser.parseTypeList(resultTypes) || parser.parseRParen()))
    return failure();
  result.addTypes(resultTypes);
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void FusionOp::print(OpAsmPrinter &printer) {
  printer << " ins(";
  llvm::interleaveComma(llvm::zip(getBody()->getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          auto [argument, input] = pair;
                          printer << argument << " = " << input << " : "
                                  << input.getType();
                        });
  printer << ")";
  if (std::optional<StringRef> kind = getKind()) {
    printer << " kind(";
    printer.printString(*kind);
    printer << ")";
  }
  if (std::optional<ArrayRef<int64_t>> inplace = getInplace()) {
    printer << " inplace [";
    llvm::interleaveComma(*inplace, printer);
    printer << "]";
  }
  printer << " -> (" << getResultTypes() << ")";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getKindAttrName(), getInplaceAttrName()});
  printer << " ";
  printer.printRegion(getBodyRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/getNumResults() != 0);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult FusionOp::verify() {
  // C1
  if (getBody()->getArgumentTypes() != getInputs().getTypes())
    return emitOpError("body has arguments of types ")
           << getBody()->getArgumentTypes() << " for operands of types "
           << getInputs().getTypes();
  std::optional<ArrayRef<int64_t>> inplace = getInplace();
  if (!inplace)
    return success();
  // C3
  if (inplace->size() != getNumResults())
    return emitOpError("inplace has ") << inplace->size() << " entries for "
                                       << getNumResults() << " results";
  SmallVector<bool> overwritten(getNumOperands(), false);
  for (auto [index, operand] : llvm::enumerate(*inplace)) {
    if (operand == -1)
      continue;
    if (operand < 0 || operand >= getNumOperands())
      return emitOpError("inplace names operand ")
             << operand << " of " << getNumOperands();
    if (getOperand(operand).getType() != getResult(index).getType())
      return emitOpError("result ")
             << index << " of type " << getResult(index).getType()
             << " cannot overwrite operand " << operand << " of type "
             << getOperand(operand).getType();
    // C4
    if (overwritten[operand])
      return emitOpError("operand ") << operand << " is overwritten twice";
    overwritten[operand] = true;
  }
  return success();
}

LogicalResult FusionOp::verifyRegions() {
  // C2
  YieldOp yield = getYield();
  if (yield.getOperandTypes() != getResultTypes())
    return yield.emitOpError("gives values of types ")
           << yield.getOperandTypes() << " for results of types "
           << getResultTypes();
  // C5
  for (Operation &op : getBody()->without_terminator())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError("has side effects and cannot be in a fusion");
  return success();
}

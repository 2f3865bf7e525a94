#ifndef DSC_DIALECTS_ZERO_ZEROINTERFACES_TD
#define DSC_DIALECTS_ZERO_ZEROINTERFACES_TD

include "mlir/IR/OpBase.td"

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::dsc::zero";
  let description = [{
    An operation that begins an exchange between ranks. In the value form that
    is the collective itself, in the async form its `..._start`; an `..._await`
    begins nothing and does not have the interface.

    All ranks must issue equal lists of collectives. The list of an entry is the
    sequence of its operations with this interface, and the methods below are
    what two ranks compare.
  }];
  let methods = [
    InterfaceMethod<"Name of the exchange, equal in both forms.",
      "::llvm::StringRef", "getCollectiveName">,
    InterfaceMethod<"Grid axis along which ranks take part.",
      "::mlir::FlatSymbolRefAttr", "getCollectiveAxis", (ins), "",
      [{ return $_op.getAxisAttr(); }]>,
    InterfaceMethod<"Group that is exchanged, or null for loose values.",
      "::mlir::FlatSymbolRefAttr", "getCollectiveGroup", (ins), "",
      [{ return $_op.getGroupAttr(); }]>,
    InterfaceMethod<[{
        Bytes of the whole exchanged tensor, without the padding that depends on
        the number of ranks. Zero if the group does not exist.
      }],
      "int64_t", "getPayloadBytes", (ins "::mlir::SymbolTableCollection &":$tables), "",
      [{ return ::dsc::zero::getGroupBytes($_op, $_op.getGroupAttr(), tables); }]>
  ];
}

#endif // DSC_DIALECTS_ZERO_ZEROINTERFACES_TD

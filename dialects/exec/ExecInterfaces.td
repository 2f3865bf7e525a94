#ifndef DSC_DIALECTS_EXEC_EXECINTERFACES_TD
#define DSC_DIALECTS_EXEC_EXECINTERFACES_TD

include "mlir/IR/OpBase.td"

def Exec_ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::dsc::exec";
  let description = [{
    An op whose one result names memory: bytes of the arena, a state, an input.
  }];
  let methods = [
    InterfaceMethod<"Returns the memory that the result names.",
      "::dsc::exec::Place", "getPlace">
  ];
}

def Exec_AccessOpInterface : OpInterface<"AccessOpInterface"> {
  let cppNamespace = "::dsc::exec";
  let description = [{
    An op that runs on a stream and reads or writes the memory that its operands
    name. The race check and the memory plan ask nothing else of an op.
  }];
  let methods = [
    InterfaceMethod<"Returns the stream on which the op runs.",
      "::dsc::exec::Stream", "getStream">,
    InterfaceMethod<[{
        Appends one access for each view that the op touches. A view that is
        read and written is appended once, as both.
      }],
      "void", "getAccesses",
      (ins "::llvm::SmallVectorImpl<::dsc::exec::Access> &":$accesses)>
  ];
}

#endif // DSC_DIALECTS_EXEC_EXECINTERFACES_TD

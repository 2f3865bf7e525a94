#ifndef DSC_DIALECTS_INTERFACES_FUSIONOPINTERFACE
#define DSC_DIALECTS_INTERFACES_FUSIONOPINTERFACE

include "mlir/IR/OpBase.td"

def FusionOpInterface : OpInterface<"FusionOpInterface"> {
  let description = [{
    An operation that becomes part of a kernel or is a view. Its kind is all
    that fusion asks: which loops the operation needs, not what it computes.
  }];
  let cppNamespace = "::dsc";
  let methods = [
    InterfaceMethod<
      /*desc=*/"The kind of loop nest that the operation needs.",
      /*retTy=*/"::dsc::FusionKind",
      /*methodName=*/"getFusionKind",
      /*args=*/(ins)
    >
  ];
}

#endif // DSC_DIALECTS_INTERFACES_FUSIONOPINTERFACE

#ifndef DSC_DIALECTS_INTERFACES_COSTOPINTERFACE
#define DSC_DIALECTS_INTERFACES_COSTOPINTERFACE

include "mlir/IR/OpBase.td"

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let description = [{
    How much an operation computes, whatever computes it. For predictions of
    time only. An operation without this interface is taken to do one FLOP an
    element.
  }];
  let cppNamespace = "::dsc";
  let methods = [
    InterfaceMethod<
      /*desc=*/[{
        FLOPs for each element of the largest operand or result, beside a matrix
        product.
      }],
      /*retTy=*/"double",
      /*methodName=*/"getElementFlops",
      /*args=*/(ins),
      /*methodBody=*/"",
      /*defaultImplementation=*/"return 1;"
    >,
    InterfaceMethod<
      /*desc=*/"The matrix product that the operation is, if it is one.",
      /*retTy=*/"::std::optional<::dsc::MatrixProduct>",
      /*methodName=*/"getMatrixProduct",
      /*args=*/(ins),
      /*methodBody=*/"",
      /*defaultImplementation=*/"return ::std::nullopt;"
    >
  ];
}

#endif // DSC_DIALECTS_INTERFACES_COSTOPINTERFACE

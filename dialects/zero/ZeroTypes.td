#ifndef DSC_DIALECTS_ZERO_ZEROTYPES_TD
#define DSC_DIALECTS_ZERO_ZEROTYPES_TD

include "dialects/zero/ZeroDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

def Zero_TokenType : TypeDef<Zero_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "A collective that was started and not yet awaited";
  let description = [{
    Made by a `..._start` operation and consumed by exactly one `..._await`.
    Between the two the operands of the start may be read but not changed, and
    the results do not exist yet.

    ```mlir
    %token = zero.gather_start @fc1 axis(@world)
    ```
  }];
  let builderCall = "$_builder.getType<::dsc::zero::TokenType>()";
}

/// This rank's range of a state tensor: flat, its extent known when a program
/// is loaded.
def Zero_Part : Type<
    And<[1DTensorOf<[AnyFloat]>.predicate,
         CPred<"::llvm::cast<::mlir::ShapedType>($_self).isDynamicDim(0)">]>,
    "flat tensor of floats with dynamic extent", "::mlir::RankedTensorType">;

/// A value that ranks can add up.
def Zero_FloatTensor : StaticShapeTensorOf<[AnyFloat]>;

#endif // DSC_DIALECTS_ZERO_ZEROTYPES_TD

#ifndef DSC_DIALECTS_NN_NNFUSION
#define DSC_DIALECTS_NN_NNFUSION

include "dialects/nn/NnDialect.td"

def Nn_FusionOp : Nn_Op<"fusion", [IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Groups operations into one kernel or library call";
  let description = [{
    The body sees the operands as its arguments and nothing else. `kind` names
    the loop nest (see `dsc::FusionKind`). `inplace` gives, for each result, the
    number of the operand whose buffer it overwrites, or -1; without it no
    result overwrites anything.

    Constraints:
    * (C1) The body has one argument an operand, of the same type.
    * (C2) `nn.yield` gives one value a result, of the same type.
    * (C3) `inplace` has one entry a result: -1, or an operand of its type.
    * (C4) No operand is overwritten by two results.
    * (C5) Operations in the body have no side effects.

    Example:
    ```mlir
    %r = nn.fusion ins(%p = %x : tensor<4xf32>, %q = %y : tensor<4xf32>)
        kind("elementwise") inplace [0] -> (tensor<4xf32>) {
      %s = nn.add %p, %q : tensor<4xf32>
      nn.yield %s : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$inputs, OptionalAttr<StrAttr>:$kind,
                       OptionalAttr<DenseI64ArrayAttr>:$inplace);
  let results = (outs Variadic<Nn_Tensor>:$results);
  let regions = (region SizedRegion<1>:$bodyRegion);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    // Makes the body block with its arguments; the caller fills it.
    OpBuilder<(ins "::mlir::TypeRange":$resultTypes, "::mlir::ValueRange":$inputs,
                   CArg<"::llvm::StringRef", "{}">:$kind)>
  ];
  let extraClassDeclaration = [{
    /// The body's argument for operand `index`.
    ::mlir::BlockArgument getBodyArgument(unsigned index) {
      return getBody()->getArgument(index);
    }
    /// The operand whose buffer result `index` overwrites, or nothing.
    std::optional<unsigned> getInplaceOperand(unsigned index);
    YieldOp getYield();
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Nn_YieldOp : Nn_Op<"yield", [Pure, Terminator, ReturnLike,
                                 HasParent<"FusionOp">]> {
  let summary = "Ends a fusion and gives its results";
  let description = [{
    Constraints:
    * (C1) Stands at the end of the body of `nn.fusion`.

    Example:
    ```mlir
    %r = nn.fusion ins(%p = %x : tensor<4xf32>) -> (tensor<4xf32>) {
      nn.yield %p : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ }]>];
}

#endif // DSC_DIALECTS_NN_NNFUSION

#ifndef DSC_DIALECTS_NN_NNCONTRACTION
#define DSC_DIALECTS_NN_NNCONTRACTION

include "dialects/nn/NnDialect.td"

def Nn_MatmulOp : Nn_InferredOp<"matmul",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Multiplies matrices, batch by batch";
  let description = [{
    `result[b, i, j] = sum over k of A[b, i, k] * B[b, k, j]`, where A is
    `lhs`, with its last two dimensions exchanged if `transpose_a`, and B
    likewise. All dimensions before the last two are batch dimensions. In
    import form they broadcast as in numpy; in normal form both operands have
    the same.

    Constraints:
    * (C1) `lhs` and `rhs` have rank 2 or more and the same element type.
    * (C2) The contracted dimensions k have the same size.
    * (C3) Batch dimensions, aligned at the right, are equal or 1.
    * (C4) `result` has the broadcast batch dimensions, then i and j.

    Example:
    ```mlir
    %r = nn.matmul transpose_b %x, %w : (tensor<8x4xf32>, tensor<3x4xf32>) -> tensor<8x3xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$lhs, Nn_FloatTensor:$rhs,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Contraction;
    }
  }];
  let hasCanonicalizer = 1;
}

#endif // DSC_DIALECTS_NN_NNCONTRACTION

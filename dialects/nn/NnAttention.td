#ifndef DSC_DIALECTS_NN_NNATTENTION
#define DSC_DIALECTS_NN_NNATTENTION

include "dialects/nn/NnDialect.td"

// A composite becomes matrix products and rows before regions are formed, in
// blocks that suit the target; so it has no loop nest of its own.
defvar Nn_compositeDefinition = [{
  ::dsc::FusionKind $cppClass::getFusionKind() {
    return ::dsc::FusionKind::Composite;
  }
}];

def Nn_AttentionOp : Nn_InferredOp<"attention", [
    Nn_Differentiable, DeclareOpInterfaceMethods<FusionOpInterface>]> {
  let summary = "Takes means of values, weighted by how queries match keys";
  let description = [{
    Scaled dot-product attention, batch by batch, over all dimensions before the
    last two:

    * `s[i, j] = scale * sum over d of query[i, d] * key[j, d] + bias[i, j]`,
      or -inf where `causal` hides key j from query i: `j > i + Tk - Tq`, so
      that the last query sees all keys
    * `lse[i] = log(sum over j of exp(s[i, j]))`
    * `result[i, d] = sum over j of exp(s[i, j] - lse[i]) * value[j, d]`

    A query whose scores are all -inf attends to nothing: its `result` is 0, its
    `lse` -inf, and no gradient leaves it. PyTorch gives NaN there.

    `lse` is for `nn.attention_grad`, which makes the weights again from it; no
    gradient passes through it.

    Constraints:
    * (C1) Operands have one element type and one rank, 2 or more.
    * (C2) `query`, `key` and `value` have the same batch dimensions.
    * (C3) `query` and `key` have rows of one size, and there are as many keys
      as values.
    * (C4) Each dimension of `bias` is 1 or that of the scores, [batch.., Tq,
      Tk].
    * (C5) `scale` is finite.
    * (C6) `result` is [batch.., Tq, Dv], `lse` [batch.., Tq].

    Example:
    ```mlir
    %o, %lse = nn.attention %q, %k, %v scale = 0.125 causal
        : (tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>)
        -> (tensor<2x4x16x64xf32>, tensor<2x4x16xf32>)
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$query, Nn_FloatTensor:$key,
                       Nn_FloatTensor:$value, Optional<Nn_FloatTensor>:$bias,
                       F64Attr:$scale, UnitAttr:$causal);
  let results = (outs Nn_FloatTensor:$result, Nn_FloatTensor:$lse);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`bias` $bias^)? `scale` `=` $scale
    (`causal` $causal^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDefinition = Nn_compositeDefinition;
  let hasVerifier = 1;
}

def Nn_AttentionGradOp : Nn_InferredOp<"attention_grad", [
    DeclareOpInterfaceMethods<FusionOpInterface>]> {
  let summary = "Takes the gradients of attention by its operands";
  let description = [{
    With the scores s of `nn.attention`, made again from the operands:

    * `p = exp(s - lse)`, 0 in rows where `lse` is -inf
    * `dvalue = p^T * gradient`
    * `ds[i, j] = p[i, j] * (sum over d of gradient[i, d] * value[j, d] -
      sum over d of gradient[i, d] * output[i, d])`
    * `dquery = scale * ds * key`, `dkey = scale * ds^T * query`
    * `dbias = ds`, summed over the dimensions along which `bias` was repeated;
      present with the attribute `bias_gradient`

    Constraints:
    * (C1) The operands that are those of `nn.attention` satisfy its
      constraints, as does `scale`.
    * (C2) `gradient` and `output` have the type of its result, `lse` that of
      its `lse`.
    * (C3) With `bias_gradient` there is a `bias`.
    * (C4) Each result has the type of the operand whose gradient it is.

    Example:
    ```mlir
    %dq, %dk, %dv = nn.attention_grad %g, %q, %k, %v, %o, %lse scale = 0.125 causal
        : (tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>,
           tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16xf32>)
        -> (tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>)
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$gradient, Nn_FloatTensor:$query,
                       Nn_FloatTensor:$key, Nn_FloatTensor:$value,
                       Nn_FloatTensor:$output, Nn_FloatTensor:$lse,
                       Optional<Nn_FloatTensor>:$bias, F64Attr:$scale,
                       UnitAttr:$causal, UnitAttr:$bias_gradient);
  let results = (outs Nn_FloatTensor:$dquery, Nn_FloatTensor:$dkey,
                      Nn_FloatTensor:$dvalue, Optional<Nn_FloatTensor>:$dbias);
  let assemblyFormat = [{
    $gradient `,` $query `,` $key `,` $value `,` $output `,` $lse
    (`bias` $bias^)? `scale` `=` $scale (`causal` $causal^)?
    (`bias_gradient` $bias_gradient^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDefinition = Nn_compositeDefinition;
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_NN_NNATTENTION

#ifndef DSC_DIALECTS_NN_NNDROPOUT
#define DSC_DIALECTS_NN_NNDROPOUT

include "dialects/nn/NnDialect.td"

def Nn_CounterTensor : 0DTensorOf<[I64]>;

def Nn_DropoutOp : Nn_SameTypeOp<"dropout", Nn_NormalTraits<[
    AllTypesMatch<["input", "result"]>, Nn_Differentiable]>.traits> {
  let summary = "Replaces elements by zero at random and scales the others";
  let description = [{
    `result[i] = draw[i] >= probability * 2^32 ? input[i] * (1 / (1 - probability)) : 0`,
    where i counts elements in row-major order, and `draw[i]` is the first of
    the four 32-bit numbers of Philox4x32-10 (Salmon and others, SC 2011,
    "Parallel random numbers: as easy as 1, 2, 3") with

    * counter (i mod 2^32, i / 2^32, micro_batch mod 2^32, micro_batch / 2^32)
    * key `mix(seed) xor site`, low word first, where `mix` is the output
      function of SplitMix64 (Steele and others, OOPSLA 2014)

    So the mask is a function of four numbers and holds no state: the gradient
    is the same operation on the result's gradient, a recomputed mask is the
    first one, and no number of threads or tiles changes it. `site` tells the
    places of one model apart; a new `micro_batch` is a new mask.

    With `probability` 0 the result is `input`, with 1 it is 0 (also where
    `input` is infinite: elements are selected, not multiplied by 0).

    Constraints:
    * (C1) `input` and `result` have the same type.
    * (C2) `probability` is between 0 and 1.

    Example:
    ```mlir
    %r = nn.dropout %x, %seed, %micro_batch probability = 0.1 site = 7
        : (tensor<4x8xf32>, tensor<i64>, tensor<i64>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input, Nn_CounterTensor:$seed,
                       Nn_CounterTensor:$micro_batch, F64Attr:$probability,
                       I64Attr:$site);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $seed `,` $micro_batch `probability` `=` $probability
    `site` `=` $site attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Elementwise;
    }
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_NN_NNDROPOUT

#ifndef DSC_PASSES_PRECISION_PASSES_TD
#define DSC_PASSES_PRECISION_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignTypesPass : Pass<"precision-assign-types", "::mlir::ModuleOp"> {
  let summary = "Give every tensor the type that the policy asks for";
  let description = [{
    Expects the exit form of the differentiate stage.

    - `f32` keeps all types: what the model has in f32 is computed, kept and
      accumulated in f32, what it has in f64 in f64.
    - `f64` makes every f32 tensor f64: parameters, state, inputs, constants and
      values. A parameter remembers its type in the file as `storage`, so that
      it is converted when it is loaded and exported. Casts between the two
      types disappear. Meant for tests: a gradient in f64 can be checked against
      differences.

    Before, with `policy=f64`:
    ```mlir
    train.parameter @w : tensor<4xf32> trainable("") from #train.file<"m", 0, 16>
    %w = train.read @w : tensor<4xf32>
    ```
    After:
    ```mlir
    train.parameter @w : tensor<4xf64> trainable("") from #train.file<"m", 0, 16> {storage = f32}
    %w = train.read @w : tensor<4xf64>
    ```
  }];
  let options = [
    Option<"policy", "policy", "std::string", "\"f32\"",
           "f32 or f64; default f32">
  ];
}

def VerifyPrecisionPass : Pass<"precision-verify", "::mlir::ModuleOp"> {
  let summary = "Check the exit form of the precision stage";
  let description = [{
    Properties, by the label that the negative tests carry:

    - (P1) every element type is one that the host computes with: f64, i64, i32,
      i1, and f32 unless the policy is f64;
    - (P2) gradients and moments have the type of their parameter;
    - (P3) accumulators and reports are f64, counters are i64, settings are
      either;
    - (P4) no cast leaves the type as it is.
  }];
  let options = [
    Option<"policy", "policy", "std::string", "\"f32\"",
           "the policy that precision-assign-types followed; default f32">
  ];
}

#endif // DSC_PASSES_PRECISION_PASSES_TD

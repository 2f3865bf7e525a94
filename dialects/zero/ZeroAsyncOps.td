#ifndef DSC_DIALECTS_ZERO_ZEROASYNCOPS_TD
#define DSC_DIALECTS_ZERO_ZEROASYNCOPS_TD

// The async form: every collective of ZeroOps.td as a start and an await. All
// of them read and write memory, so that no rewrite drops an await, merges two
// starts or moves one past another.

include "dialects/zero/ZeroAttrs.td"
include "dialects/zero/ZeroDialect.td"
include "dialects/zero/ZeroInterfaces.td"
include "dialects/zero/ZeroTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Zero_StartOp<string mnemonic, list<Trait> traits = []>
    : Zero_Op<mnemonic # "_start", !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let results = (outs Zero_TokenType:$token);
}

def Zero_AwaitTrait : NativeOpTrait<"AwaitTrait"> {
  let cppNamespace = "::dsc::zero";
}

class Zero_AwaitOp<string mnemonic, list<Trait> traits = []>
    : Zero_Op<mnemonic # "_await", !listconcat([
        MemoryEffects<[MemRead, MemWrite]>, Zero_AwaitTrait], traits)>;

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

def Zero_GatherStartOp : Zero_StartOp<"gather", [
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getCollectiveName"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Begin to assemble the whole tensors of a group";
  let description = [{
    Begins what `zero.gather` does; `zero.gather_await` gives the tensors.

    Constraints:
    - (C1) `group` names a `zero.group`, and `axis` is a known axis (`@world`).

    ```mlir
    %token = zero.gather_start @fc1 axis(@world)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group, FlatSymbolRefAttr:$axis);
  let assemblyFormat = "$group `axis` `(` $axis `)` attr-dict";
}

def Zero_GatherAwaitOp : Zero_AwaitOp<"gather", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Wait for gathered tensors";
  let description = [{
    The results live until `zero.release`.

    Constraints:
    - (C1) `token` comes from a `zero.gather_start`.
    - (C2) there is one result a segment of the started group, of the segment's
      element count and of the group's element type.

    ```mlir
    %weight, %bias = zero.gather_await %token : tensor<512x784xf32>, tensor<512xf32>
    ```
  }];
  let arguments = (ins Zero_TokenType:$token);
  let results = (outs Variadic<AnyStaticShapeTensor>:$tensors);
  let assemblyFormat = "$token attr-dict `:` type($tensors)";
}

//===----------------------------------------------------------------------===//
// Reduce-scatter
//===----------------------------------------------------------------------===//

def Zero_ReduceScatterStartOp : Zero_StartOp<"reduce_scatter", [
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getCollectiveName"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Begin to sum gradients into the shards of their group";
  let description = [{
    Begins what `zero.reduce_scatter` does, under the same constraints.

    ```mlir
    %token = zero.reduce_scatter_start @fc1(%weight_gradient, %bias_gradient) axis(@world) : tensor<512x784xf32>, tensor<512xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group,
                       Variadic<AnyStaticShapeTensor>:$gradients,
                       FlatSymbolRefAttr:$axis);
  let assemblyFormat = [{
    $group `(` $gradients `)` `axis` `(` $axis `)` attr-dict `:` type($gradients)
  }];
}

def Zero_ReduceScatterAwaitOp : Zero_AwaitOp<"reduce_scatter"> {
  let summary = "Wait until gradient shards hold their sums";
  let description = [{
    Constraints:
    - (C1) `token` comes from a `zero.reduce_scatter_start`.

    ```mlir
    zero.reduce_scatter_await %token
    ```
  }];
  let arguments = (ins Zero_TokenType:$token);
  let assemblyFormat = "$token attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions of accumulators
//===----------------------------------------------------------------------===//

def Zero_AllReduceGradientsStartOp : Zero_StartOp<"all_reduce_gradients", [
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getCollectiveName"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Begin to sum the gradient accumulators of a group";
  let description = [{
    Begins what `zero.all_reduce_gradients` does, under the same constraints.

    ```mlir
    %token = zero.all_reduce_gradients_start @fc1 axis(@world)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group, FlatSymbolRefAttr:$axis);
  let assemblyFormat = "$group `axis` `(` $axis `)` attr-dict";
}

def Zero_AllReduceGradientsAwaitOp : Zero_AwaitOp<"all_reduce_gradients"> {
  let summary = "Wait until gradient accumulators hold their sums";
  let description = [{
    Constraints:
    - (C1) `token` comes from a `zero.all_reduce_gradients_start`.

    ```mlir
    zero.all_reduce_gradients_await %token
    ```
  }];
  let arguments = (ins Zero_TokenType:$token);
  let assemblyFormat = "$token attr-dict";
  let hasVerifier = 1;
}

def Zero_ReduceGradientsStartOp : Zero_StartOp<"reduce_gradients", [
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getCollectiveName"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Begin to sum each rank's range of gradient accumulators";
  let description = [{
    Begins what `zero.reduce_gradients` does, under the same constraints.

    ```mlir
    %token = zero.reduce_gradients_start @fc1 axis(@world)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group, FlatSymbolRefAttr:$axis);
  let assemblyFormat = "$group `axis` `(` $axis `)` attr-dict";
}

def Zero_ReduceGradientsAwaitOp : Zero_AwaitOp<"reduce_gradients"> {
  let summary = "Wait until this rank's range of accumulators holds its sum";
  let description = [{
    Constraints:
    - (C1) `token` comes from a `zero.reduce_gradients_start`.

    ```mlir
    zero.reduce_gradients_await %token
    ```
  }];
  let arguments = (ins Zero_TokenType:$token);
  let assemblyFormat = "$token attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Refresh
//===----------------------------------------------------------------------===//

def Zero_RefreshStartOp : Zero_StartOp<"refresh", [
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getCollectiveName"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Begin to bring whole parameters up to date";
  let description = [{
    Begins what `zero.refresh` does, under the same constraints.

    ```mlir
    %token = zero.refresh_start @fc1 axis(@world)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group, FlatSymbolRefAttr:$axis);
  let assemblyFormat = "$group `axis` `(` $axis `)` attr-dict";
}

def Zero_RefreshAwaitOp : Zero_AwaitOp<"refresh"> {
  let summary = "Wait until whole parameters are up to date";
  let description = [{
    Constraints:
    - (C1) `token` comes from a `zero.refresh_start`.

    ```mlir
    zero.refresh_await %token
    ```
  }];
  let arguments = (ins Zero_TokenType:$token);
  let assemblyFormat = "$token attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// All-reduce of values
//===----------------------------------------------------------------------===//

def Zero_AllReduceStartOp : Zero_StartOp<"all_reduce", [
    DeclareOpInterfaceMethods<CollectiveOpInterface,
        ["getCollectiveName", "getCollectiveGroup", "getPayloadBytes"]>]> {
  let summary = "Begin to sum values over ranks";
  let description = [{
    Begins what `zero.all_reduce` does.

    Constraints:
    - (C1) `axis` is a known axis (`@world`).
    - (C2) there is at least one operand.

    ```mlir
    %token = zero.all_reduce_start(%local_loss, %local_weight) axis(@world) : tensor<f64>, tensor<f64>
    ```
  }];
  let arguments = (ins Variadic<Zero_FloatTensor>:$values, FlatSymbolRefAttr:$axis);
  let assemblyFormat = [{
    `(` $values `)` `axis` `(` $axis `)` attr-dict `:` type($values)
  }];
  let hasVerifier = 1;
}

def Zero_AllReduceAwaitOp : Zero_AwaitOp<"all_reduce"> {
  let summary = "Wait for the sums of values over ranks";
  let description = [{
    Constraints:
    - (C1) `token` comes from a `zero.all_reduce_start`.
    - (C2) the results have the types of the started values.

    ```mlir
    %loss, %weight = zero.all_reduce_await %token : tensor<f64>, tensor<f64>
    ```
  }];
  let arguments = (ins Zero_TokenType:$token);
  let results = (outs Variadic<Zero_FloatTensor>:$sums);
  let assemblyFormat = "$token attr-dict `:` type($sums)";
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_ZERO_ZEROASYNCOPS_TD

#ifndef DSC_DIALECTS_ZERO_ZEROTRANSFEROPS_TD
#define DSC_DIALECTS_ZERO_ZEROTRANSFEROPS_TD

// Transfers between the memory of a rank and the place where its offloaded
// states lie. No other rank takes part, so they are no collectives; tokens and
// effects are those of the async form.

include "dialects/zero/ZeroAsyncOps.td"

/// A whole state, or this rank's part of it.
def Zero_Transferred : AnyTypeOf<[Zero_FloatTensor, Zero_Part]>;

def Zero_LoadStartOp : Zero_StartOp<"load", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Begin to bring an offloaded state into memory";
  let description = [{
    `zero.load_await` gives the value that the state has now, as a whole or as
    this rank's part.

    Constraints:
    - (C1) `symbol` exists.

    ```mlir
    %token = zero.load_start @"fc1.weight.exp_avg"
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let assemblyFormat = "$symbol attr-dict";
}

def Zero_LoadAwaitOp : Zero_AwaitOp<"load"> {
  let summary = "Wait for an offloaded state";
  let description = [{
    The value lies in memory of its own: what a region makes of it may take its
    place, and the state keeps its value until `zero.store_start`.

    Constraints:
    - (C1) `token` comes from a `zero.load_start`.

    ```mlir
    %moment = zero.load_await %token : tensor<?xf32>
    ```
  }];
  let arguments = (ins Zero_TokenType:$token);
  let results = (outs Zero_Transferred:$result);
  let assemblyFormat = "$token attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Zero_StoreStartOp : Zero_StartOp<"store", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Begin to replace an offloaded state";
  let description = [{
    Until the await the value is read and the state is written.

    Constraints:
    - (C1) `symbol` exists.

    ```mlir
    %token = zero.store_start @"fc1.weight.exp_avg", %updated : tensor<?xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, Zero_Transferred:$value);
  let assemblyFormat = "$symbol `,` $value attr-dict `:` type($value)";
}

def Zero_StoreAwaitOp : Zero_AwaitOp<"store"> {
  let summary = "Wait until an offloaded state has its new value";
  let description = [{
    Constraints:
    - (C1) `token` comes from a `zero.store_start`.

    ```mlir
    zero.store_await %token
    ```
  }];
  let arguments = (ins Zero_TokenType:$token);
  let assemblyFormat = "$token attr-dict";
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_ZERO_ZEROTRANSFEROPS_TD

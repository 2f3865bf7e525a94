#ifndef DSC_DIALECTS_EXEC_EXECLAUNCHOPS_TD
#define DSC_DIALECTS_EXEC_EXECLAUNCHOPS_TD

include "dialects/exec/ExecAttrs.td"
include "dialects/exec/ExecDialect.td"
include "dialects/exec/ExecInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Exec_LaunchOp : Exec_Op<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Exec_AccessOpInterface, ["getAccesses"]>]> {
  let summary = "Runs a kernel";
  let description = [{
    The kernel is a function on tensors: its arguments are read from `ins`, its
    results written to `outs`. The function's attribute `exec.inplace` names for
    each result the argument whose memory it overwrites, or -1. Views of one
    launch otherwise do not overlap where one is written.

    `peers_only` says that the launch changes nothing on a rank without peers,
    where it is skipped: a sum over ranks of which there is one.

    Constraints:
    1. `kernel` names a function with the attribute `exec.kernel`.
    2. Each view has the shape and element type of its argument or result.
    3. A result that `exec.inplace` binds to an argument has the same view.

    Example:

    ```mlir
    func.func private @kernel_0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel} {
      return %x : tensor<4xf32>
    }
    exec.program @step arena(256) kind(step) inputs [] outputs [] {
      %x = exec.arena_view offset(0) : memref<4xf32>
      %y = exec.arena_view offset(128) : memref<4xf32>
      exec.launch @kernel_0 ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) on(compute)
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyMemRef>:$ins,
                       Variadic<AnyMemRef>:$outs, Exec_StreamAttr:$stream,
                       UnitAttr:$peers_only);
  let assemblyFormat = [{
    (`peers_only` $peers_only^)? $kernel (`ins` `(` $ins^ `:` type($ins) `)`)?
    (`outs` `(` $outs^ `:` type($outs) `)`)? `on` `(` $stream `)` attr-dict
  }];
}

def Exec_ContractionOp : Exec_Op<"contraction", [
    DeclareOpInterfaceMethods<Exec_AccessOpInterface, ["getAccesses"]>]> {
  let summary = "Multiplies matrices through the target's provider";
  let description = [{
    c = a · b, or c = c + a · b with `accumulate(true)`, over equal leading batch
    dims. A transposed operand is stored as the transpose of what it stands for.

    Constraints:
    1. All three views have one element type, f32 or f64, and one rank >= 2.
    2. Batch dims agree, and so do rows, columns and the summed dim.

    Example:

    ```mlir
    exec.program @step arena(384) kind(step) inputs [] outputs [] {
      %x = exec.arena_view offset(0) : memref<4x2xf32>
      %w = exec.arena_view offset(128) : memref<3x2xf32>
      %h = exec.arena_view offset(256) : memref<4x3xf32>
      exec.contraction transpose_b %x, %w into %h accumulate(false) on(compute)
        : memref<4x2xf32>, memref<3x2xf32> into memref<4x3xf32>
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$a, AnyMemRef:$b, AnyMemRef:$c,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b,
                       BoolAttr:$accumulate, Exec_StreamAttr:$stream);
  let assemblyFormat = [{
    (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)? $a `,` $b
    `into` $c `accumulate` `(` $accumulate `)` `on` `(` $stream `)` attr-dict
    `:` type($a) `,` type($b) `into` type($c)
  }];
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_EXEC_EXECLAUNCHOPS_TD

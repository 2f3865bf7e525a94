#ifndef DSC_PASSES_LOWER_PASSES_TD
#define DSC_PASSES_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def BuildProgramsPass : Pass<"lower-build-programs", "::mlir::ModuleOp"> {
  let summary = "Turn entries into lists of runtime calls over a planned arena";
  let description = [{
    Expects the async form: entries of `nn.fusion` regions and views between
    `train` and `zero` operations.

    - Every region becomes a private function; equal regions become one. A
      region that is nothing but a matrix product becomes `exec.contraction`.
    - Every value gets a place. A value that is written to a state and nothing
      else is computed right there, where no later operation reads what the
      state held before. An operand of a reduction over ranks is computed in its
      slice of the group's flat buffer. Everything else lies in the arena.
      Where a value has to be copied, a remark says why.
    - A region whose result is added to a state, as gradients are, adds it
      itself, where no other operation touches the state in between.
    - Collectives run on the communication stream, and so do the kernels that
      add up what they receive; tokens become events.
    - The memory plan fixes the offsets of the arena.
    - Parameters, states and groups become the state table.

    ```mlir
    train.entry @eval(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
      %y = nn.fusion ins(%p = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
        %r = nn.relu %p : tensor<4xf32>
        nn.yield %r : tensor<4xf32>
      }
      train.return %y : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    exec.program @eval arena(128) kind(eval) inputs [{name = "x", type = tensor<4xf32>} ] outputs [{name = "y", offset = 0 : i64, type = tensor<4xf32>} ] {
      %x = exec.input 0 : memref<4xf32>
      %y = exec.arena_view offset(0) : memref<4xf32>
      exec.launch @kernel_0 ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) on(compute)
    }
    ```

    Guarantees the exec form, which `lower-verify` checks.
  }];
  let dependentDialects = [
    "::dsc::exec::ExecDialect", "::dsc::nn::NnDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect"
  ];
  let options = [
    Option<"maxWorld", "max-world", "int64_t", "1024",
           "Most ranks that the module can run on (default: 1024)">,
    Option<"unit", "unit", "int64_t", "64",
           "Elements in the unit in which ranges are cut (default: 64)">
  ];
}

def PoisonArenaPass : Pass<"lower-poison-arena", "::mlir::ModuleOp"> {
  let summary = "Fill memory with NaN where it is freed";
  let description = [{
    Expects the exec form. When a program begins, and behind the last access to
    each buffer of the arena but those of outputs, kernels fill the bytes with
    words of ones, which are NaN in every float type. Whoever reads bytes that
    the program did not write for him computes NaN. Results of programs that
    `lower-verify` accepts are the same bits.

    ```mlir
    exec.launch @kernel_3 ins(%h : memref<4x2xf32>) outs(%y : memref<4x2xf32>) on(compute)
    ```
    becomes, where it is the last one that reads %h,
    ```mlir
    exec.launch @kernel_3 ins(%h : memref<4x2xf32>) outs(%y : memref<4x2xf32>) on(compute)
    %0 = exec.arena_view offset(0) buffer(7) : memref<8xf32>
    exec.launch @poison_8 outs(%0 : memref<8xf32>) on(compute)
    ```
  }];
  let dependentDialects = [
    "::dsc::exec::ExecDialect", "::dsc::nn::NnDialect",
    "::mlir::func::FuncDialect"
  ];
}

def VerifyLoweredPass : Pass<"lower-verify", "::mlir::ModuleOp"> {
  let summary = "Check the exec form: places, events and races";
  let description = [{
    Reports every violation of one of:

    - (L1) the module holds states, groups, programs and kernels only, and a
      program holds `exec` operations only;
    - (L2) indices of states and of groups count from 0 in the order of the table;
    - (L3) arena views lie inside the arena;
    - (L4) an event is recorded once, and before it is waited for;
    - (L5) nothing is read before it was written: bytes of the arena, staging;
    - (L6) accesses to overlapping memory on different streams, one of which
      writes, are ordered by events;
    - (L7) within one operation, what is written overlaps nothing else, except
      where it is the same view;
    - (L8) inputs and settings are not written;
    - (L9) outputs are written;
    - (L10) bytes of the arena are read as the buffer as which they were written
      last: no buffer lies over another one that is still to be read;
    - (L11) the calls of the channel run on the communication stream and are
      those that `collectives` lists, in its order, and `hash` is that of the
      list.
  }];
}

#endif // DSC_PASSES_LOWER_PASSES_TD

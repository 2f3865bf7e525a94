#ifndef DSC_DIALECTS_EXEC_EXECMEMORYOPS_TD
#define DSC_DIALECTS_EXEC_EXECMEMORYOPS_TD

include "dialects/exec/ExecAttrs.td"
include "dialects/exec/ExecDialect.td"
include "dialects/exec/ExecInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// A view is dense and row-major: it has the identity layout. Each view checks
// its shape against what it names, so reshaping is naming the same bytes again.
class Exec_View<string mnemonic, list<Trait> traits = []> :
    Exec_Op<mnemonic, traits # [
      Pure, DeclareOpInterfaceMethods<Exec_ViewOpInterface>]> {
  let results = (outs AnyMemRef:$view);
  let hasVerifier = 1;
}

class Exec_StateBackedView<string mnemonic> : Exec_View<mnemonic, [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins FlatSymbolRefAttr:$state);
  let assemblyFormat = "$state attr-dict `:` type($view)";
}

def Exec_InputOp : Exec_View<"input"> {
  let summary = "Names a tensor that the caller bound";
  let description = [{
    The program only reads it.

    Constraints:
    1. `index` counts the inputs of the program.
    2. The view is static and has as many bytes as the input's type.

    Example:

    ```mlir
    exec.program @eval arena(0) kind(eval) inputs [{name = "x", type = tensor<64x784xf32>} ] outputs [] {
      %x = exec.input 0 : memref<64x784xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$index);
  let assemblyFormat = "$index attr-dict `:` type($view)";
}

def Exec_ArenaViewOp : Exec_View<"arena_view", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Names bytes of the arena";
  let description = [{
    The offset is in bytes, as the memory plan fixed it. `buffer` numbers what
    the plan placed: views of one number name the same buffer or pieces of it,
    and views of different numbers may name the same bytes one after the other.
    With `part_of` the view has as many elements as this rank's part of that
    state, known only at load, and at most `bound`.

    Constraints:
    1. The offset is not negative and a multiple of the element's size.
    2. The view is static, or of type memref<?xT> with `part_of`.
    3. `part_of` names a state with a group and at most `bound` elements.

    Example:

    ```mlir
    exec.program @step arena(135168) kind(step) inputs [] outputs [] {
      %h = exec.arena_view offset(4096) buffer(3) : memref<64x512xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$offset, OptionalAttr<I64Attr>:$buffer,
                       OptionalAttr<FlatSymbolRefAttr>:$part_of,
                       OptionalAttr<I64Attr>:$bound);
  let assemblyFormat = [{
    `offset` `(` $offset `)` (`buffer` `(` $buffer^ `)`)? (`part_of` `(` $part_of^ `)` `bound` `(` $bound `)`)?
    attr-dict `:` type($view)
  }];
}

def Exec_StateViewOp : Exec_StateBackedView<"state_view"> {
  let summary = "Names the whole tensor of a state";
  let description = [{
    Constraints:
    1. The state is neither sharded nor staging.
    2. The view is static, of the state's element type and element count.

    Example:

    ```mlir
    exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3]
    exec.program @step arena(0) kind(step) inputs [] outputs [] {
      %w = exec.state_view @w : memref<2x3xf32>
    }
    ```
  }];
}

def Exec_PartViewOp : Exec_StateBackedView<"part_view"> {
  let summary = "Names this rank's part of a state";
  let description = [{
    The intersection of the state's segment with the rank's range, possibly
    empty; flat.

    Constraints:
    1. The state has a group.
    2. The view is memref<?xT> of the state's element type.

    Example:

    ```mlir
    exec.group @fc1 index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>]
    exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0)
    exec.program @step arena(0) kind(step) inputs [] outputs [] {
      %p = exec.part_view @w : memref<?xf32>
    }
    ```
  }];
}

def Exec_ShardViewOp : Exec_StateBackedView<"shard_view"> {
  let summary = "Names this rank's range of the array in which a state lies";
  let description = [{
    All segments of the array that fall into the range, with the zeros between
    and behind them. A rank may own none.

    Constraints: as `exec.part_view`.

    Example:

    ```mlir
    exec.group @fc1 index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>]
    exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0)
    exec.program @step arena(0) kind(step) inputs [] outputs [] {
      %s = exec.shard_view @w : memref<?xf32>
    }
    ```
  }];
}

def Exec_FlatViewOp : Exec_StateBackedView<"flat_view"> {
  let summary = "Names the whole array in which a state lies";
  let description = [{
    All ranks' ranges one after the other, with the zeros behind the last
    segment.

    Constraints: as `exec.part_view`, and the state is not sharded.

    Example:

    ```mlir
    exec.group @fc1 index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>]
    exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0)
    exec.program @step arena(0) kind(step) inputs [] outputs [] {
      %g = exec.flat_view @w : memref<?xf32>
    }
    ```
  }];
}

def Exec_RangeViewOp : Exec_View<"range_view", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Names this rank's range of a whole array in the arena";
  let description = [{
    What `exec.shard_view` names of an array that is a state, here of one that
    lies in the arena for a while: as many elements as this rank's range of the
    group of `state`, from where that begins. Which bytes those are is known at
    load only, so for the race check the view stands for the whole array.

    Constraints:
    1. `array` is a static `exec.arena_view`.
    2. The view is memref<?xT> of the state's element type.
    3. The state has a group, of which the array holds all elements.

    Example:

    ```mlir
    exec.group @fc1 index(0) elements(64) type(f32) stage(3) segments [#exec.segment<@w, 0, 6>]
    exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0)
    exec.program @step arena(768) kind(step) inputs [] outputs [] {
      %f = exec.arena_view offset(0) : memref<192xf32>
      %r = exec.range_view %f of(@w) : memref<192xf32> to memref<?xf32>
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$array, FlatSymbolRefAttr:$state);
  let assemblyFormat = [{
    $array `of` `(` $state `)` attr-dict `:` type($array) `to` type($view)
  }];
}

def Exec_StagingViewOp : Exec_StateBackedView<"staging_view"> {
  let summary = "Names one slice a rank of a staging state";
  let description = [{
    With `of`, one shard of that state's group a rank: memref<?x?xT>; without,
    one row of K elements a rank: memref<?xKxT>. `below` leaves the slices of
    ranks below this one, `above` those of ranks above it.

    Constraints:
    1. The state is of class staging, and the view of its element type.
    2. With `of`, which names a state with a group, both dims are dynamic;
       without, only the first.
    3. Slices of some ranks are shards, and not of both sides.

    Example:

    ```mlir
    exec.state @rows index(0) class(staging) type(f64) elements(2048) shape [1024, 2]
    exec.program @step arena(0) kind(step) inputs [] outputs [] {
      %s = exec.staging_view @rows : memref<?x2xf64>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state,
                       OptionalAttr<FlatSymbolRefAttr>:$of,
                       UnitAttr:$below, UnitAttr:$above);
  let assemblyFormat = [{
    $state (`of` `(` $of^ `)`)? (`below` $below^)? (`above` $above^)?
    attr-dict `:` type($view)
  }];
}

def Exec_CopyOp : Exec_Op<"copy", [
    AllTypesMatch<["source", "destination"]>,
    DeclareOpInterfaceMethods<Exec_AccessOpInterface, ["getAccesses"]>]> {
  let summary = "Copies bytes";
  let description = [{
    Constraints:
    1. Source and destination have the same type.

    Example:

    ```mlir
    exec.program @step arena(256) kind(step) inputs [] outputs [] {
      %a = exec.arena_view offset(0) : memref<4xf32>
      %b = exec.arena_view offset(128) : memref<4xf32>
      exec.copy %a into %b on(compute) : memref<4xf32>
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination,
                       Exec_StreamAttr:$stream);
  let assemblyFormat = [{
    $source `into` $destination `on` `(` $stream `)` attr-dict
    `:` type($source)
  }];
}

def Exec_FillZeroOp : Exec_Op<"fill_zero", [
    DeclareOpInterfaceMethods<Exec_AccessOpInterface, ["getAccesses"]>]> {
  let summary = "Sets bytes to zero";
  let description = [{
    Example:

    ```mlir
    exec.program @step arena(128) kind(step) inputs [] outputs [] {
      %a = exec.arena_view offset(0) : memref<4xf32>
      exec.fill_zero %a on(compute) : memref<4xf32>
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$destination, Exec_StreamAttr:$stream);
  let assemblyFormat = [{
    $destination `on` `(` $stream `)` attr-dict `:` type($destination)
  }];
}

#endif // DSC_DIALECTS_EXEC_EXECMEMORYOPS_TD

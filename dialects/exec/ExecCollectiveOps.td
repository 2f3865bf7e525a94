#ifndef DSC_DIALECTS_EXEC_EXECCOLLECTIVEOPS_TD
#define DSC_DIALECTS_EXEC_EXECCOLLECTIVEOPS_TD

include "dialects/exec/ExecAttrs.td"
include "dialects/exec/ExecDialect.td"
include "dialects/exec/ExecInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

// Collectives move bytes. What adds them up is a kernel that is launched behind
// them, so that the order of a sum is compiled and not a library's choice.

class Exec_CollectiveOp<string mnemonic> : Exec_Op<mnemonic, [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Exec_AccessOpInterface, ["getAccesses"]>]>;

def Exec_AllGatherOp : Exec_CollectiveOp<"all_gather"> {
  let summary = "Every rank receives what each rank sends, in rank order";
  let description = [{
    With `group` a rank sends its shard of the group and receives all of them;
    without, it sends a static view and receives one row a rank. The shard of a
    state may be gathered in place, into the flat view of the same state.

    `joined` says that it travels in one message with the operation before it:
    ranks then wait for one another once for both.

    Constraints:
    1. Element types agree.
    2. With `group`, which names an `exec.group`, the source is memref<?xT>, and
       the destination is memref<?xT> or holds at least the group's elements.
    3. Without `group`, the source is static, the destination's first dim is
       dynamic, and its rows have as many elements as the source.
    4. What is joined has a group, and the operation before it, views apart, is
       one of its kind with a group, on the same stream.

    Example:

    ```mlir
    exec.group @fc1 index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>]
    exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0)
    exec.program @step arena(768) kind(step) inputs [] outputs [] {
      %s = exec.shard_view @w : memref<?xf32>
      %f = exec.arena_view offset(0) : memref<192xf32>
      exec.all_gather group(@fc1) %s into %f on(communication)
        : memref<?xf32> into memref<192xf32>
    }
    ```
  }];
  let arguments = (ins UnitAttr:$joined, OptionalAttr<FlatSymbolRefAttr>:$group,
                       AnyMemRef:$source, AnyMemRef:$destination,
                       Exec_StreamAttr:$stream);
  let assemblyFormat = [{
    (`joined` $joined^)? (`group` `(` $group^ `)`)? $source `into` $destination `on` `(` $stream `)`
    attr-dict `:` type($source) `into` type($destination)
  }];
  let hasVerifier = 1;
}

def Exec_AllToAllOp : Exec_CollectiveOp<"all_to_all"> {
  let summary = "Every rank sends its i-th range to rank i";
  let description = [{
    The source is a whole flat array of the group; row r of the destination is
    what rank r sent. A rank's own range stays where it is in the source, and
    its own row is not written; who adds up the rows reads the range in place.
    `joined` as for `exec.all_gather`.

    Constraints:
    1. Element types agree.
    2. `group` names an `exec.group`; the source is memref<?xT> or holds at
       least the group's elements; the destination is memref<?x?xT>.
    3. What is joined stands, views apart, behind one on the same stream.

    Example:

    ```mlir
    exec.group @fc1 index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>]
    exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0)
    exec.state @staging index(1) class(staging) type(f32) elements(64) shape [64] group(@fc1) offset(0)
    exec.program @step arena(0) kind(step) inputs [] outputs [] {
      %f = exec.flat_view @w : memref<?xf32>
      %s = exec.staging_view @staging of(@w) : memref<?x?xf32>
      exec.all_to_all group(@fc1) %f into %s on(communication)
        : memref<?xf32> into memref<?x?xf32>
    }
    ```
  }];
  let arguments = (ins UnitAttr:$joined, FlatSymbolRefAttr:$group,
                       AnyMemRef:$source, AnyMemRef:$destination,
                       Exec_StreamAttr:$stream);
  let assemblyFormat = [{
    (`joined` $joined^)? `group` `(` $group `)` $source `into` $destination `on` `(` $stream `)`
    attr-dict `:` type($source) `into` type($destination)
  }];
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_EXEC_EXECCOLLECTIVEOPS_TD

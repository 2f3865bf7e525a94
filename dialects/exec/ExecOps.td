#ifndef DSC_DIALECTS_EXEC_EXECOPS_TD
#define DSC_DIALECTS_EXEC_EXECOPS_TD

include "dialects/exec/ExecAttrs.td"
include "dialects/exec/ExecCollectiveOps.td"
include "dialects/exec/ExecLaunchOps.td"
include "dialects/exec/ExecMemoryOps.td"
include "dialects/exec/ExecStreamOps.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Exec_StateOp : Exec_Op<"state", [
    Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A row of the state table";
  let description = [{
    Memory that outlives a program: laid out at load by the layout function for
    the ranks that then exist, and reached by its index.

    A state with a `group` lies `offset` elements into a copy of the group's flat
    space. The n-th states of one class at their offsets make the n-th copy of
    that class. A copy is sharded (a rank holds its range only) from a stage of
    the group on: optimizer 1, gradient 2, parameter 3. A staging state with a
    group is as large as a whole copy.

    An `offloaded` state lies outside of the memory in which programs compute;
    programs copy it there and back on the transfer stream. The states of one
    copy are all offloaded, or none is.

    `of` names the parameter that a gradient or a moment belongs to. `kind`,
    `parameter` and `setting` carry what only the manifest needs, unread.

    Constraints:
    1. `elements` is the product of `shape`.
    2. `group` names an `exec.group`, which has a segment at `offset` of as many
       elements, except for class staging.
    3. An offloaded state is of class optimizer.
    4. Indices count from 0 in the order of the table (checked by `lower-verify`).

    Example:

    ```mlir
    exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       I64Attr:$index,
                       Exec_StateClassAttr:$state_class,
                       TypeAttr:$element_type,
                       I64Attr:$elements,
                       DenseI64ArrayAttr:$shape,
                       OptionalAttr<FlatSymbolRefAttr>:$group,
                       OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<FlatSymbolRefAttr>:$of,
                       OptionalAttr<F64Attr>:$initial,
                       OptionalAttr<StrAttr>:$kind,
                       OptionalAttr<DictionaryAttr>:$parameter,
                       OptionalAttr<DictionaryAttr>:$setting,
                       UnitAttr:$offloaded);
  let assemblyFormat = [{
    $sym_name `index` `(` $index `)` `class` `(` $state_class `)`
    `type` `(` $element_type `)` `elements` `(` $elements `)` `shape` $shape
    (`group` `(` $group^ `)` `offset` `(` $offset `)`)? (`of` `(` $of^ `)`)?
    (`offloaded` $offloaded^)? (`initial` `(` $initial^ `)`)? (`kind` `(` $kind^ `)`)?
    (`parameter` $parameter^)? (`setting` $setting^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes of the whole tensor.
    int64_t getBytes();
    /// Whether a rank holds only its range of the copy in which the state lies.
    bool isSharded(GroupOp group);
  }];
}

def Exec_GroupOp : Exec_Op<"group", [Symbol]> {
  let summary = "Tensors that are cut, gathered and reduced together";
  let description = [{
    The flat space of one group: `elements` elements, cut over the ranks at load
    in equal ranges, with `segments` telling where each tensor lies.

    Constraints:
    1. Segments ascend, do not overlap and end within `elements`.
    2. Each segment starts on 128 bytes.

    Example:

    ```mlir
    exec.group @fc1 index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       I64Attr:$index, I64Attr:$elements, TypeAttr:$element_type,
                       I64Attr:$stage, ArrayAttr:$segments);
  let assemblyFormat = [{
    $sym_name `index` `(` $index `)` `elements` `(` $elements `)`
    `type` `(` $element_type `)` `stage` `(` $stage `)` `segments` $segments
    attr-dict
  }];
  let hasVerifier = 1;
}

def Exec_ProgramOp : Exec_Op<"program", [
    Symbol, IsolatedFromAbove, SingleBlockImplicitTerminator<"ReturnOp">,
    NoRegionArguments]> {
  let summary = "An entry point as one list of runtime calls";
  let description = [{
    The body runs once a call, from top to bottom, without branches: ops are
    issued in order, each runs on its stream. `arena` is the number of bytes
    that the program's arena views may use. When the program begins nothing of
    an earlier one is still running; when it returns all streams are drained.

    `inputs` and `outputs` hold one dictionary each: `name` and `type` (a tensor
    type), for outputs `offset` in the arena, and whatever else the entry's
    arguments said (`role`, `classes`, `ignore_index`). `collectives` lists what
    the program exchanges, in order, and `hash` its hash, equal on all ranks.

    Constraints:
    1. Every input and output has a `name` and a ranked, static tensor `type`.
    2. Every output lies inside the arena.

    Example:

    ```mlir
    exec.program @clear arena(256) kind(update) inputs [] outputs [] {
      %0 = exec.arena_view offset(0) : memref<64xf32>
      exec.fill_zero %0 on(compute) : memref<64xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       I64Attr:$arena,
                       Exec_ProgramKindAttr:$kind,
                       ArrayAttr:$inputs, ArrayAttr:$outputs,
                       OptionalAttr<ArrayAttr>:$collectives,
                       OptionalAttr<StrAttr>:$hash);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `arena` `(` $arena `)` `kind` `(` $kind `)` `inputs` $inputs
    `outputs` $outputs (`collectives` $collectives^)? (`hash` `(` $hash^ `)`)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Exec_ReturnOp : Exec_Op<"return", [Terminator, HasParent<"ProgramOp">]> {
  let summary = "Ends a program";
  let description = [{
    All streams are drained before the caller runs on.

    Example:

    ```mlir
    exec.program @step arena(0) kind(step) inputs [] outputs [] {
      exec.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // DSC_DIALECTS_EXEC_EXECOPS_TD

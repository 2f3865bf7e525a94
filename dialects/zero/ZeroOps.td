#ifndef DSC_DIALECTS_ZERO_ZEROOPS_TD
#define DSC_DIALECTS_ZERO_ZEROOPS_TD

include "dialects/zero/ZeroAttrs.td"
include "dialects/zero/ZeroDialect.td"
include "dialects/zero/ZeroInterfaces.td"
include "dialects/zero/ZeroTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

def Zero_GroupOp : Zero_Op<"group", [Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Declare parameters that are gathered and reduced together";
  let description = [{
    A flat space of `elements` elements of `type`, in which each segment holds
    one tensor. At load the space is cut into one range a rank. `stage` says
    what is a shard: from 1 on the optimizer's moments, from 2 on also the
    gradients, from 3 on also the parameters; the rest exists whole on every
    rank. A `frozen` group has neither gradients nor moments.

    Constraints:
    - (C1) `stage` is 0, 1, 2 or 3.
    - (C2) `type` is a floating-point type, and there is at least one segment.
    - (C3) every segment begins on a multiple of 128 bytes.
    - (C4) segments are in order and do not overlap.
    - (C5) `elements` is the end of the last segment.
    - (C6) every segment names a symbol, and no symbol twice.

    ```mlir
    zero.group @fc1 stage(3) elements(401920) type(f32) segments [#zero.segment<@"fc1.weight", 0, 401408>, #zero.segment<@"fc1.bias", 401408, 512>]
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    UnitAttr:$frozen,
    I64Attr:$stage,
    I64Attr:$elements,
    TypeAttr:$type,
    Zero_SegmentArrayAttr:$segments);
  let assemblyFormat = [{
    $sym_name (`frozen` $frozen^)? `stage` `(` $stage `)` `elements` `(` $elements `)`
    `type` `(` $type `)` `segments` $segments attr-dict
  }];
  let extraClassDeclaration = [{
    /// Every segment begins on a multiple of this many bytes, so that any
    /// vector load of a tensor is aligned on any target.
    static constexpr int64_t kAlignmentBytes = 128;
    /// The segments without casts at every use.
    auto getSegmentRange() { return getSegments().getAsRange<::dsc::zero::SegmentAttr>(); }
    int64_t getBytes();
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Parts: what this rank owns
//===----------------------------------------------------------------------===//

def Zero_ReadPartOp : Zero_Op<"read_part", [MemoryEffects<[MemRead]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Read this rank's part of a parameter or state";
  let description = [{
    The elements of `symbol` that lie in this rank's range of the group, flat
    and in storage order. Parts of all tensors of one segment (parameter,
    gradient, moments) have equal extent. A part may be empty.

    Constraints:
    - (C1) `symbol` exists.

    ```mlir
    %gradient = zero.read_part @"fc1.weight.grad" : tensor<?xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs Zero_Part:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

def Zero_WritePartOp : Zero_Op<"write_part", [MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Replace this rank's part of a parameter or state";
  let description = [{
    Constraints:
    - (C1) `symbol` exists.

    ```mlir
    zero.write_part @"fc1.weight", %updated : tensor<?xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, Zero_Part:$value);
  let assemblyFormat = "$symbol `,` $value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Collectives, value form
//===----------------------------------------------------------------------===//

def Zero_GatherOp : Zero_Op<"gather", [MemoryEffects<[MemRead, MemAlloc]>,
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getCollectiveName"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Assemble the whole tensors of a group from all ranks";
  let description = [{
    Reads the shard of every rank along `axis` and gives one whole tensor a
    segment, in the order of segments. The results live until `zero.release`.
    It reads memory and makes a buffer, so that neither CSE nor any other
    rewrite merges the gathers of forward and backward.

    Constraints:
    - (C1) `group` names a `zero.group`, and `axis` is a known axis (`@world`).
    - (C2) there is one result a segment, of the segment's element count and of
      the group's element type.

    ```mlir
    %weight, %bias = zero.gather @fc1 axis(@world) : tensor<512x784xf32>, tensor<512xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group, FlatSymbolRefAttr:$axis);
  let results = (outs Variadic<AnyStaticShapeTensor>:$tensors);
  let assemblyFormat = "$group `axis` `(` $axis `)` attr-dict `:` type($tensors)";
}

def Zero_ReleaseOp : Zero_Op<"release", [MemoryEffects<[MemFree]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "End the life of gathered tensors";
  let description = [{
    Nothing reads `tensors`, or a view of them, after this operation.

    Constraints:
    - (C1) `group` names a `zero.group`.
    - (C2) `tensors` are all results of one `zero.gather` or `zero.gather_await`
      of `group`, in order.

    ```mlir
    zero.release @fc1(%weight, %bias) : tensor<512x784xf32>, tensor<512xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group,
                       Variadic<AnyStaticShapeTensor>:$tensors);
  let assemblyFormat = "$group `(` $tensors `)` attr-dict `:` type($tensors)";
}

def Zero_ReduceScatterOp : Zero_Op<"reduce_scatter", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getCollectiveName"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Sum gradients over ranks into the shards of their group";
  let description = [{
    For every segment, sums the operand over the ranks along `axis` in rank
    order, and adds this rank's range of the sum to its gradient accumulator.

    Constraints:
    - (C1) `group` names a `zero.group` that is not frozen, and `axis` is a known
      axis (`@world`).
    - (C2) there is one operand a segment, of the segment's element count and of
      the group's element type.

    ```mlir
    zero.reduce_scatter @fc1(%weight_gradient, %bias_gradient) axis(@world) : tensor<512x784xf32>, tensor<512xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group,
                       Variadic<AnyStaticShapeTensor>:$gradients,
                       FlatSymbolRefAttr:$axis);
  let assemblyFormat = [{
    $group `(` $gradients `)` `axis` `(` $axis `)` attr-dict `:` type($gradients)
  }];
}

def Zero_AllReduceGradientsOp : Zero_Op<"all_reduce_gradients",
    [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getCollectiveName"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Sum the gradient accumulators of a group over ranks";
  let description = [{
    Replaces the whole gradient accumulators of the group by their sum over the
    ranks along `axis`, in rank order, on every rank.

    Constraints:
    - (C1) `group` names a `zero.group` that is not frozen and whose gradients
      are whole (`stage` 0 or 1), and `axis` is a known axis (`@world`).

    ```mlir
    zero.all_reduce_gradients @fc1 axis(@world)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group, FlatSymbolRefAttr:$axis);
  let assemblyFormat = "$group `axis` `(` $axis `)` attr-dict";
}

def Zero_ReduceGradientsOp : Zero_Op<"reduce_gradients",
    [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getCollectiveName"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Sum each rank's range of whole gradient accumulators";
  let description = [{
    Replaces this rank's range of the whole gradient accumulators of the group by
    its sum over the ranks along `axis`, in rank order. Outside of that range an
    accumulator keeps what this rank has added up itself, which is of no use to
    anybody, so that what follows reads parts.

    Constraints:
    - (C1) `group` names a `zero.group` that is not frozen and whose gradients,
      but not moments, are whole (`stage` 1), and `axis` is a known axis
      (`@world`).

    ```mlir
    zero.reduce_gradients @fc1 axis(@world)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group, FlatSymbolRefAttr:$axis);
  let assemblyFormat = "$group `axis` `(` $axis `)` attr-dict";
}

def Zero_RefreshOp : Zero_Op<"refresh", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<CollectiveOpInterface, ["getCollectiveName"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Bring whole parameters up to date after ranks changed parts";
  let description = [{
    Every rank holds the parameters of the group whole and has changed its part
    of them. Each part replaces what the other ranks have in its place.

    Constraints:
    - (C1) `group` names a `zero.group` that is not frozen and whose parameters,
      but not moments, are whole (`stage` 1 or 2), and `axis` is a known axis
      (`@world`).

    ```mlir
    zero.refresh @fc1 axis(@world)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group, FlatSymbolRefAttr:$axis);
  let assemblyFormat = "$group `axis` `(` $axis `)` attr-dict";
}

def Zero_AllReduceOp : Zero_Op<"all_reduce", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<CollectiveOpInterface,
        ["getCollectiveName", "getCollectiveGroup", "getPayloadBytes"]>,
    RangedTypesMatchWith<"each result has the type of its operand", "values",
                         "sums", "$_self">]> {
  let summary = "Sum values over ranks";
  let description = [{
    Sums every operand over the ranks along `axis`, in rank order. Several
    values travel in one message.

    Constraints:
    - (C1) `axis` is a known axis (`@world`).
    - (C2) there is at least one operand, and each result has the type of its
      operand.

    ```mlir
    %loss, %weight = zero.all_reduce(%local_loss, %local_weight) axis(@world) : tensor<f64>, tensor<f64>
    ```
  }];
  let arguments = (ins Variadic<Zero_FloatTensor>:$values, FlatSymbolRefAttr:$axis);
  let results = (outs Variadic<Zero_FloatTensor>:$sums);
  let assemblyFormat = [{
    `(` $values `)` `axis` `(` $axis `)` attr-dict `:` type($values)
  }];
  let hasVerifier = 1;
}

include "dialects/zero/ZeroAsyncOps.td"
include "dialects/zero/ZeroTransferOps.td"

#endif // DSC_DIALECTS_ZERO_ZEROOPS_TD

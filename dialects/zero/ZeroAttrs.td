#ifndef DSC_DIALECTS_ZERO_ZEROATTRS_TD
#define DSC_DIALECTS_ZERO_ZEROATTRS_TD

include "dialects/zero/ZeroDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"

def Zero_SegmentAttr : AttrDef<Zero_Dialect, "Segment"> {
  let mnemonic = "segment";
  let summary = "Place a tensor in the flat space of its group";
  let description = [{
    `tensor` occupies `elements` elements of the group's flat space from
    `offset` on, in storage order. The gradient and the optimizer moments of the
    tensor lie at the same place in flat spaces of their own.

    Constraints:
    - (C1) `offset` is not negative and `elements` is positive.

    ```mlir
    #zero.segment<@"fc1.bias", 401408, 512>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$tensor,
                        "int64_t":$offset, "int64_t":$elements);
  let assemblyFormat = "`<` $tensor `,` $offset `,` $elements `>`";
  let extraClassDeclaration = [{
    /// First element after the segment.
    int64_t getEnd() const { return getOffset() + getElements(); }
  }];
  let genVerifyDecl = 1;
}

def Zero_SegmentArrayAttr
    : TypedArrayAttrBase<Zero_SegmentAttr, "array of segments">;

#endif // DSC_DIALECTS_ZERO_ZEROATTRS_TD

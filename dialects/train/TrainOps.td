#ifndef DSC_DIALECTS_TRAIN_TRAINOPS_TD
#define DSC_DIALECTS_TRAIN_TRAINOPS_TD

include "dialects/train/TrainAttrs.td"
include "dialects/train/TrainDialect.td"
include "dialects/train/TrainEnums.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Symbols: what lives as long as the training run
//===----------------------------------------------------------------------===//

def Train_ParameterOp : Train_Op<"parameter", [Symbol]> {
  let summary = "Declare a tensor of the user's model";
  let description = [{
    One parameter under the name that the user's file gives it. `role` says who
    changes it, `reason` why it has that role; `dsc --params` shows both.
    `initial` is where its value comes from; absent means that no data is known
    yet, and the compiler asks for `--weights` or `--init`.

    `onnx_name` is set where the name in the ONNX file differs from the symbol,
    `storage` where the element type in the file differs from the computing one,
    and `ties` lists other tensors of the file that are written from this one
    on export (`"B"`, or `"B^T"` for its transpose).

    Constraints:
    - (C1) `type` has a static shape.
    - (C2) a `trainable` parameter has a floating-point element type.
    - (C3) a dense `initial` has the parameter's type.
    - (C4) a file `initial` has the byte size of the tensor in its storage type.

    ```mlir
    train.parameter @"fc1.weight" : tensor<512x784xf32> trainable("float initializer") from #train.file<"mlp.onnx", 1234, 1605632>
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<AnyRankedTensor>:$type,
    Train_ParameterRole:$role,
    StrAttr:$reason,
    OptionalAttr<AnyAttrOf<[Train_FileAttr, Train_InitAttr, ElementsAttr]>>:$initial,
    OptionalAttr<StrAttr>:$onnx_name,
    OptionalAttr<TypeAttr>:$storage,
    OptionalAttr<StrArrayAttr>:$ties);
  let assemblyFormat = [{
    $sym_name `:` $type $role `(` $reason `)` (`from` $initial^)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::RankedTensorType":$type,
                   "::dsc::train::ParameterRole":$role,
                   "::llvm::StringRef":$reason,
                   CArg<"::mlir::Attribute", "{}">:$initial)>
  ];
  let extraClassDeclaration = [{
    bool isTrainable() { return getRole() == ::dsc::train::ParameterRole::Trainable; }
    /// Element type of the parameter in its file.
    ::mlir::Type getStorageElementType();
  }];
  let hasVerifier = 1;
}

def Train_StateOp : Train_Op<"state", [Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Declare a tensor that training carries from step to step";
  let description = [{
    State starts as zero, or, for a setting, as `default_value` until the host
    writes another number. `parameter` names the parameter that the state
    belongs to; `help` is the sentence that the command line shows for a
    setting. An `offloaded` state lies outside of the memory in which entries
    compute: it is loaded before it is used, and stored behind.

    Constraints:
    - (C1) `gradient` and `moment` name a parameter; other kinds do not.
    - (C2) the parameter exists and has the shape of the state.
    - (C3) a state of another kind is a scalar.
    - (C4) a `setting`, and only a setting, has a default value and a help text.
    - (C5) `type` has a static shape.
    - (C6) only a `moment` is offloaded.

    ```mlir
    train.parameter @"fc1.weight" : tensor<512x784xf32> trainable("float initializer")
    train.state @"fc1.weight.exp_avg" : tensor<512x784xf32> moment of @"fc1.weight" offloaded
    train.state @"fc1.weight.grad" : tensor<512x784xf32> gradient of @"fc1.weight"
    train.state @dsc.lr : tensor<f64> setting = 1.000000e-03 "learning rate"
    train.state @dsc.applied_steps : tensor<i64> counter
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<AnyRankedTensor>:$type,
    Train_StateKind:$kind,
    OptionalAttr<FlatSymbolRefAttr>:$parameter,
    OptionalAttr<F64Attr>:$default_value,
    OptionalAttr<StrAttr>:$help,
    UnitAttr:$offloaded);
  let assemblyFormat = [{
    $sym_name `:` $type $kind (`of` $parameter^)? (`offloaded` $offloaded^)?
    (`=` $default_value^ $help)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::RankedTensorType":$type,
                   "::dsc::train::StateKind":$kind)>,
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::RankedTensorType":$type,
                   "::dsc::train::StateKind":$kind,
                   "::llvm::StringRef":$parameter)>,
    OpBuilder<(ins "::llvm::StringRef":$name, "double":$defaultValue,
                   "::llvm::StringRef":$help)>
  ];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Access: how an entry point reads and changes symbols
//===----------------------------------------------------------------------===//

def Train_ReadOp : Train_Op<"read", [MemoryEffects<[MemRead]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Read a parameter or a state";
  let description = [{
    The value of the symbol at this point of the entry's list of operations.

    Constraints:
    - (C1) `symbol` names a `train.parameter` or a `train.state`.
    - (C2) the result has the symbol's type.

    ```mlir
    train.parameter @"fc1.weight" : tensor<512x784xf32> trainable("float initializer")
    %w = train.read @"fc1.weight" : tensor<512x784xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

def Train_WriteOp : Train_Op<"write", [MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Replace a parameter or a state";
  let description = [{
    Constraints:
    - (C1) `symbol` names a `train.parameter` or a `train.state`.
    - (C2) `value` has the symbol's type.
    - (C3) a written parameter is `trainable`.
    - (C4) a `setting` is never written: it belongs to the host.

    ```mlir
    train.parameter @"fc1.weight" : tensor<512x784xf32> trainable("float initializer")
    train.write @"fc1.weight", %updated : tensor<512x784xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, AnyRankedTensor:$value);
  let assemblyFormat = "$symbol `,` $value attr-dict `:` type($value)";
}

def Train_AccumulateOp : Train_Op<"accumulate", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Add a value to an accumulator or a counter";
  let description = [{
    `symbol += value`, on this rank. Accumulations into one symbol keep their
    program order. A counter counts in this way what happens outside of
    `update`, such as micro-batches.

    Constraints:
    - (C1) `symbol` names a `train.state` of kind `accumulator` or `counter`.
    - (C2) `value` has the symbol's type.

    ```mlir
    train.state @dsc.loss_sum : tensor<f64> accumulator
    train.accumulate @dsc.loss_sum, %sum : tensor<f64>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, AnyRankedTensor:$value);
  let assemblyFormat = "$symbol `,` $value attr-dict `:` type($value)";
}

def Train_GradientOp : Train_Op<"gradient", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Add to the gradient of a parameter";
  let description = [{
    The gradient of the loss of this micro-batch by one trained parameter, or by
    one use of it. It adds into the parameter's gradient state; contributions to
    one parameter keep their program order. Where and when they are summed over
    ranks is decided by the partition stage.

    Constraints:
    - (C1) `parameter` names a trainable `train.parameter`.
    - (C2) `value` has the parameter's type.

    ```mlir
    train.parameter @"fc1.weight" : tensor<512x784xf32> trainable("float initializer")
    train.gradient @"fc1.weight", %gw : tensor<512x784xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, AnyRankedTensor:$value);
  let assemblyFormat = "$parameter `,` $value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

def Train_EntryOp : Train_Op<"entry", [IsolatedFromAbove, FunctionOpInterface,
    SingleBlock,
    // Names arguments after the user's inputs in printed IR.
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Define one entry point of the module";
  let description = [{
    A straight list of operations without branches, so that it is one list of
    launches and collectives, with one hash, on every rank. Arguments are inputs
    that the host feeds; results are outputs that the host may read.

    Argument attributes: `dsc.name` (the input's name), `dsc.role` (`data`,
    `labels`, `target` or `sample_weight`), on labels `dsc.classes`,
    `dsc.ignore_index` and, where a position is held against the next label,
    `dsc.shift` = 1, and `dsc.index_limit` = n on an input whose elements must
    be in [-n, n), since they index a table of n rows. Results carry `dsc.name`.

    Constraints:
    - (C1) every argument and result is a ranked tensor and has a `dsc.name`.
    - (C2) `update` has neither arguments nor results; `layer_norms` and
      `debug_update` have no arguments; `step` and `step_last` have no results.
    - (C3) `train.gradient` stands only in `step` and `step_last`,
      `train.write` only in `update`.
    - (C4) the last operation is `train.return`.

    ```mlir
    train.entry @eval(%x: tensor<64x784xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<64x784xf32> {dsc.name = "y"}) kind(eval) {
      train.return %x : tensor<64x784xf32>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    Train_EntryKind:$kind,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // Creates the entry block with one argument per input.
    OpBuilder<(ins "::llvm::StringRef":$name, "::dsc::train::EntryKind":$kind,
                   CArg<"::mlir::FunctionType">:$type,
                   CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$argAttrs,
                   CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$resAttrs)>
  ];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// True for `step` and `step_last`.
    bool isStep();
    bool worksOnParts() { return ::dsc::train::worksOnParts(getKind()); }
  }];
  let hasRegionVerifier = 1;
}

def Train_ReturnOp : Train_Op<"return", [Pure, Terminator, ReturnLike,
    HasParent<"EntryOp">]> {
  let summary = "End an entry point";
  let description = [{
    Constraints:
    - (C1) the operands have the result types of the enclosing entry.

    ```mlir
    train.entry @forward(%x: tensor<64x10xf32> {dsc.name = "x"}) -> (tensor<64x10xf32> {dsc.name = "y"}) kind(forward) {
      train.return %x : tensor<64x10xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::ValueRange());
  }]>];
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_TRAIN_TRAINOPS_TD

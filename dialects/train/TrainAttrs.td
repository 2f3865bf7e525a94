#ifndef DSC_DIALECTS_TRAIN_TRAINATTRS_TD
#define DSC_DIALECTS_TRAIN_TRAINATTRS_TD

include "dialects/train/TrainDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class Train_Attr<string name, string attrMnemonic>
    : AttrDef<Train_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Train_FileAttr : Train_Attr<"File", "file"> {
  let summary = "Name a range of bytes in a file";
  let description = [{
    The initial value of a parameter as it lies in a file: row-major, little
    endian, in the parameter's storage type. Weights never enter the MLIR
    context, so that printing a module of any size stays cheap.

    Constraints:
    - (C1) `path` is not empty.
    - (C2) `offset` and `bytes` are not negative.

    ```mlir
    #train.file<"mlp.onnx", 1234, 1605632>
    ```
  }];
  let parameters = (ins StringRefParameter<"file that holds the bytes">:$path,
                        "int64_t":$offset, "int64_t":$bytes);
  let assemblyFormat = "`<` $path `,` $offset `,` $bytes `>`";
  let genVerifyDecl = 1;
}

def Train_InitAttr : Train_Attr<"Init", "init"> {
  let summary = "Fill a parameter by rule";
  let description = [{
    The initial value of a parameter that no file holds. Random rules draw from
    a counter-based generator over the logical element index, so the value does
    not depend on the number of ranks. `rule` and its arguments:

    | rule | arguments |
    |---|---|
    | `zeros`, `ones`, `xavier`, `kaiming` | none |
    | `normal` | standard deviation, positive |
    | `uniform` | lower bound, upper bound |

    Constraints:
    - (C1) `rule` is one of the above.
    - (C2) the number of `args` is that of the rule.

    ```mlir
    #train.init<"normal", [2.000000e-02], 7>
    ```
  }];
  let parameters = (ins StringRefParameter<"name of the rule">:$rule,
                        "::mlir::DenseF64ArrayAttr":$args,
                        "uint64_t":$seed);
  let assemblyFormat = "`<` $rule `,` $args `,` $seed `>`";
  let genVerifyDecl = 1;
}

#endif // DSC_DIALECTS_TRAIN_TRAINATTRS_TD

#ifndef DSC_DIALECTS_EXEC_EXECATTRS_TD
#define DSC_DIALECTS_EXEC_EXECATTRS_TD

include "dialects/exec/ExecDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

// Stored as integers and printed as bare keywords.
class Exec_Enum<string name, string summary, list<I32EnumAttrCase> cases> :
    I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::dsc::exec";
}

def Exec_StreamAttr : Exec_Enum<"Stream", "queue in which work runs in order", [
    I32EnumAttrCase<"Compute", 0, "compute">,
    I32EnumAttrCase<"Communication", 1, "communication">,
    I32EnumAttrCase<"Transfer", 2, "transfer">]>;

def Exec_StateClassAttr : Exec_Enum<"StateClass", "what a state is for", [
    I32EnumAttrCase<"Parameter", 0, "parameter">,
    I32EnumAttrCase<"Gradient", 1, "gradient">,
    I32EnumAttrCase<"Optimizer", 2, "optimizer">,
    I32EnumAttrCase<"Scalar", 3, "scalar">,
    I32EnumAttrCase<"Staging", 4, "staging">]>;

def Exec_ProgramKindAttr : Exec_Enum<"ProgramKind", "when a program runs", [
    I32EnumAttrCase<"Step", 0, "step">,
    I32EnumAttrCase<"StepLast", 1, "step_last">,
    I32EnumAttrCase<"Update", 2, "update">,
    I32EnumAttrCase<"Eval", 3, "eval">,
    I32EnumAttrCase<"Forward", 4, "forward">,
    I32EnumAttrCase<"LayerNorms", 5, "layer_norms">,
    I32EnumAttrCase<"Debug", 6, "debug">,
    I32EnumAttrCase<"DebugUpdate", 7, "debug_update">]>;

def Exec_SegmentAttr : AttrDef<Exec_Dialect, "Segment"> {
  let mnemonic = "segment";
  let summary = "a tensor's place in the flat space of its group";
  let description = [{
    The tensor's first element lies at `offset`; both numbers count elements.
    Example: `#exec.segment<@"fc1.weight", 0, 401408>`.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$tensor,
                        "int64_t":$offset, "int64_t":$elements);
  let assemblyFormat = "`<` $tensor `,` $offset `,` $elements `>`";
}

#endif // DSC_DIALECTS_EXEC_EXECATTRS_TD

#ifndef DSC_DIALECTS_EXEC_EXECDIALECT_TD
#define DSC_DIALECTS_EXEC_EXECDIALECT_TD

include "mlir/IR/OpBase.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let cppNamespace = "::dsc::exec";
  let summary = "The step as a list of runtime calls on streams over an arena";
  let description = [{
    `exec` is the last form of a module before target code: one op a kernel
    launch, library call or collective, on explicit streams that are ordered by
    explicit events. Memory is a view: a byte range of the arena whose offset
    the memory plan fixed, a row of the state table, or an input of the caller.
    No op allocates, branches or computes on its own, so that lowering to the C
    ABI is a table.

    Levels and lifetimes are described in README.md.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Exec_Op<string mnemonic, list<Trait> traits = []> :
    Op<Exec_Dialect, mnemonic, traits>;

#endif // DSC_DIALECTS_EXEC_EXECDIALECT_TD

#ifndef DSC_CODEGEN_HOST_PASSES
#define DSC_CODEGEN_HOST_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Host: kernels and programs to the LLVM dialect and the C ABI of the runtime
//===----------------------------------------------------------------------===//

def EmitManifestPass : Pass<"host-emit-manifest", "::mlir::ModuleOp"> {
  let summary = "Describe the module in JSON, as data of the module";
  let description = [{
    Expects `exec` form. Adds the constants `dsc_manifest` (section
    `.dsc.manifest`, one JSON document), `dsc_manifest_size` and
    `dsc_abi_version`: what the runtime and `dsc export` know about a module.
    States, groups, parameters, settings and entries come from the `exec`
    operations, the rest from the options.
  }];
  let options = [
    Option<"triple", "triple", "std::string", "", "target triple">,
    Option<"cpu", "cpu", "std::string", "", "CPU that the code is for">,
    Option<"features", "features", "std::string", "",
           "features that the CPU must have, as LLVM writes them">,
    Option<"model", "model", "std::string", "", "name of the model's file">,
    Option<"weights", "weights", "std::string", "",
           "name of the weights' file beside the module, empty: none">,
    Option<"optimizer", "optimizer", "std::string", "", "optimizer">,
    Option<"loss", "loss", "std::string", "", "loss, as the user wrote it">,
    Option<"precision", "precision", "std::string", "\"f32\"",
           "precision policy">,
    Option<"zeroStage", "zero-stage", "int64_t", "0", "0 to 3">,
    Option<"maxWorld", "max-world", "int64_t", "1024", "largest rank count">,
    ListOption<"compileOptions", "options", "std::string",
               "NAME=VALUE of each option that the user gave">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def WrapKernelsPass : Pass<"host-wrap-kernels", "::mlir::ModuleOp"> {
  let summary = "Give each kernel the signature that the runtime calls";
  let description = [{
    Expects kernels as `kernel-tile-grid` leaves them. The kernel's loops move
    to `@NAME_body`, which takes bare pointers, and `@NAME` unpacks the slots
    that the runtime hands over:

    ```mlir
    llvm.func internal @k(%slots: !llvm.ptr, %begin: i64, %end: i64)
    func.func private @k_body(%a: !llvm.ptr {llvm.noalias}, ..., i64, i64)
    ```

    A buffer takes a slot for its pointer and one for each `?` extent, operands
    first, then results that have no operand's buffer. No two arguments alias:
    a result in place has no argument of its own.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def ConvertExecToLLVMPass
    : Pass<"host-convert-exec-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn programs into functions that call the runtime";
  let description = [{
    Expects `exec` form with wrapped kernels. Each `exec.program` becomes
    `llvm.func @dsc_entry_NAME(%context: !llvm.ptr)`, each of its operations one
    call of a function of `runtime/abi/dsrt_functions.def`. The state table and
    the groups vanish; they live on in the manifest. No `exec` operation is left.

    A long program becomes several internal functions that the entry calls in
    order: parts of LLVM's code generator take quadratic time in the length of a
    function, and the program of a deep model is thousands of calls long. A view
    is written anew by each operation that uses it, for the same reason.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"longestBody", "longest-body", "unsigned", "256",
           "Operations of one function, at most (default: 256)">
  ];
}

#endif // DSC_CODEGEN_HOST_PASSES

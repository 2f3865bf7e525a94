"""The lit suite: passes, dialects, code generation and the tools' messages.

DSC_ROUNDTRIP=1 in the environment also sends the input of every dsc-opt run
through text and bytecode and compares.
"""

import os

import lit.formats
from lit.llvm import llvm_config

config.name = "dsc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".onnxtxt"]
config.excludes = ["Inputs", "lit.cfg.py", "lit.site.cfg.py.in"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.dsc_binary_dir, "test", "lit")

tools = os.path.join(config.dsc_binary_dir, "bin")
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", tools, append_path=True)

opt = os.path.join(tools, "dsc-opt")
if os.environ.get("DSC_ROUNDTRIP"):
    opt += " --verify-roundtrip"
config.substitutions += [
    ("%dsc-opt", opt),
    ("%dsc", os.path.join(tools, "dsc")),
    ("%python", config.dsc_python),
    ("%project", config.dsc_source_dir),
    (
        "%onnx-from-text",
        f"{config.dsc_python} {config.dsc_source_dir}/test/lit/onnx_from_text.py",
    ),
]

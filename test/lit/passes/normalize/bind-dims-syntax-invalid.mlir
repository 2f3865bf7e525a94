// RUN: not dsc-opt %s --pass-pipeline='builtin.module(normalize-bind-dims{bind=n})' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not dsc-opt %s --pass-pipeline='builtin.module(normalize-bind-dims{bind=n=0})' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not dsc-opt %s --pass-pipeline='builtin.module(normalize-bind-dims{bind=n=2xy})' 2>&1 | FileCheck %s --check-prefix=LETTER
// RUN: not dsc-opt %s --pass-pipeline='builtin.module(normalize-bind-dims{bind=n=2,n=3})' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not dsc-opt %s --pass-pipeline='builtin.module(normalize-bind-dims{bind=n=9999999999999999})' 2>&1 | FileCheck %s --check-prefix=HUGE

// What the user may get wrong in one binding.
// FORM: --bind 'n': is not of the form NAME=SIZE or INPUT=AxBxC
// ZERO: --bind 'n=0': '0' is not a positive size
// LETTER: --bind 'n=2xy': 'y' is not a positive size
// TWICE: --bind 'n=3': dim 'n' is already bound to 2
// HUGE: is too large to address once its dims are bound
func.func @forward(%x: tensor<?xf32> {dsc.name = "x", dsc.dims = ["n"]}) {
  return
}

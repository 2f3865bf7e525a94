// RUN: not dsc-opt %s -dsc-partition="zero=1" 2>&1 | FileCheck %s --check-prefix=STAGE1
// RUN: not dsc-opt %s -dsc-partition="zero=2" 2>&1 | FileCheck %s --check-prefix=STAGE1
// RUN: not dsc-opt %s -dsc-partition="zero=4" 2>&1 | FileCheck %s --check-prefix=STAGE4
// RUN: not dsc-opt %s -dsc-partition="group-bytes=0" 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not dsc-opt %s -dsc-partition="max-world=-1" 2>&1 | FileCheck %s --check-prefix=WORLD

// An option that cannot be honoured is an error.

// STAGE1: error: -zero=1 and -zero=2 are not available yet; use 0 or 3
// STAGE4: error: -zero=4 is not a ZeRO stage; use 0 or 3
// BYTES: error: the byte bound of a group is 0, but must be positive
// WORLD: error: -max-world=-1 is not positive
train.parameter @a : tensor<4xf32> trainable("")

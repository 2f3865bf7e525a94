// RUN: not dsc-opt %s -dsc-partition="zero=4" 2>&1 | FileCheck %s --check-prefix=STAGE4
// RUN: not dsc-opt %s -dsc-partition="zero=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not dsc-opt %s -dsc-partition="group-bytes=0" 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not dsc-opt %s -dsc-partition="max-world=-1" 2>&1 | FileCheck %s --check-prefix=WORLD
// RUN: not dsc-opt %s -dsc-partition="persistence-threshold=-2" 2>&1 | FileCheck %s --check-prefix=PERSIST
// RUN: not dsc-opt %s -dsc-partition="bucket-elements=-1" 2>&1 | FileCheck %s --check-prefix=BUCKET

// An option that cannot be honoured is an error.

// STAGE4: error: -zero=4 is not a ZeRO stage; use 0, 1, 2 or 3
// NEGATIVE: error: -zero=-1 is not a ZeRO stage; use 0, 1, 2 or 3
// BYTES: error: the byte bound of a group is 0, but must be positive
// WORLD: error: -max-world=-1 is not positive
// PERSIST: error: -persistence-threshold=-2 is negative
// BUCKET: error: -bucket-size=-1 is negative
train.parameter @a : tensor<4xf32> trainable("")

// RUN: dsc-opt %s -partition-form-groups="stage=3 persistence-threshold=4 group-bytes=40" -split-input-file | FileCheck %s
// RUN: dsc-opt %s -partition-form-groups="stage=3 group-bytes=40" -split-input-file | FileCheck %s --check-prefix=OFF
// RUN: dsc-opt %s -partition-form-groups="stage=2 persistence-threshold=4 group-bytes=40" -split-input-file | FileCheck %s --check-prefix=STAGE2

// Parameters of at most so many elements stay whole: they are of stage 2 and
// share a group, whatever their layer. Frozen ones have their own.

train.parameter @"h.0.weight" : tensor<5xf32> trainable("")
train.parameter @"h.0.bias" : tensor<4xf32> trainable("")
train.parameter @"h.0.shift" : tensor<2xf32> frozen("")
train.parameter @"h.1.weight" : tensor<5xf32> trainable("")
train.parameter @"h.1.bias" : tensor<f32> trainable("")
// CHECK: zero.group @h.0 stage(3) elements(5) type(f32) segments [#zero.segment<@h.0.weight, 0, 5>]
// CHECK: zero.group @persistent0 stage(2) elements(33) type(f32) segments [#zero.segment<@h.0.bias, 0, 4>, #zero.segment<@h.1.bias, 32, 1>]
// CHECK: zero.group @persistent1.frozen frozen stage(2) elements(2) type(f32) segments [#zero.segment<@h.0.shift, 0, 2>]
// CHECK: zero.group @h.1 stage(3) elements(5)
// OFF-COUNT-3: zero.group @h.{{.*}} stage(3)
// OFF-NOT: persistent
// STAGE2-NOT: persistent
// STAGE2: zero.group @h.1 stage(2) elements(33)

// -----

// The byte bound holds for them, too.

train.parameter @a : tensor<4xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
train.parameter @c : tensor<4xf32> trainable("")
// CHECK: zero.group @persistent0 stage(2) elements(36) type(f32) segments [#zero.segment<@a, 0, 4>, #zero.segment<@b, 32, 4>]
// CHECK: zero.group @persistent1 stage(2) elements(4) type(f32) segments [#zero.segment<@c, 0, 4>]

// -----

// What is left to be cut makes two groups, as without persistence, so that one
// can be released while the other is in use.

train.parameter @a : tensor<5xf32> trainable("")
train.parameter @b : tensor<3xf32> trainable("")
train.parameter @c : tensor<5xf32> trainable("")
// CHECK: zero.group @group0 stage(3) elements(5) type(f32) segments [#zero.segment<@a, 0, 5>]
// CHECK: zero.group @group1 stage(3) elements(5) type(f32) segments [#zero.segment<@c, 0, 5>]
// CHECK: zero.group @persistent0 stage(2) elements(3) type(f32) segments [#zero.segment<@b, 0, 3>]

// -----

// A tied tensor is a group of its own, also if it stays whole.

train.parameter @"h.0.wte" : tensor<4xf32> trainable("") {ties = ["head"]}
train.parameter @"h.0.weight" : tensor<5xf32> trainable("")
// CHECK: zero.group @h.0.wte.group stage(2) elements(4) type(f32) segments [#zero.segment<@h.0.wte, 0, 4>]
// CHECK: zero.group @h.0 stage(3) elements(5)

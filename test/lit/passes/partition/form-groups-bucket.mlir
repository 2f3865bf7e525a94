// RUN: dsc-opt %s -partition-form-groups="stage=3 bucket-elements=9" | FileCheck %s
// RUN: dsc-opt %s -partition-form-groups="stage=3 bucket-elements=9 persistence-threshold=2" | FileCheck %s --check-prefix=WHOLE
// RUN: dsc-opt %s -partition-form-groups="stage=3" | FileCheck %s --check-prefix=OFF

// A layer closes before its group passes the bound, so that one collective
// moves no more elements; a tensor above the bound is alone.

train.parameter @"h.0.a" : tensor<4xf32> trainable("")
train.parameter @"h.0.b" : tensor<5xf32> trainable("")
train.parameter @"h.0.c" : tensor<1xf32> trainable("")
train.parameter @"h.1.a" : tensor<100xf32> trainable("")
// CHECK: zero.group @h.0 stage(3) elements(37) type(f32) segments [#zero.segment<@h.0.a, 0, 4>, #zero.segment<@h.0.b, 32, 5>]
// CHECK: zero.group @h.0.group stage(3) elements(1) type(f32) segments [#zero.segment<@h.0.c, 0, 1>]
// CHECK: zero.group @h.1 stage(3) elements(100) type(f32) segments [#zero.segment<@h.1.a, 0, 100>]
// WHOLE: zero.group @h.0 stage(3) elements(37)
// WHOLE: zero.group @persistent0 stage(2) elements(1) type(f32) segments [#zero.segment<@h.0.c, 0, 1>]
// OFF: zero.group @h.0 stage(3) elements(65)
// OFF: zero.group @h.1 stage(3) elements(100)

// RUN: dsc-opt %s -partition-form-groups="stage=0 group-bytes=32 max-world=8" | FileCheck %s

// A group of tensors without a layer closes before it passes the byte bound; a
// tensor above the bound is alone.

// CHECK: module attributes {zero.max_world = 8 : i64}
train.parameter @a : tensor<4xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
train.parameter @c : tensor<4xf32> trainable("")
train.parameter @d : tensor<100xf32> trainable("")
// CHECK: zero.group @group0 stage(0) elements(36) type(f32) segments [#zero.segment<@a, 0, 4>, #zero.segment<@b, 32, 4>]
// CHECK: zero.group @group1 stage(0) elements(4) type(f32) segments [#zero.segment<@c, 0, 4>]
// CHECK: zero.group @group2 stage(0) elements(100) type(f32) segments [#zero.segment<@d, 0, 100>]

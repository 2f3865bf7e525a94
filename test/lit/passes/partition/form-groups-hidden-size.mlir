// RUN: dsc-opt %s -partition-form-groups="stage=3 persistence-threshold=-1" | FileCheck %s

// -1 stands for ten times the size over which most products add: here 2, which
// occurs twice, so that tensors of up to 20 elements stay whole.

train.parameter @"h.0.a" : tensor<20xf32> trainable("")
train.parameter @"h.0.b" : tensor<21xf32> trainable("")
train.entry @eval(%x: tensor<3x2xf32> {dsc.name = "x"}, %y: tensor<2x4xf32> {dsc.name = "y"}, %z: tensor<4x2xf32> {dsc.name = "z"}) kind(eval) {
  %0 = nn.matmul %x, %y : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  %1 = nn.matmul transpose_a transpose_b %y, %x : (tensor<2x4xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
  %2 = nn.matmul %0, %z : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  train.return
}
// CHECK: zero.group @persistent0 stage(2) elements(20) type(f32) segments [#zero.segment<@h.0.a, 0, 20>]
// CHECK: zero.group @h.0 stage(3) elements(21)

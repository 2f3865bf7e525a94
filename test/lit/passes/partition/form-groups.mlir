// RUN: dsc-opt %s -partition-form-groups="stage=3" -split-input-file | FileCheck %s

// Tensors of one layer form a group in the order of their first use in `step`;
// each begins on 128 bytes. The largest world is recorded with them.

// CHECK: module attributes {zero.max_world = 1024 : i64}
train.parameter @"fc2.weight" : tensor<3x8xf32> trainable("")
train.parameter @"fc1.bias" : tensor<9xf32> trainable("")
train.parameter @"fc1.weight" : tensor<8x4xf32> trainable("")
// CHECK: zero.group @fc1 stage(3) elements(41) type(f32) segments [#zero.segment<@fc1.weight, 0, 32>, #zero.segment<@fc1.bias, 32, 9>]
// CHECK: zero.group @fc2 stage(3) elements(24) type(f32) segments [#zero.segment<@fc2.weight, 0, 24>]
// CHECK: train.entry
train.entry @step() kind(step) {
  %b1 = train.read @"fc1.bias" : tensor<9xf32>
  %w2 = train.read @"fc2.weight" : tensor<3x8xf32>
  %w1 = train.read @"fc1.weight" : tensor<8x4xf32>
  train.gradient @"fc1.weight", %w1 : tensor<8x4xf32>
  train.gradient @"fc1.bias", %b1 : tensor<9xf32>
  train.gradient @"fc2.weight", %w2 : tensor<3x8xf32>
  train.return
}

// -----

// Frozen tensors and other element types have groups of their own; buffers and
// empty tensors have none.

train.parameter @"h.0.weight" : tensor<4xf32> trainable("")
train.parameter @"h.0.scale" : tensor<4xf32> frozen("")
train.parameter @"h.0.double" : tensor<4xf64> trainable("")
train.parameter @"h.0.mask" : tensor<4xf32> buffer("")
train.parameter @"h.0.empty" : tensor<0xf32> trainable("")
// CHECK: zero.group @h.0 stage(3) elements(4) type(f32) segments [#zero.segment<@h.0.weight, 0, 4>]
// CHECK: zero.group @h.0.frozen frozen stage(3) elements(4) type(f32) segments [#zero.segment<@h.0.scale, 0, 4>]
// CHECK: zero.group @h.0.group stage(3) elements(4) type(f64) segments [#zero.segment<@h.0.double, 0, 4>]
// CHECK-NOT: zero.group

// -----

// A layer is the longest prefix that ends in a number before a separator. A
// number inside of a word or at the very end names no layer, and neighbours
// without one share a group until a layer comes between.

train.parameter @"conv2d.weight" : tensor<4xf32> trainable("")
train.parameter @"W_12" : tensor<4xf32> trainable("")
train.parameter @"h.11.mlp.fc2.weight" : tensor<4xf32> trainable("")
train.parameter @"head" : tensor<4xf32> trainable("")
// CHECK: zero.group @group0 stage(3) elements(36) type(f32) segments [#zero.segment<@conv2d.weight, 0, 4>, #zero.segment<@W_12, 32, 4>]
// CHECK: zero.group @h.11.mlp.fc2 stage(3) elements(4) type(f32) segments [#zero.segment<@h.11.mlp.fc2.weight, 0, 4>]
// CHECK: zero.group @group1 stage(3) elements(4) type(f32) segments [#zero.segment<@head, 0, 4>]

// -----

// Without layers there are two groups at least, so that one can be released
// while the other is in use.

train.parameter @a : tensor<4xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
train.parameter @c : tensor<4xf32> trainable("")
// CHECK: zero.group @group0 stage(3) elements(4) type(f32) segments [#zero.segment<@a, 0, 4>]
// CHECK: zero.group @group1 stage(3) elements(36) type(f32) segments [#zero.segment<@b, 0, 4>, #zero.segment<@c, 32, 4>]

// -----

// The forward pass uses the embedding again after another layer: it is a group
// of its own, whatever its name.

train.parameter @"h.0.wte" : tensor<4xf32> trainable("")
train.parameter @"h.0.bias" : tensor<4xf32> trainable("")
train.parameter @"h.1.weight" : tensor<4xf32> trainable("")
// CHECK: zero.group @h.0.wte.group stage(3) elements(4) type(f32) segments [#zero.segment<@h.0.wte, 0, 4>]
// CHECK: zero.group @h.0 stage(3) elements(4) type(f32) segments [#zero.segment<@h.0.bias, 0, 4>]
// CHECK: zero.group @h.1 stage(3)
train.entry @eval() -> (tensor<4xf32> {dsc.name = "a"}, tensor<4xf32> {dsc.name = "b"}, tensor<4xf32> {dsc.name = "c"}, tensor<4xf32> {dsc.name = "d"}) kind(eval) {
  %e = train.read @"h.0.wte" : tensor<4xf32>
  %b = train.read @"h.0.bias" : tensor<4xf32>
  %w = train.read @"h.1.weight" : tensor<4xf32>
  train.return %e, %b, %w, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A layer's name may be that of a tensor.

train.parameter @"fc.1" : tensor<4xf32> trainable("")
train.parameter @"fc.1.bias" : tensor<4xf32> trainable("")
// CHECK: zero.group @group0 stage(3) elements(4) type(f32) segments [#zero.segment<@fc.1, 0, 4>]
// CHECK: zero.group @fc.1.group stage(3) elements(4) type(f32) segments [#zero.segment<@fc.1.bias, 0, 4>]

// -----

// A tied tensor is a group of its own even where all uses are neighbours, as in
// a model of one layer.

train.parameter @"h.0.wte" : tensor<4xf32> trainable("") {ties = ["head"]}
train.parameter @"h.0.bias" : tensor<4xf32> trainable("")
// CHECK: zero.group @h.0.wte.group stage(3) elements(4) type(f32) segments [#zero.segment<@h.0.wte, 0, 4>]
// CHECK: zero.group @h.0 stage(3) elements(4) type(f32) segments [#zero.segment<@h.0.bias, 0, 4>]

// -----

// An exporter dropped the names of weights that it transposed. Import proposed
// what they were, which tells their layer; without that, such a name is none.

train.parameter @"onnx::MatMul_499" : tensor<4xf32> trainable("") {dsc.likely_name = "h.0.fc.weight^T"}
train.parameter @"h.0.fc.bias" : tensor<4xf32> trainable("")
train.parameter @"onnx::MatMul_500" : tensor<4xf32> trainable("")
// CHECK: zero.group @h.0 stage(3) elements(36) type(f32) segments [#zero.segment<@"onnx::MatMul_499", 0, 4>, #zero.segment<@h.0.fc.bias, 32, 4>]
// CHECK: zero.group @group0 stage(3) elements(4) type(f32) segments [#zero.segment<@"onnx::MatMul_500", 0, 4>]

// -----

// Tensors of any size, also without dims, lie in the space of their layer.

train.parameter @"h.0.scale" : tensor<f32> trainable("")
train.parameter @"h.0.one" : tensor<1xf32> trainable("")
train.parameter @"h.0.two" : tensor<2xf32> trainable("")
train.parameter @"h.0.seven" : tensor<7xf32> trainable("")
// CHECK: zero.group @h.0 stage(3) elements(103) type(f32) segments [#zero.segment<@h.0.scale, 0, 1>, #zero.segment<@h.0.one, 32, 1>, #zero.segment<@h.0.two, 64, 2>, #zero.segment<@h.0.seven, 96, 7>]

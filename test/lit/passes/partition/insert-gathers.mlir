// RUN: dsc-opt %s -partition-insert-gathers -split-input-file | FileCheck %s

// What forward and backward both use is gathered in each of them, just before
// its first use, and released just after its last. The last layer is used in
// one run, with nothing of another layer in between.

train.parameter @"fc1.weight" : tensor<4x4xf32> trainable("")
train.parameter @"fc1.bias" : tensor<4x4xf32> trainable("")
train.parameter @"fc2.weight" : tensor<4x4xf32> trainable("")
zero.group @fc1 stage(3) elements(48) type(f32) segments [#zero.segment<@"fc1.weight", 0, 16>, #zero.segment<@"fc1.bias", 32, 16>]
zero.group @fc2 stage(3) elements(16) type(f32) segments [#zero.segment<@"fc2.weight", 0, 16>]
// CHECK-LABEL: train.entry @step
train.entry @step(%x: tensor<4x4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  // CHECK-NOT: train.read
  %w1 = train.read @"fc1.weight" : tensor<4x4xf32>
  %b1 = train.read @"fc1.bias" : tensor<4x4xf32>
  %w2 = train.read @"fc2.weight" : tensor<4x4xf32>
  // CHECK: %[[FC1:.*]]:2 = zero.gather @fc1 axis(@world) : tensor<4x4xf32>, tensor<4x4xf32>
  // CHECK-NEXT: %[[A:.*]] = nn.matmul %x, %[[FC1]]#0
  // CHECK-NEXT: %[[B:.*]] = nn.add %[[A]], %[[FC1]]#1
  // CHECK-NEXT: zero.release @fc1(%[[FC1]]#0, %[[FC1]]#1)
  %a = nn.matmul %x, %w1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = nn.add %a, %b1 : tensor<4x4xf32>
  // CHECK-NEXT: %[[FC2:.*]] = zero.gather @fc2
  // CHECK-NEXT: %[[C:.*]] = nn.matmul %[[B]], %[[FC2]]
  // CHECK-NEXT: nn.exp
  // CHECK-NEXT: %[[D:.*]] = nn.matmul transpose_b %{{.*}}, %[[FC2]]
  // CHECK-NEXT: zero.release @fc2(%[[FC2]])
  %c = nn.matmul %b, %w2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = nn.exp %c : tensor<4x4xf32>
  %d = nn.matmul transpose_b %e, %w2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: %[[AGAIN:.*]]:2 = zero.gather @fc1
  // CHECK-NEXT: nn.matmul transpose_b %[[D]], %[[AGAIN]]#0
  // CHECK-NEXT: zero.release @fc1(%[[AGAIN]]#0, %[[AGAIN]]#1)
  %f = nn.matmul transpose_b %d, %w1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  train.gradient @"fc1.weight", %f : tensor<4x4xf32>
  train.return
}

// -----

// A view of a parameter is made again from what each run gathers.

train.parameter @"fc1.weight" : tensor<16xf32> trainable("")
train.parameter @"fc2.weight" : tensor<4x4xf32> trainable("")
zero.group @fc1 stage(3) elements(16) type(f32) segments [#zero.segment<@"fc1.weight", 0, 16>]
zero.group @fc2 stage(3) elements(16) type(f32) segments [#zero.segment<@"fc2.weight", 0, 16>]
// CHECK-LABEL: train.entry @eval
train.entry @eval(%x: tensor<4x4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4x4xf32> {dsc.name = "y"}) kind(eval) {
  // CHECK-NEXT: %[[G0:.*]] = zero.gather @fc1
  // CHECK-NEXT: %[[V0:.*]] = nn.reshape %[[G0]]
  // CHECK-NEXT: nn.add %x, %[[V0]]
  // CHECK-NEXT: zero.release @fc1(%[[G0]])
  // CHECK: zero.release @fc2
  // CHECK-NEXT: %[[G1:.*]] = zero.gather @fc1
  // CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[G1]]
  // CHECK-NEXT: nn.add %{{.*}}, %[[V1]]
  // CHECK-NEXT: zero.release @fc1(%[[G1]])
  %w1 = train.read @"fc1.weight" : tensor<16xf32>
  %v1 = nn.reshape %w1 : tensor<16xf32> -> tensor<4x4xf32>
  %w2 = train.read @"fc2.weight" : tensor<4x4xf32>
  %a = nn.add %x, %v1 : tensor<4x4xf32>
  %b = nn.add %a, %w2 : tensor<4x4xf32>
  %c = nn.add %b, %v1 : tensor<4x4xf32>
  train.return %c : tensor<4x4xf32>
}

// -----

// At stage 0 every rank has whole parameters.

train.parameter @"fc1.weight" : tensor<4xf32> trainable("")
zero.group @fc1 stage(0) elements(4) type(f32) segments [#zero.segment<@"fc1.weight", 0, 4>]
// CHECK-LABEL: train.entry @eval
train.entry @eval() -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  // CHECK: train.read @fc1.weight
  // CHECK-NOT: zero.gather
  // CHECK: train.return
  %w = train.read @"fc1.weight" : tensor<4xf32>
  %0 = nn.exp %w : tensor<4xf32>
  train.return %0 : tensor<4xf32>
}

// -----

// An output outlives the entry, but a gathered tensor is released inside: what
// is returned is a copy, also of a view.

train.parameter @"fc1.weight" : tensor<4xf32> trainable("")
zero.group @fc1 stage(3) elements(4) type(f32) segments [#zero.segment<@"fc1.weight", 0, 4>]
// CHECK: zero.group @fc1
// CHECK: train.entry @eval()
// CHECK-NEXT: %[[W:.+]] = zero.gather @fc1
// CHECK-NEXT: %[[VIEW:.+]] = nn.reshape %[[W]]
// CHECK-NEXT: %[[A:.+]] = nn.fusion ins(%[[P:.+]] = %[[W]] : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
// CHECK-NEXT: nn.yield %[[P]]
// CHECK: %[[B:.+]] = nn.fusion ins(%{{.+}} = %[[VIEW]] : tensor<2x2xf32>)
// CHECK: zero.release @fc1(%[[W]])
// CHECK-NEXT: train.return %[[A]], %[[B]]
train.entry @eval() -> (tensor<4xf32> {dsc.name = "y"}, tensor<2x2xf32> {dsc.name = "z"}) kind(eval) {
  %w = train.read @"fc1.weight" : tensor<4xf32>
  %view = nn.reshape %w : tensor<4xf32> -> tensor<2x2xf32>
  train.return %w, %view : tensor<4xf32>, tensor<2x2xf32>
}

// -----

// A part of a layer that has a number, as a norm, does not end the layer's run.

train.parameter @"h.0.attn" : tensor<4xf32> trainable("")
train.parameter @"h.0.ln_2.weight" : tensor<4xf32> trainable("")
train.parameter @"h.0.mlp" : tensor<4xf32> trainable("")
zero.group @h.0 stage(3) elements(36) type(f32) segments [#zero.segment<@"h.0.attn", 0, 4>, #zero.segment<@"h.0.mlp", 32, 4>]
zero.group @h.0.ln_2 stage(3) elements(4) type(f32) segments [#zero.segment<@"h.0.ln_2.weight", 0, 4>]
// CHECK: zero.group @h.0.ln_2
// CHECK: train.entry @eval
// CHECK-NEXT: %[[H:.+]]:2 = zero.gather @h.0 axis
// CHECK-NEXT: %[[A:.+]] = nn.add %x, %[[H]]#0
// CHECK-NEXT: %[[LN:.+]] = zero.gather @h.0.ln_2 axis
// CHECK-NEXT: %[[B:.+]] = nn.add %[[A]], %[[LN]]
// CHECK-NEXT: zero.release @h.0.ln_2
// CHECK-NEXT: nn.add %[[B]], %[[H]]#1
// CHECK-NEXT: zero.release @h.0(
// CHECK-NEXT: train.return
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  %w = train.read @"h.0.attn" : tensor<4xf32>
  %n = train.read @"h.0.ln_2.weight" : tensor<4xf32>
  %v = train.read @"h.0.mlp" : tensor<4xf32>
  %a = nn.add %x, %w : tensor<4xf32>
  %b = nn.add %a, %n : tensor<4xf32>
  %c = nn.add %b, %v : tensor<4xf32>
  train.return %c : tensor<4xf32>
}

// -----

// A number alone begins a layer: what stands around a stack of layers is not
// kept while they are used.

train.parameter @"encoder1.embed" : tensor<4xf32> trainable("")
train.parameter @"encoder1.layers.0.weight" : tensor<4xf32> trainable("")
train.parameter @"encoder1.norm" : tensor<4xf32> trainable("")
zero.group @encoder1 stage(3) elements(36) type(f32) segments [#zero.segment<@"encoder1.embed", 0, 4>, #zero.segment<@"encoder1.norm", 32, 4>]
zero.group @encoder1.layers.0 stage(3) elements(4) type(f32) segments [#zero.segment<@"encoder1.layers.0.weight", 0, 4>]
// CHECK: zero.group @encoder1.layers.0
// CHECK: train.entry @eval
// CHECK-NEXT: zero.gather @encoder1 axis
// CHECK-NEXT: nn.add
// CHECK-NEXT: zero.release @encoder1(
// CHECK-NEXT: zero.gather @encoder1.layers.0
// CHECK-NEXT: nn.add
// CHECK-NEXT: zero.release @encoder1.layers.0
// CHECK-NEXT: zero.gather @encoder1 axis
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  %w = train.read @"encoder1.embed" : tensor<4xf32>
  %n = train.read @"encoder1.layers.0.weight" : tensor<4xf32>
  %v = train.read @"encoder1.norm" : tensor<4xf32>
  %a = nn.add %x, %w : tensor<4xf32>
  %b = nn.add %a, %n : tensor<4xf32>
  %c = nn.add %b, %v : tensor<4xf32>
  train.return %c : tensor<4xf32>
}

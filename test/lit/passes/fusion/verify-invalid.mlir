// RUN: dsc-opt %s -fusion-verify -split-input-file -verify-diagnostics

// (F1): a computation without a region would have no kernel.
train.entry @outside(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(forward) {
  // expected-error@below {{(F1) stands outside of any region}}
  %0 = nn.exp %x : tensor<4xf32>
  train.return %0 : tensor<4xf32>
}

// -----

// (F1): constants, too.
train.entry @constant() -> (tensor<4xf32> {dsc.name = "y"}) kind(forward) {
  // expected-error@below {{(F1) stands outside of any region}}
  %0 = nn.constant dense<1.0> : tensor<4xf32>
  train.return %0 : tensor<4xf32>
}

// -----

// (F2): the kind chooses the code generator.
train.entry @no_kind(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(forward) {
  // expected-error@below {{(F2) has no known kind: ''}}
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = nn.exp %p : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.return %0 : tensor<4xf32>
}

// -----

// (F2): and must be one of the known.
train.entry @unknown_kind(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(forward) {
  // expected-error@below {{(F2) has no known kind: 'view'}}
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) kind("view") -> (tensor<4xf32>) {
    %1 = nn.exp %p : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.return %0 : tensor<4xf32>
}

// -----

// (F3): a view inside of a region would be a copy.
train.entry @view(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2x2xf32> {dsc.name = "y"}) kind(forward) {
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) kind("elementwise") -> (tensor<2x2xf32>) {
    // expected-error@below {{(F3) does not belong into a region}}
    %1 = nn.reshape %p : tensor<4xf32> -> tensor<2x2xf32>
    nn.yield %1 : tensor<2x2xf32>
  }
  train.return %0 : tensor<2x2xf32>
}

// -----

// (F4): a reduction does not run in an elementwise loop nest.
train.entry @reduction(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<f32> {dsc.name = "y"}) kind(forward) {
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) kind("elementwise") -> (tensor<f32>) {
    // expected-error@below {{(F4) is of kind 'reduction' and does not belong into a region of kind 'elementwise'}}
    %1 = nn.reduce_sum %p dims = [0] : tensor<4xf32> -> tensor<f32>
    nn.yield %1 : tensor<f32>
  }
  train.return %0 : tensor<f32>
}

// -----

// (F5): a provider computes the product and nothing else.
train.entry @epilogue(%x: tensor<4x4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4x4xf32> {dsc.name = "y"}) kind(forward) {
  %0 = nn.fusion ins(%p = %x : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %1 = nn.matmul %p, %p : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error@below {{(F5) is of kind 'elementwise' and does not belong into a region of kind 'contraction'}}
    %2 = nn.relu %1 : tensor<4x4xf32>
    nn.yield %2 : tensor<4x4xf32>
  }
  train.return %0 : tensor<4x4xf32>
}

// -----

// (F5): one loop nest holds one reduction.
train.entry @two_reductions(%x: tensor<4x4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<f32> {dsc.name = "y"}) kind(forward) {
  // expected-error@below {{(F5) of kind 'reduction' holds 2 operations of that kind}}
  %0 = nn.fusion ins(%p = %x : tensor<4x4xf32>) kind("reduction") -> (tensor<f32>) {
    %1 = nn.reduce_sum %p dims = [0] : tensor<4x4xf32> -> tensor<4xf32>
    %2 = nn.reduce_sum %1 dims = [0] : tensor<4xf32> -> tensor<f32>
    nn.yield %2 : tensor<f32>
  }
  train.return %0 : tensor<f32>
}

// -----

// (F6): a scalar region has no loop.
train.entry @scalar(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(forward) {
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) kind("scalar") -> (tensor<4xf32>) {
    // expected-error@below {{(F6) works on a tensor in a 'scalar' region}}
    %1 = nn.exp %p : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.return %0 : tensor<4xf32>
}

// -----

// (F5): rows share their loops with elementwise operations, transposes do not.
train.entry @transpose(%x: tensor<2x4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4x2xf32> {dsc.name = "y"}) kind(forward) {
  %0 = nn.fusion ins(%p = %x : tensor<2x4xf32>) kind("transpose") -> (tensor<4x2xf32>) {
    // expected-error@below {{(F5) is of kind 'elementwise' and does not belong into a region of kind 'transpose'}}
    %1 = nn.exp %p : tensor<2x4xf32>
    %2 = nn.transpose %1 perm = [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
    nn.yield %2 : tensor<4x2xf32>
  }
  train.return %0 : tensor<4x2xf32>
}

// -----

// (F5): what is scattered lies in a buffer.
train.entry @scatter(%i: tensor<3xi64> {dsc.name = "i", dsc.role = "data"}) -> (tensor<5xf32> {dsc.name = "y"}) kind(forward) {
  %0 = nn.fusion ins(%p = %i : tensor<3xi64>) kind("scatter") -> (tensor<5xf32>) {
    // expected-error@below {{(F5) is of kind 'constant' and does not belong into a region of kind 'scatter'}}
    %1 = nn.constant dense<1.0> : tensor<3xf32>
    %2 = nn.scatter_add %p, %1 : (tensor<3xi64>, tensor<3xf32>) -> tensor<5xf32>
    nn.yield %2 : tensor<5xf32>
  }
  train.return %0 : tensor<5xf32>
}

// -----

// (F5): two row operations would share no loop.
train.entry @two_rows(%x: tensor<2x4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2x4xf32> {dsc.name = "y"}) kind(forward) {
  // expected-error@below {{(F5) of kind 'row' holds 2 operations of that kind}}
  %0 = nn.fusion ins(%p = %x : tensor<2x4xf32>) kind("row") -> (tensor<2x4xf32>) {
    %1 = nn.softmax %p dim = 1 : tensor<2x4xf32>
    %2 = nn.softmax %1 dim = 1 : tensor<2x4xf32>
    nn.yield %2 : tensor<2x4xf32>
  }
  train.return %0 : tensor<2x4xf32>
}

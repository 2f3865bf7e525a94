// RUN: dsc-opt %s -partition-shard-update -split-input-file -verify-diagnostics

// A part is flat: which elements of a transposed tensor it holds is not known.
train.parameter @w : tensor<2x4xf32> trainable("")
train.parameter @v : tensor<4x2xf32> trainable("")
zero.group @g stage(3) elements(8) type(f32) segments [#zero.segment<@w, 0, 8>]
train.entry @update() kind(update) {
  %p = train.read @w : tensor<2x4xf32>
  %q = nn.fusion ins(%a = %p : tensor<2x4xf32>) kind("transpose") -> (tensor<4x2xf32>) {
    // expected-error@below {{cannot work on parts of a tensor}}
    %0 = nn.transpose %a perm = [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
    nn.yield %0 : tensor<4x2xf32>
  }
  train.write @v, %q : tensor<4x2xf32>
  train.return
}

// -----

// Only sums of squares can be joined over ranks.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %p = train.read @w : tensor<4xf32>
  %q = nn.fusion ins(%a = %p : tensor<4xf32>) kind("reduction") -> (tensor<f32>) {
    // expected-error@below {{cannot be computed on parts of a tensor}}
    %0 = nn.reduce_max %a dims = [0] : tensor<4xf32> -> tensor<f32>
    nn.yield %0 : tensor<f32>
  }
  train.return
}

// -----

// A part does not know which elements of a constant are its own.
train.parameter @w : tensor<2xf32> trainable("")
zero.group @g stage(3) elements(2) type(f32) segments [#zero.segment<@w, 0, 2>]
train.entry @update() kind(update) {
  %p = train.read @w : tensor<2xf32>
  %q = nn.fusion ins(%a = %p : tensor<2xf32>) kind("elementwise") -> (tensor<2xf32>) {
    // expected-error@below {{differs from element to element; a part cannot tell which it has}}
    %0 = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = nn.add %a, %0 : tensor<2xf32>
    nn.yield %1 : tensor<2xf32>
  }
  train.write @w, %q : tensor<2xf32>
  train.return
}

// -----

// The elements that a part would repeat are on other ranks.
train.parameter @b : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@b, 0, 4>]
train.entry @update() kind(update) {
  %b = train.read @b : tensor<4xf32>
  %q = nn.fusion ins(%r = %b : tensor<4xf32>) kind("elementwise") -> (tensor<2x4xf32>) {
    // expected-error@below {{repeats elements of a tensor that ranks share}}
    %0 = nn.broadcast %r dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
    nn.yield %0 : tensor<2x4xf32>
  }
  train.return
}

// -----

// A whole tensor that is in no group does not fit a part.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %p = train.read @w : tensor<4xf32>
  %v = train.read @v : tensor<4xf32>
  // expected-error@below {{works on whole tensors and on tensors that ranks share}}
  %q = nn.fusion ins(%a = %p : tensor<4xf32>, %r = %v : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.add %a, %r : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @w, %q : tensor<4xf32>
  train.return
}

// -----

// Nor can a part be written as if it were whole.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %p = train.read @w : tensor<4xf32>
  // expected-error@below {{needs a whole tensor of which each rank has a part}}
  train.write @v, %p : tensor<4xf32>
  train.return
}

// -----

// Parts of tensors of one shape differ in extent.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(36) type(f32) segments [#zero.segment<@w, 0, 4>, #zero.segment<@v, 32, 4>]
train.entry @update() kind(update) {
  %p = train.read @w : tensor<4xf32>
  %v = train.read @v : tensor<4xf32>
  // expected-error@below {{works on parts of @w and @v, which differ in extent}}
  %q = nn.fusion ins(%a = %p : tensor<4xf32>, %r = %v : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.add %a, %r : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @w, %q : tensor<4xf32>
  train.return
}

// -----

// Beyond its part, a rank has no gradient that it could change.
train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %g = train.read @w.grad : tensor<4xf32>
  %q = nn.fusion ins(%a = %g : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %0 = nn.neg %a : tensor<4xf32>
    nn.yield %0 : tensor<4xf32>
  }
  // expected-error@below {{sets a gradient to something else than one number; at stage 1 update can only clear it}}
  train.write @w.grad, %q : tensor<4xf32>
  train.return
}

// RUN: %dsc-opt %s -split-input-file -lower-build-programs -verify-diagnostics

// Maths outside of regions has no place.
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  // expected-error@+1 {{has no place in the async form; the stages up to schedule must have run}}
  %y = nn.exp %x : tensor<4xf32>
  train.return %y : tensor<4xf32>
}

// -----

// The value form of a collective is not the async form.
train.parameter @w : tensor<6xf32> trainable("float initializer")
zero.group @fc stage(3) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
train.entry @eval() kind(eval) {
  // expected-error@+1 {{has no place in the async form}}
  %w = zero.gather @fc axis(@world) : tensor<6xf32>
  train.return
}

// -----

// A gradient needs its accumulator.
train.parameter @w : tensor<6xf32> trainable("float initializer")
train.entry @step(%x: tensor<6xf32> {dsc.name = "x"}) kind(step) {
  // expected-error@+1 {{needs a gradient state of @w, which the module does not have}}
  train.gradient @w, %x : tensor<6xf32>
  train.return
}

// -----

// So do the gradients of a group.
train.parameter @w : tensor<6xf32> trainable("float initializer")
zero.group @fc stage(3) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
train.entry @step(%x: tensor<6xf32> {dsc.name = "x"}) kind(step) {
  // expected-error@+1 {{needs a gradient state of @w, which the module does not have}}
  %t = zero.reduce_scatter_start @fc(%x) axis(@world) : tensor<6xf32>
  zero.reduce_scatter_await %t
  train.return
}

// -----

// A value of dynamic extent takes it from a part.
train.entry @update() kind(update) {
  // expected-error@+1 {{has a result of dynamic extent, but no operand that is a part of a state}}
  %0 = nn.fusion ins() kind("elementwise") -> (tensor<?xf32>) {
    %c = nn.constant dense<0.0> : tensor<f32>
    %r = nn.broadcast %c dims = [] : tensor<f32> -> tensor<?xf32>
    nn.yield %r : tensor<?xf32>
  }
  train.return
}

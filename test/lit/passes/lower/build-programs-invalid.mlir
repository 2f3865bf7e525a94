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

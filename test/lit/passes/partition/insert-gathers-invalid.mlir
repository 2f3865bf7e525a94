// RUN: dsc-opt %s -partition-insert-gathers -verify-diagnostics

// An output is read after the entry has ended, but a gathered tensor is
// released inside.
train.parameter @"fc1.weight" : tensor<4xf32> trainable("")
zero.group @fc1 stage(3) elements(4) type(f32) segments [#zero.segment<@"fc1.weight", 0, 4>]
train.entry @eval() -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  // expected-error@below {{parameter @fc1.weight is itself an output, which -zero=3 cannot return; use -zero=0 or take it out of the outputs}}
  %w = train.read @"fc1.weight" : tensor<4xf32>
  train.return %w : tensor<4xf32>
}

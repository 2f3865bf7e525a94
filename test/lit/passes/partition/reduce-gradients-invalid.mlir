// RUN: dsc-opt %s -partition-reduce-gradients -verify-diagnostics

// A message of a group holds the gradient of every segment.
train.parameter @"fc1.weight" : tensor<4xf32> trainable("")
train.parameter @"fc1.bias" : tensor<4xf32> trainable("")
// expected-error@below {{has no gradient of @fc1.bias in an entry of kind 'step'}}
zero.group @fc1 stage(3) elements(36) type(f32) segments [#zero.segment<@"fc1.weight", 0, 4>, #zero.segment<@"fc1.bias", 32, 4>]
train.entry @step(%w: tensor<4xf32> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  train.gradient @"fc1.weight", %w : tensor<4xf32>
  train.return
}

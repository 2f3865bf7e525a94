// RUN: dsc-opt %s -split-input-file -verify-diagnostics --differentiate-attach-loss

// Without --loss there must be one scalar; the message says what to pass.

// expected-error @below {{no loss is given, and the model has no floating-point output of one element; pass --loss=OUTPUT, cross_entropy(OUTPUT,LABELS), mse(OUTPUT,TARGET), bce_with_logits(OUTPUT,TARGET) or sum(OUTPUT); the outputs are 'y' (tensor<4xf32>), 'n' (tensor<i64>)}}
func.func @forward(%x: tensor<4xf32> {dsc.name = "x"}, %n: tensor<i64> {dsc.name = "m"}) -> (tensor<4xf32> {dsc.name = "y"}, tensor<i64> {dsc.name = "n"}) {
  return %x, %n : tensor<4xf32>, tensor<i64>
}

// -----

// expected-error @below {{no loss is given, and the model has more than one floating-point output of one element}}
func.func @forward(%x: tensor<f32> {dsc.name = "x"}) -> (tensor<f32> {dsc.name = "a"}, tensor<f32> {dsc.name = "b"}) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// The stage needs what normalize leaves.

// expected-error @below {{expects the model as func.func @forward with one block}}
module {
}

// -----

func.func @forward(%x: tensor<?xf32> {dsc.name = "x"}) -> (tensor<?xf32> {dsc.name = "y"}) {
  // expected-error @below {{expects tensors of static shape, got 'tensor<?xf32>'}}
  %0 = nn.relu %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @below {{result 0 has no 'dsc.name'}}
func.func @forward(%x: tensor<f32> {dsc.name = "x"}) -> tensor<f32> {
  return %x : tensor<f32>
}

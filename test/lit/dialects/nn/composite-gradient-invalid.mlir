// RUN: %dsc-opt %s --split-input-file --verify-diagnostics --differentiate-build-backward

// Rows of more than one dimension are for normalize to reshape.
train.parameter @x : tensor<2x3x4xf32> trainable("")
func.func @forward(%s: tensor<3x4xf32> {dsc.name = "s", dsc.role = "data"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2x3x4xf32>
  // expected-error@+2 {{normalizes more than one dimension}}
  // expected-error@+1 {{its gradient could not be built}}
  %y, %mean, %rstd = nn.layer_norm %x, %s epsilon = 1.0e-5
      : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2xf32>, tensor<2xf32>)
  %sum = nn.reduce_sum %y dims = [0, 1, 2] : tensor<2x3x4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// A loss that depends on lse would need a gradient that is not there; silence
// would train on half of it.
train.parameter @x : tensor<2x4xf32> trainable("")
func.func @forward()
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2x4xf32>
  // expected-error@+2 {{lse is for nn.attention_grad alone; a loss cannot depend on it}}
  // expected-error@+1 {{its gradient could not be built}}
  %o, %lse = nn.attention %x, %x, %x scale = 0.5
      : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  %sum = nn.reduce_sum %lse dims = [0] : tensor<2xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// RUN: dsc-opt %s -split-input-file -verify-diagnostics --differentiate-build-eval

// expected-error @below {{has no loss; run differentiate-attach-loss first}}
func.func @forward() {
  return
}

// -----

// expected-error @below {{the name 'eval' is one that dsc gives to training state or entry points; rename it in the model}}
train.parameter @eval : tensor<f32> frozen("")
func.func @forward() -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %one = nn.constant dense<1.0> : tensor<f32>
  return %one, %one : tensor<f32>, tensor<f32>
}

// RUN: dsc-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect --differentiate-build-backward

// All operations without a gradient on a path to a trained parameter are in one
// message; those off the path (here on a frozen parameter and behind the loss)
// are not.

train.parameter @w : tensor<f32> trainable("")
train.parameter @v : tensor<f32> trainable("")
train.parameter @f : tensor<f32> frozen("--freeze")
func.func @forward() -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %w = train.read @w : tensor<f32>
  %v = train.read @v : tensor<f32>
  %f = train.read @f : tensor<f32>
  %off = "test.frozen"(%f) : (tensor<f32>) -> tensor<f32>
  // expected-error @below {{no gradient for 2 operation(s) on a path from a trained parameter to the loss; freeze the parameters below or choose another loss}}
  // expected-note @below {{'test.first', on the path from parameter 'w'}}
  %a = "test.first"(%w, %off) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %b = nn.add %a, %v : tensor<f32>
  // expected-note @below {{'test.second', on the path from parameter 'w'}}
  %c = "test.second"(%b) : (tensor<f32>) -> tensor<f32>
  %unused = "test.unused"(%v) : (tensor<f32>) -> tensor<f32>
  return %c, %off : tensor<f32>, tensor<f32>
}

// -----

// A loss that nothing trained changes is a mistake, not an empty backward.

train.parameter @w : tensor<f32> trainable("")
// expected-error @below {{no trained parameter influences the loss; train some with --train=REGEX or choose another --loss}}
func.func @forward(%x: tensor<f32> {dsc.name = "x"}) -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// The loss pair comes from the pass before.

// expected-error @below {{has no loss; run differentiate-attach-loss first}}
func.func @forward(%x: tensor<f32> {dsc.name = "x"}) -> (tensor<f32> {dsc.name = "y"}) {
  return %x : tensor<f32>
}

// -----

// Names that training state needs may be taken by the model.

train.parameter @w : tensor<f32> trainable("")
// expected-error @below {{the name 'w.grad' is one that dsc gives to training state or entry points; rename it in the model}}
train.parameter @w.grad : tensor<f32> buffer("")
func.func @forward() -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %w = train.read @w : tensor<f32>
  %0 = nn.exp %w : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %0, %one : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{the name 'step' is one that dsc gives to training state or entry points; rename it in the model}}
train.parameter @step : tensor<f32> trainable("")
func.func @forward() -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %w = train.read @step : tensor<f32>
  return %w, %w : tensor<f32>, tensor<f32>
}

// RUN: dsc-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect --differentiate-verify

// One sound module, then one planted mutation a case, named by the property of
// the exit form that it breaks. Only the mutation differs from the sound module.

// Sound.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D1) @forward was not consumed.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}
// expected-error @below {{is not expected after differentiation; all code is in train.entry}}
func.func private @forward()

// -----

// (D1) An entry is missing.

// expected-error @below {{has no train.entry @eval}}
module {
train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
}

// -----

// (D1) An entry has the kind of another.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
// expected-error @below {{expects kind 'step_last'}}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D1) There is one entry too many.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}
// expected-error @below {{is none of step, step_last, update, eval, forward, layer_norms, step.debug and update.debug, each of its kind}}
train.entry @other() kind(forward) {
  train.return
}

// -----

// (D2) An input of @step_last has another type.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
// expected-error @below {{expects the same inputs as @step}}
train.entry @step_last(%x: tensor<3xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  %g = nn.constant dense<1.0> : tensor<2xf32>
  train.gradient @w, %g : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D2) An input of @eval has another role.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
// expected-error @below {{expects the same inputs as @step}}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "target"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D2) Two inputs have one name.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
// expected-error @below {{has two inputs named 'x'}}
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}, %z: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}, %z: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}, %z: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D2) An input has no known role.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
// expected-error @below {{input 'x' has no role among data, labels, target and sample_weight}}
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "input"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "input"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "input"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D3) An operation is of another dialect.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  // expected-error @below {{is not of the nn or train dialect}}
  %y = "test.op"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D3) A shape is not static.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %count = train.read @dsc.applied_steps : tensor<i64>
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.momentum_buffer, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.applied_steps, %count : tensor<i64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  // expected-error @below {{has no static shape: 'tensor<?xf32>'}}
  %y = nn.reshape %w : tensor<2xf32> -> tensor<?xf32>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

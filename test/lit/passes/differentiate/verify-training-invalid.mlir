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

// (D4) A trained parameter has no gradient in @step.

// expected-error @below {{is trained, but has no gradient in @step}}
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

// (D4) A trained parameter has no gradient in @step_last.

// expected-error @below {{is trained, but has no gradient in @step_last}}
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

// (D4) A trained parameter has no gradient state.

// expected-error @below {{is trained, so it must have one gradient state}}
train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
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

// (D4) A frozen parameter has a moment.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
// expected-error @below {{belongs to a parameter that is not trained}}
train.state @f.exp_avg : tensor<2xf32> moment of @f
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

// (D5) A step does not count its loss.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.report.lr : tensor<f64> report
// expected-error @below {{adds 0 times to @dsc.loss_sum, expects once}}
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
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

// (D5) The last step counts its weight twice.

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
// expected-error @below {{adds 2 times to @dsc.loss_weight, expects once}}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
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

// (D6) A trained parameter is never written.

// expected-error @below {{is never written by @update}}
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

// (D6) A gradient is not reset.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
// expected-error @below {{is never written by @update}}
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

// (D6) A moment is never written.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
// expected-error @below {{is never written by @update}}
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

// (D6) A loss accumulator is not reset.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
// expected-error @below {{is never written by @update}}
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
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D6) A counter is never written.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
// expected-error @below {{is never written by @update}}
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
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D6) A report is never written.

train.parameter @w : tensor<2xf32> trainable("")
train.parameter @f : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<2xf32> gradient of @w
train.state @w.momentum_buffer : tensor<2xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
// expected-error @below {{is never written by @update}}
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
  train.write @dsc.loss_sum, %lr : tensor<f64>
  train.write @dsc.loss_weight, %lr : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D6) A parameter is written twice.

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
  // expected-error @below {{writes @w a second time}}
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

// (D7) A state is read after it was written.

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
  // expected-note @below {{written here}}
  train.write @w, %w : tensor<2xf32>
  // expected-error @below {{reads @w after update has written it}}
  %again = train.read @w : tensor<2xf32>
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

// (D7) Update adds to a sum.

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
  // expected-error @below {{is not expected in update, which only resets sums}}
  train.accumulate @dsc.loss_sum, %lr : tensor<f64>
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

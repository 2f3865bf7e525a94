// RUN: dsc-opt %s -split-input-file -verify-diagnostics --differentiate-verify

// Modules with a counter that steps advance, and with a forward entry: sound
// ones first, then one planted mutation a case.

// Sound: both steps count micro-batches, and forward takes an input of theirs.

train.parameter @w : tensor<2xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.micro_batch : tensor<i64> counter
train.state @w.grad : tensor<2xf32> gradient of @w
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %sum = train.read @dsc.loss_sum : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.loss_sum, %sum : tensor<f64>
  train.write @dsc.loss_weight, %sum : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}
train.entry @forward(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(forward) {
  train.return %x : tensor<2xf32>
}

// -----

// Sound: forward alone.

train.parameter @w : tensor<2xf32> frozen("")
train.entry @forward() -> (tensor<2xf32> {dsc.name = "y"}) kind(forward) {
  %w = train.read @w : tensor<2xf32>
  train.return %w : tensor<2xf32>
}

// -----

// (D5) Only one of the steps counts.

train.parameter @w : tensor<2xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.micro_batch : tensor<i64> counter
train.state @w.grad : tensor<2xf32> gradient of @w
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
// expected-error @below {{does not add to counter @dsc.micro_batch, as @step does}}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %sum = train.read @dsc.loss_sum : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.loss_sum, %sum : tensor<f64>
  train.write @dsc.loss_weight, %sum : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D5) Likewise the other one.

train.parameter @w : tensor<2xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.micro_batch : tensor<i64> counter
train.state @w.grad : tensor<2xf32> gradient of @w
// expected-error @below {{does not add to counter @dsc.micro_batch, as @step_last does}}
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %sum = train.read @dsc.loss_sum : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.loss_sum, %sum : tensor<f64>
  train.write @dsc.loss_weight, %sum : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D5) A step counts twice.

train.parameter @w : tensor<2xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.micro_batch : tensor<i64> counter
train.state @w.grad : tensor<2xf32> gradient of @w
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  // expected-error @below {{adds to counter @dsc.micro_batch a second time}}
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %sum = train.read @dsc.loss_sum : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.loss_sum, %sum : tensor<f64>
  train.write @dsc.loss_weight, %sum : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D2) Forward takes an input that no step has.

train.parameter @w : tensor<2xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.micro_batch : tensor<i64> counter
train.state @w.grad : tensor<2xf32> gradient of @w
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %sum = train.read @dsc.loss_sum : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.loss_sum, %sum : tensor<f64>
  train.write @dsc.loss_weight, %sum : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}
// expected-error @below {{input 'z' is not one of @step}}
train.entry @forward(%z: tensor<2xf32> {dsc.name = "z", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(forward) {
  train.return %z : tensor<2xf32>
}

// -----

// (D2) Forward takes an input in another type.

train.parameter @w : tensor<2xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.micro_batch : tensor<i64> counter
train.state @w.grad : tensor<2xf32> gradient of @w
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %sum = train.read @dsc.loss_sum : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.loss_sum, %sum : tensor<f64>
  train.write @dsc.loss_weight, %sum : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}
// expected-error @below {{input 'x' is not one of @step}}
train.entry @forward(%x: tensor<3xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<3xf32> {dsc.name = "y"}) kind(forward) {
  train.return %x : tensor<3xf32>
}

// -----

// (D1) An entry named forward is of another kind.

train.parameter @w : tensor<2xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.micro_batch : tensor<i64> counter
train.state @w.grad : tensor<2xf32> gradient of @w
train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @step_last(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %one = nn.constant dense<1.0> : tensor<f64>
  %next = nn.constant dense<1> : tensor<i64>
  train.accumulate @dsc.loss_sum, %one : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  train.gradient @w, %x : tensor<2xf32>
  train.accumulate @dsc.micro_batch, %next : tensor<i64>
  train.return
}
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2xf32>
  %sum = train.read @dsc.loss_sum : tensor<f64>
  train.write @w, %w : tensor<2xf32>
  train.write @w.grad, %w : tensor<2xf32>
  train.write @dsc.loss_sum, %sum : tensor<f64>
  train.write @dsc.loss_weight, %sum : tensor<f64>
  train.return
}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}
// expected-error @below {{expects kind 'forward'}}
train.entry @forward(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  train.return %x : tensor<2xf32>
}

// -----

// (D4) A parameter is trained, but the module only runs forward.

// expected-error @below {{is trained, but there is no step}}
train.parameter @w : tensor<2xf32> trainable("")
train.entry @forward() -> (tensor<2xf32> {dsc.name = "y"}) kind(forward) {
  %w = train.read @w : tensor<2xf32>
  train.return %w : tensor<2xf32>
}

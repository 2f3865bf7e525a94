// RUN: dsc-opt %s -split-input-file -verify-diagnostics --precision-verify="policy=f64"

// Each case is named by the property of the exit form that it breaks.

// Sound.

train.parameter @w : tensor<2xf64> trainable("") from #train.file<"m", 0, 8> {storage = f32}
train.state @w.grad : tensor<2xf64> gradient of @w
train.state @dsc.lr : tensor<f64> setting = 1.0 "learning rate"
train.state @dsc.applied_steps : tensor<i64> counter
train.entry @eval(%x: tensor<2xi32> {dsc.name = "x"}) kind(eval) {
  %0 = nn.cast %x : tensor<2xi32> -> tensor<2xf64>
  train.return
}

// -----

// (P1) A parameter was left in f32.

// expected-error @below {{has element type 'f32', which policy 'f64' does not leave}}
train.parameter @w : tensor<2xf32> trainable("")

// -----

// (P1) A state has a type that nothing computes in.

// expected-error @below {{has element type 'bf16', which policy 'f64' does not leave}}
train.state @loss : tensor<bf16> accumulator

// -----

// (P1) An input was left in f32.

// expected-error @below {{has element type 'f32', which policy 'f64' does not leave}}
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x"}) kind(eval) {
  train.return
}

// -----

// (P1) A value was left in f32.

train.entry @eval(%x: tensor<2xi64> {dsc.name = "x"}) kind(eval) {
  // expected-error @below {{has element type 'f32', which policy 'f64' does not leave}}
  %0 = nn.cast %x : tensor<2xi64> -> tensor<2xf32>
  train.return
}

// -----

// (P2) A gradient is narrower than its parameter.

// expected-note @below {{parameter has type 'tensor<2xf64>'}}
train.parameter @w : tensor<2xf64> trainable("")
// expected-error @below {{has type 'tensor<2xi64>', expects that of its parameter}}
train.state @w.grad : tensor<2xi64> gradient of @w

// -----

// (P2) So is a moment.

// expected-note @below {{parameter has type 'tensor<2xf64>'}}
train.parameter @w : tensor<2xf64> trainable("")
// expected-error @below {{has type 'tensor<2xi32>', expects that of its parameter}}
train.state @w.exp_avg : tensor<2xi32> moment of @w

// -----

// (P3) A counter counts in i64.

// expected-error @below {{of kind 'counter' must be i64, got 'f64'}}
train.state @dsc.applied_steps : tensor<f64> counter

// -----

// (P3) An accumulator adds in f64.

// expected-error @below {{of kind 'accumulator' must be f64, got 'i64'}}
train.state @dsc.loss_sum : tensor<i64> accumulator

// -----

// (P3) A setting is a number in f64 or i64.

// expected-error @below {{of kind 'setting' must be f64 or i64, got 'i32'}}
train.state @dsc.lr : tensor<i32> setting = 1.0 "learning rate"

// -----

// (P4) A cast was left that converts nothing.

train.entry @eval(%x: tensor<2xf64> {dsc.name = "x"}) kind(eval) {
  // expected-error @below {{converts 'tensor<2xf64>' to itself}}
  %0 = nn.cast %x : tensor<2xf64> -> tensor<2xf64>
  train.return
}

// -----

// (P4) So was one between integers.

train.entry @eval(%x: tensor<2xi32> {dsc.name = "x"}) kind(eval) {
  // expected-error @below {{converts 'tensor<2xi32>' to itself}}
  %0 = nn.cast %x : tensor<2xi32> -> tensor<2xi32>
  train.return
}

// -----

// (P1) A frozen parameter was left in f32.

// expected-error @below {{has element type 'f32', which policy 'f64' does not leave}}
train.parameter @w : tensor<2xf32> frozen("")

// -----

// (P1) A buffer has an integer type that nothing computes in.

// expected-error @below {{has element type 'i8', which policy 'f64' does not leave}}
train.parameter @table : tensor<2xi8> buffer("")

// -----

// (P1) A moment was left in f32.

train.parameter @w : tensor<2xf64> trainable("")
// expected-error @below {{has element type 'f32', which policy 'f64' does not leave}}
train.state @w.exp_avg : tensor<2xf32> moment of @w

// -----

// (P1) An input is unsigned.

// expected-error @below {{has element type 'ui8', which policy 'f64' does not leave}}
train.entry @eval(%x: tensor<2xui8> {dsc.name = "x"}) kind(eval) {
  train.return
}

// -----

// (P1) A constant was left in f32.

train.entry @eval() kind(eval) {
  // expected-error @below {{has element type 'f32', which policy 'f64' does not leave}}
  %0 = nn.constant dense<1.0> : tensor<f32>
  train.return
}

// -----

// (P3) A counter is too narrow.

// expected-error @below {{of kind 'counter' must be i64, got 'i32'}}
train.state @dsc.applied_steps : tensor<i32> counter

// -----

// (P3) A report is a number in f64.

// expected-error @below {{of kind 'report' must be f64, got 'i64'}}
train.state @dsc.report.skipped : tensor<i64> report

// -----

// (P3) An accumulator is a truth value.

// expected-error @below {{of kind 'accumulator' must be f64, got 'i1'}}
train.state @dsc.eval_correct : tensor<i1> accumulator

// -----

// (P4) A step casts truth values to themselves.

train.entry @step(%x: tensor<2xi1> {dsc.name = "x"}) kind(step) {
  // expected-error @below {{converts 'tensor<2xi1>' to itself}}
  %0 = nn.cast %x : tensor<2xi1> -> tensor<2xi1>
  train.return
}

// RUN: dsc-opt %s -split-input-file -verify-diagnostics

// Each case is named by the constraint that it breaks.

// #train.file (C1)
// expected-error @below {{expects the path of a file}}
train.parameter @w : tensor<4xf32> trainable("") from #train.file<"", 0, 16>

// -----

// #train.file (C2)
// expected-error @below {{expects an offset and a byte count that are not negative, got -1 and 16}}
train.parameter @w : tensor<4xf32> trainable("") from #train.file<"m", -1, 16>

// -----

// #train.init (C1)
// expected-error @below {{unknown rule 'gauss'; expects zeros, ones, normal, uniform, xavier or kaiming}}
train.parameter @w : tensor<4xf32> trainable("") from #train.init<"gauss", [], 0>

// -----

// #train.init (C2)
// expected-error @below {{rule 'uniform' takes 2 arguments, got 1}}
train.parameter @w : tensor<4xf32> trainable("") from #train.init<"uniform", [1.0], 0>

// -----

// train.parameter (C1)
// expected-error @below {{must have a static shape, got 'tensor<?xf32>'}}
train.parameter @w : tensor<?xf32> trainable("")

// -----

// train.parameter (C2)
// expected-error @below {{of a type without gradients cannot be trainable: 'tensor<4xi64>'}}
train.parameter @w : tensor<4xi64> trainable("")

// -----

// train.parameter (C3)
// expected-error @below {{has an initial value of type 'tensor<1xf32>', expects 'tensor<4xf32>'}}
train.parameter @w : tensor<4xf32> trainable("") from dense<1.0> : tensor<1xf32>

// -----

// train.parameter (C4)
// expected-error @below {{takes 16 bytes as tensor of 'f32', but its file range has 15}}
train.parameter @w : tensor<4xf32> trainable("") from #train.file<"m", 0, 15>

// -----

// train.parameter (C4): the size is that in the file, not that in memory.
// expected-error @below {{takes 16 bytes as tensor of 'f32', but its file range has 32}}
train.parameter @w : tensor<4xf64> trainable("") from #train.file<"m", 0, 32> {storage = f32}

// -----

// train.parameter: an initial value is one of three kinds.
// expected-error @below {{failed to satisfy constraint}}
train.parameter @w : tensor<4xf32> trainable("") from "zeros"

// -----

// train.state (C1)
// expected-error @below {{of kind 'moment' must name its parameter}}
train.state @m : tensor<4xf32> moment

// -----

// train.state (C1)
train.parameter @w : tensor<4xf32> trainable("")
// expected-error @below {{of kind 'report' belongs to no parameter}}
train.state @r : tensor<f64> report of @w

// -----

// train.state (C2)
// expected-error @below {{names no train.parameter: @w}}
train.state @g : tensor<4xf32> gradient of @w

// -----

// train.state (C2)
// expected-note @below {{parameter has type 'tensor<4xf32>'}}
train.parameter @w : tensor<4xf32> trainable("")
// expected-error @below {{has type 'tensor<5xf32>', expects the shape of its parameter}}
train.state @g : tensor<5xf32> gradient of @w

// -----

// train.state (C3)
// expected-error @below {{of kind 'counter' must be a scalar, got 'tensor<1xi64>'}}
train.state @c : tensor<1xi64> counter

// -----

// train.state (C4)
// expected-error @below {{has a default value and a help text if and only if it is a setting}}
train.state @lr : tensor<f64> setting

// -----

// train.state (C4)
// expected-error @below {{has a default value and a help text if and only if it is a setting}}
train.state @c : tensor<i64> counter = 1.0 "count"

// -----

// train.state (C5)
train.parameter @w : tensor<4xf32> trainable("")
// expected-error @below {{must have a static shape, got 'tensor<?xf32>'}}
train.state @g : tensor<?xf32> gradient of @w

// -----

// train.read (C1)
train.entry @eval() kind(eval) {
  // expected-error @below {{names no train.parameter or train.state: @w}}
  %0 = train.read @w : tensor<4xf32>
  train.return
}

// -----

// train.read (C1): an entry point is a symbol, but no tensor.
train.entry @eval() kind(eval) {
  // expected-error @below {{names no train.parameter or train.state: @eval}}
  %0 = train.read @eval : tensor<4xf32>
  train.return
}

// -----

// train.read (C2)
// expected-note @below {{declared here}}
train.parameter @w : tensor<4xf32> trainable("")
train.entry @eval() kind(eval) {
  // expected-error @below {{has type 'tensor<5xf32>', but @w is 'tensor<4xf32>'}}
  %0 = train.read @w : tensor<5xf32>
  train.return
}

// -----

// train.write (C1)
train.parameter @w : tensor<4xf32> trainable("")
train.entry @update() kind(update) {
  %0 = train.read @w : tensor<4xf32>
  // expected-error @below {{names no train.parameter or train.state: @v}}
  train.write @v, %0 : tensor<4xf32>
  train.return
}

// -----

// train.write (C2)
train.parameter @w : tensor<4xf32> trainable("")
// expected-note @below {{declared here}}
train.parameter @v : tensor<5xf32> trainable("")
train.entry @update() kind(update) {
  %0 = train.read @w : tensor<4xf32>
  // expected-error @below {{has type 'tensor<4xf32>', but @v is 'tensor<5xf32>'}}
  train.write @v, %0 : tensor<4xf32>
  train.return
}

// -----

// train.write (C3)
train.parameter @w : tensor<4xf32> frozen("")
train.entry @update() kind(update) {
  %0 = train.read @w : tensor<4xf32>
  // expected-error @below {{changes a parameter that is frozen: @w}}
  train.write @w, %0 : tensor<4xf32>
  train.return
}

// -----

// train.write (C4)
train.state @lr : tensor<f64> setting = 1.0 "learning rate"
train.entry @update() kind(update) {
  %0 = train.read @lr : tensor<f64>
  // expected-error @below {{changes a setting, which only the host may write: @lr}}
  train.write @lr, %0 : tensor<f64>
  train.return
}

// -----

// train.accumulate (C1)
train.state @r : tensor<f64> report
train.entry @step(%x: tensor<f64> {dsc.name = "x"}) kind(step) {
  // expected-error @below {{expects a train.state of kind 'accumulator' or 'counter': @r}}
  train.accumulate @r, %x : tensor<f64>
  train.return
}

// -----

// train.accumulate (C2)
// expected-note @below {{declared here}}
train.state @s : tensor<f64> accumulator
train.entry @step(%x: tensor<f32> {dsc.name = "x"}) kind(step) {
  // expected-error @below {{has type 'tensor<f32>', but @s is 'tensor<f64>'}}
  train.accumulate @s, %x : tensor<f32>
  train.return
}

// -----

// train.gradient (C1)
train.parameter @w : tensor<4xf32> buffer("")
train.entry @step(%x: tensor<4xf32> {dsc.name = "x"}) kind(step) {
  // expected-error @below {{expects a trainable parameter: @w}}
  train.gradient @w, %x : tensor<4xf32>
  train.return
}

// -----

// train.gradient (C2)
// expected-note @below {{declared here}}
train.parameter @w : tensor<4xf32> trainable("")
train.entry @step(%x: tensor<5xf32> {dsc.name = "x"}) kind(step) {
  // expected-error @below {{has type 'tensor<5xf32>', but @w is 'tensor<4xf32>'}}
  train.gradient @w, %x : tensor<5xf32>
  train.return
}

// -----

// train.entry (C1)
// expected-error @below {{argument 0 must be a ranked tensor with a 'dsc.name'}}
train.entry @step(%x: tensor<4xf32>) kind(step) {
  train.return
}

// -----

// train.entry (C1)
// expected-error @below {{result 0 must be a ranked tensor with a 'dsc.name'}}
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x"}) -> tensor<4xf32> kind(eval) {
  train.return %x : tensor<4xf32>
}

// -----

// train.entry (C2)
// expected-error @below {{of kind 'update' takes no arguments}}
train.entry @update(%x: tensor<4xf32> {dsc.name = "x"}) kind(update) {
  train.return
}

// -----

// train.entry (C2)
// expected-error @below {{of kind 'layer_norms' takes no arguments}}
train.entry @layer_norms(%x: tensor<4xf32> {dsc.name = "x"}) kind(layer_norms) {
  train.return
}

// -----

// train.entry (C2)
// expected-error @below {{of kind 'step_last' has no results}}
train.entry @step(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(step_last) {
  train.return %x : tensor<4xf32>
}

// -----

// train.entry (C3)
train.parameter @w : tensor<4xf32> trainable("")
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x"}) kind(eval) {
  // expected-error @below {{is not allowed in an entry of kind 'eval', only in a step}}
  train.gradient @w, %x : tensor<4xf32>
  train.return
}

// -----

// train.entry (C3)
train.parameter @w : tensor<4xf32> trainable("")
train.entry @step(%x: tensor<4xf32> {dsc.name = "x"}) kind(step) {
  // expected-error @below {{is not allowed in an entry of kind 'step', only in update}}
  train.write @w, %x : tensor<4xf32>
  train.return
}

// -----

// train.entry: the kind is one of five.
// expected-error @below {{unknown kind of entry point 'backward'; expects step, step_last, update, eval, forward, layer_norms, debug or debug_update}}
train.entry @step() kind(backward) {
  train.return
}

// -----

// train.return (C1)
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<5xf32> {dsc.name = "y"}) kind(eval) {
  // expected-error @below {{returns ('tensor<4xf32>'), but entry 'eval' has results ('tensor<5xf32>')}}
  train.return %x : tensor<4xf32>
}

// -----

// train.state (C6): gradients are computed with where they are.
train.parameter @w : tensor<4xf32> trainable("")
// expected-error@below {{of kind 'gradient' cannot be offloaded}}
train.state @g : tensor<4xf32> gradient of @w offloaded

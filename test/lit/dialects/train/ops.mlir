// RUN: dsc-opt %s --verify-roundtrip -split-input-file | FileCheck %s

// A parameter says what it is, why, and where its first value comes from.

// CHECK: train.parameter @fc1.weight : tensor<512x784xf32> trainable("float initializer") from #train.file<"mlp.onnx", 1234, 1605632>
train.parameter @"fc1.weight" : tensor<512x784xf32> trainable("float initializer") from #train.file<"mlp.onnx", 1234, 1605632>
// CHECK: train.parameter @"encoder/w:0" : tensor<4xf32> frozen("--freeze") from #train.init<"normal", [2.000000e-02], 7>
train.parameter @"encoder/w:0" : tensor<4xf32> frozen("--freeze") from #train.init<"normal", [0.02], 7>
// CHECK: train.parameter @mask : tensor<2xi64> buffer("integer tensor") from dense<[1, 0]> : tensor<2xi64>
train.parameter @mask : tensor<2xi64> buffer("integer tensor") from dense<[1, 0]> : tensor<2xi64>
// CHECK: train.parameter @zeros : tensor<3xf32> trainable("--train") from #train.init<"zeros", [], 0>
train.parameter @zeros : tensor<3xf32> trainable("--train") from #train.init<"zeros", [], 0>
// CHECK: train.parameter @unknown : tensor<3xf32> trainable("--train"){{$}}
train.parameter @unknown : tensor<3xf32> trainable("--train")

// -----

// The element type in the file may differ, and other tensors of the file may be
// written from this one.

// CHECK: train.parameter @wte : tensor<2x2xf64> trainable("") from #train.file<"m.onnx", 0, 16> {onnx_name = "w.te", storage = f32, ties = ["lm_head", "out^T"]}
train.parameter @wte : tensor<2x2xf64> trainable("") from #train.file<"m.onnx", 0, 16> {onnx_name = "w.te", storage = f32, ties = ["lm_head", "out^T"]}

// -----

// State belongs to a parameter or to the training run.

train.parameter @w : tensor<2x3xf32> trainable("")
// CHECK: train.state @w.grad : tensor<2x3xf32> gradient of @w
train.state @w.grad : tensor<2x3xf32> gradient of @w
// CHECK: train.state @w.exp_avg : tensor<2x3xf32> moment of @w
train.state @w.exp_avg : tensor<2x3xf32> moment of @w
// CHECK: train.state @dsc.lr : tensor<f64> setting = 1.000000e-03 "learning rate"
train.state @dsc.lr : tensor<f64> setting = 1.0e-3 "learning rate"
// CHECK: train.state @dsc.applied_steps : tensor<i64> counter
train.state @dsc.applied_steps : tensor<i64> counter
// CHECK: train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_sum : tensor<f64> accumulator
// CHECK: train.state @dsc.report.loss : tensor<f64> report
train.state @dsc.report.loss : tensor<f64> report

// -----

// A step reads parameters, adds to accumulators and emits gradients; arguments
// are printed under the names of the user's inputs.

train.parameter @w : tensor<2xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
// CHECK: train.entry @step(%x: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}, %s: tensor<f64> {dsc.name = "s"}) kind(step) {
train.entry @step(%a: tensor<2xf32> {dsc.name = "x", dsc.role = "data"}, %b: tensor<f64> {dsc.name = "s"}) kind(step) {
  // CHECK: %w = train.read @w : tensor<2xf32>
  %0 = train.read @w : tensor<2xf32>
  // CHECK: train.accumulate @dsc.loss_sum, %s : tensor<f64>
  train.accumulate @dsc.loss_sum, %b : tensor<f64>
  // CHECK: train.gradient @w, %w : tensor<2xf32>
  train.gradient @w, %0 : tensor<2xf32>
  // CHECK: train.return{{$}}
  train.return
}

// -----

// Update has no inputs; eval returns the model's outputs.

train.parameter @w : tensor<2xf32> trainable("")
// CHECK: train.entry @update() kind(update) {
train.entry @update() kind(update) {
  %0 = train.read @w : tensor<2xf32>
  // CHECK: train.write @w, %w : tensor<2xf32>
  train.write @w, %0 : tensor<2xf32>
  train.return
}
// CHECK: train.entry private @eval(%x: tensor<2xf32> {dsc.name = "x"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) attributes {note = 1 : i64} {
train.entry private @eval(%x: tensor<2xf32> {dsc.name = "x"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) attributes {note = 1} {
  // CHECK: train.return %x : tensor<2xf32>
  train.return %x : tensor<2xf32>
}
// CHECK: train.entry @forward() kind(forward) {
train.entry @forward() kind(forward) {
  train.return
}

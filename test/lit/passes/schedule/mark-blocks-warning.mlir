// RUN: dsc-opt %s -schedule-mark-blocks -verify-diagnostics -o /dev/null

// One layer alone has nothing that could be freed before its own backward.
train.parameter @"h.0.scale" : tensor<4xf32> trainable("")
train.state @dsc.loss_weight : tensor<f64> accumulator
// expected-warning@below {{recomputation by blocks saves nothing: no layer but the last has values of its own that backward uses}}
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}, %w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  %p = train.read @"h.0.scale" : tensor<4xf32>
  %0 = nn.fusion ins(%l = %x : tensor<4xf32>, %r = %p : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %9 = nn.mul %l, %r : tensor<4xf32>
    nn.yield %9 : tensor<4xf32>
  }
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  train.gradient @"h.0.scale", %0 : tensor<4xf32>
  train.return
}

// RUN: dsc-opt %s -schedule-mark-offloaded -verify-diagnostics

// Plain SGD has no moments.
// expected-warning@below {{offloading saves nothing: the optimizer has no state of its own}}
module {
  train.parameter @w : tensor<4xf32> trainable("")
}

// RUN: dsc-opt %s -schedule-recompute -split-input-file -allow-unregistered-dialect | FileCheck %s

// The region runs again right before its first use in backward; uses of forward
// keep the original.
train.state @dsc.loss_weight : tensor<f64> accumulator
// CHECK-LABEL: train.entry @step
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}, %w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  // CHECK: %[[R:.*]] = nn.fusion ins(%{{.*}} = %[[X]]
  // CHECK-NOT: zero.recompute
  %0 = nn.fusion ins(%a = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  // CHECK: "use"(%[[R]]) {forward}
  "use"(%0) {forward} : (tensor<4xf32>) -> ()
  // CHECK: train.accumulate
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  // CHECK-NEXT: "other"
  "other"() : () -> ()
  // CHECK-NEXT: %[[C:.*]] = nn.fusion ins(%{{.*}} = %[[X]]
  // CHECK-NEXT: nn.exp
  // CHECK: "use"(%[[C]]) {first}
  "use"(%0) {first} : (tensor<4xf32>) -> ()
  // CHECK-NEXT: "use"(%[[C]]) {second}
  "use"(%0) {second} : (tensor<4xf32>) -> ()
  train.return
}

// -----

// A chain runs again in order, each part as late as its own use allows. What is
// not annotated is kept. Views are made of the copies.
train.state @dsc.loss_weight : tensor<f64> accumulator
// CHECK-LABEL: train.entry @step
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}, %w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  // CHECK: %[[KEPT:.*]] = nn.fusion ins(%{{.*}} = %[[X]]
  %kept = nn.fusion ins(%a = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  // CHECK: nn.fusion ins(%{{.*}} = %[[KEPT]]
  %first = nn.fusion ins(%a = %kept : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  %view = nn.reshape %first : tensor<4xf32> -> tensor<2x2xf32>
  %second = nn.fusion ins(%a = %view : tensor<2x2xf32>) kind("elementwise") -> (tensor<2x2xf32>) attributes {zero.recompute} {
    %1 = nn.tanh %a : tensor<2x2xf32>
    nn.yield %1 : tensor<2x2xf32>
  }
  %view2 = nn.reshape %second : tensor<2x2xf32> -> tensor<4xf32>
  "use"(%view2) {forward} : (tensor<4xf32>) -> ()
  // CHECK: train.accumulate
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  // CHECK-NEXT: %[[FIRST:.*]] = nn.fusion ins(%{{.*}} = %[[KEPT]] : tensor<4xf32>)
  // CHECK-NEXT: nn.exp
  // CHECK: %[[VIEW:.*]] = nn.reshape %[[FIRST]]
  // CHECK-NEXT: %[[SECOND:.*]] = nn.fusion ins(%{{.*}} = %[[VIEW]] : tensor<2x2xf32>)
  // CHECK-NEXT: nn.tanh
  // CHECK: %[[VIEW2:.*]] = nn.reshape %[[SECOND]]
  // CHECK-NEXT: "use"(%[[VIEW2]])
  "use"(%view2) : (tensor<4xf32>) -> ()
  // CHECK-NEXT: "use"(%[[FIRST]])
  "use"(%first) : (tensor<4xf32>) -> ()
  // CHECK-NEXT: train.return
  train.return
}

// -----

// What forward itself does not need moves.
train.state @dsc.loss_weight : tensor<f64> accumulator
// CHECK-LABEL: train.entry @step
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}, %w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  // CHECK-NEXT: train.accumulate
  %0 = nn.fusion ins(%a = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  // CHECK-NEXT: nn.fusion
  // CHECK: "use"
  "use"(%0) : (tensor<4xf32>) -> ()
  train.return
}

// -----

// No effect: on a region that backward does not use, on one of backward, and in
// an entry without backward. The annotations go.
train.state @dsc.loss_weight : tensor<f64> accumulator
// CHECK-LABEL: train.entry @step
// CHECK-NOT: zero.recompute
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}, %w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  // CHECK-COUNT-1: nn.exp
  %0 = nn.fusion ins(%a = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  "use"(%0) {forward} : (tensor<4xf32>) -> ()
  // CHECK: train.accumulate
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  // CHECK-NOT: nn.exp
  // CHECK-COUNT-1: nn.tanh
  // CHECK-NOT: nn.tanh
  %2 = nn.fusion ins(%a = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %3 = nn.tanh %a : tensor<4xf32>
    nn.yield %3 : tensor<4xf32>
  }
  "use"(%2) : (tensor<4xf32>) -> ()
  train.return
}
// CHECK-LABEL: train.entry @eval
// CHECK-COUNT-1: nn.exp
// CHECK-NOT: nn.exp
// CHECK-NOT: zero.recompute
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(eval) {
  %0 = nn.fusion ins(%a = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  "use"(%0) : (tensor<4xf32>) -> ()
  train.return
}

// RUN: dsc-opt %s -schedule-recompute -split-input-file -allow-unregistered-dialect | FileCheck %s
// RUN: dsc-opt %s -schedule-recompute -split-input-file -allow-unregistered-dialect --remark-format=emitRemark --remarks-filter=schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Which gather a region that runs again takes its parameters from.

// One that is alive there serves as it is.
train.parameter @p : tensor<4xf32> trainable("")
train.state @dsc.loss_weight : tensor<f64> accumulator
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
// CHECK-LABEL: train.entry @step
train.entry @step(%w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  %t = zero.gather_start @g axis(@world)
  %p = zero.gather_await %t : tensor<4xf32>
  %0 = nn.fusion ins(%a = %p : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  "use"(%0) {forward} : (tensor<4xf32>) -> ()
  zero.release @g(%p) : tensor<4xf32>
  // CHECK: train.accumulate
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  // CHECK-NEXT: zero.gather_start
  // CHECK-NEXT: %[[P:.*]] = zero.gather_await
  %t2 = zero.gather_start @g axis(@world)
  %p2 = zero.gather_await %t2 : tensor<4xf32>
  // CHECK-NEXT: "use"(%[[P]])
  "use"(%p2) : (tensor<4xf32>) -> ()
  // CHECK-NEXT: %[[C:.*]] = nn.fusion ins(%{{.*}} = %[[P]] : tensor<4xf32>)
  // CHECK: "use"(%[[C]])
  "use"(%0) : (tensor<4xf32>) -> ()
  // CHECK-NEXT: zero.release @g(%[[P]])
  zero.release @g(%p2) : tensor<4xf32>
  train.return
}

// -----

// The next one is moved up, also where the parameter is read through a view.
train.parameter @p : tensor<4xf32> trainable("")
train.state @dsc.loss_weight : tensor<f64> accumulator
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
// CHECK-LABEL: train.entry @step
train.entry @step(%w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  %t = zero.gather_start @g axis(@world)
  %p = zero.gather_await %t : tensor<4xf32>
  %v = nn.reshape %p : tensor<4xf32> -> tensor<2x2xf32>
  %0 = nn.fusion ins(%a = %v : tensor<2x2xf32>) kind("elementwise") -> (tensor<2x2xf32>) attributes {zero.recompute} {
    %1 = nn.exp %a : tensor<2x2xf32>
    nn.yield %1 : tensor<2x2xf32>
  }
  "use"(%0) {forward} : (tensor<2x2xf32>) -> ()
  zero.release @g(%p) : tensor<4xf32>
  // CHECK: train.accumulate
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  // CHECK-NEXT: "other"
  "other"() : () -> ()
  // CHECK-NEXT: %[[T:.*]] = zero.gather_start @g
  // CHECK-NEXT: %[[P:.*]] = zero.gather_await %[[T]]
  // CHECK-NEXT: %[[V:.*]] = nn.reshape %[[P]]
  // CHECK-NEXT: %[[C:.*]] = nn.fusion ins(%{{.*}} = %[[V]] : tensor<2x2xf32>)
  // CHECK: "use"(%[[C]])
  "use"(%0) : (tensor<2x2xf32>) -> ()
  // CHECK-NEXT: "other"
  "other"() : () -> ()
  %t2 = zero.gather_start @g axis(@world)
  %p2 = zero.gather_await %t2 : tensor<4xf32>
  // CHECK-NEXT: "use"(%[[P]])
  "use"(%p2) : (tensor<4xf32>) -> ()
  // CHECK-NEXT: zero.release @g(%[[P]])
  zero.release @g(%p2) : tensor<4xf32>
  // CHECK-NOT: zero.gather_start
  // CHECK: train.return
  train.return
}

// -----

// Where only an earlier one is left, it is released later.
train.parameter @p : tensor<4xf32> trainable("")
train.state @dsc.loss_weight : tensor<f64> accumulator
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
// CHECK-LABEL: train.entry @step
train.entry @step(%w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  %t = zero.gather_start @g axis(@world)
  %p = zero.gather_await %t : tensor<4xf32>
  %0 = nn.fusion ins(%a = %p : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  "use"(%0) {forward} : (tensor<4xf32>) -> ()
  zero.release @g(%p) : tensor<4xf32>
  // CHECK: train.accumulate
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  // CHECK-NEXT: zero.gather_start
  // CHECK-NEXT: %[[P:.*]] = zero.gather_await
  %t2 = zero.gather_start @g axis(@world)
  %p2 = zero.gather_await %t2 : tensor<4xf32>
  // CHECK-NEXT: "use"(%[[P]])
  "use"(%p2) : (tensor<4xf32>) -> ()
  zero.release @g(%p2) : tensor<4xf32>
  // CHECK-NEXT: %[[C:.*]] = nn.fusion ins(%{{.*}} = %[[P]] : tensor<4xf32>)
  // CHECK: zero.release @g(%[[P]])
  // CHECK-NEXT: "use"(%[[C]])
  "use"(%0) : (tensor<4xf32>) -> ()
  // CHECK-NOT: zero.gather_start
  // CHECK: train.return
  train.return
}

// -----

// Backward has none of the group: it is gathered once more, for all copies.
// REMARK: GatheredAgain
// REMARK-SAME: group=frozen
// REMARK-NOT: GatheredAgain
train.parameter @p : tensor<4xf32> frozen("")
train.state @dsc.loss_weight : tensor<f64> accumulator
zero.group @frozen frozen stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
// CHECK-LABEL: train.entry @step
train.entry @step(%w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  %t = zero.gather_start @frozen axis(@world)
  %p = zero.gather_await %t : tensor<4xf32>
  %0 = nn.fusion ins(%a = %p : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  %2 = nn.fusion ins(%a = %p : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %3 = nn.tanh %a : tensor<4xf32>
    nn.yield %3 : tensor<4xf32>
  }
  "use"(%0, %2) {forward} : (tensor<4xf32>, tensor<4xf32>) -> ()
  zero.release @frozen(%p) : tensor<4xf32>
  // CHECK: train.accumulate
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  // CHECK-NEXT: %[[T:.*]] = zero.gather_start @frozen axis(@world)
  // CHECK-NEXT: %[[P:.*]] = zero.gather_await %[[T]] : tensor<4xf32>
  // CHECK-NEXT: %[[TANH:.*]] = nn.fusion ins(%{{.*}} = %[[P]] : tensor<4xf32>)
  // CHECK-NEXT: nn.tanh
  // CHECK: "use"(%[[TANH]])
  "use"(%2) : (tensor<4xf32>) -> ()
  // CHECK-NEXT: %[[EXP:.*]] = nn.fusion ins(%{{.*}} = %[[P]] : tensor<4xf32>)
  // CHECK-NEXT: nn.exp
  // CHECK: zero.release @frozen(%[[P]])
  // CHECK-NEXT: "use"(%[[EXP]])
  "use"(%0) : (tensor<4xf32>) -> ()
  // CHECK-NOT: zero.gather_start
  // CHECK: train.return
  train.return
}

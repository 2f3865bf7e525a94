// RUN: dsc-opt %s -fusion-form-regions -split-input-file | FileCheck %s

// All that update does to one parameter is one region: the new parameter and
// moment, and the zeroed gradient. The norm of the gradient comes before.

train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
train.state @w.momentum : tensor<4xf32> moment of @w
train.state @dsc.lr : tensor<f64> setting = 1.000000e-03 "learning rate"
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: %[[LR:.*]] = train.read @dsc.lr
  // CHECK: %[[G:.*]] = train.read @w.grad
  // CHECK: %[[NORM:.*]] = nn.fusion ins({{.*}} = %[[G]] : tensor<4xf32>) kind("reduction")
  // CHECK: %[[SCALARS:.*]]:2 = nn.fusion ins({{.*}} = %[[LR]] : tensor<f64>, {{.*}} = %[[NORM]] : tensor<f64>) kind("scalar") -> (tensor<f32>, tensor<i1>)
  // CHECK: %[[M:.*]] = train.read @w.momentum
  // CHECK: %[[P:.*]] = train.read @w
  // CHECK: %[[NEW:.*]]:3 = nn.fusion ins({{.*}}) kind("elementwise") -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: train.write @w.momentum, %[[NEW]]#0
  // CHECK-DAG: train.write @w, %[[NEW]]#1
  // CHECK-DAG: train.write @w.grad, %[[NEW]]#2
  %lr = train.read @dsc.lr : tensor<f64>
  %lr32 = nn.cast %lr : tensor<f64> -> tensor<f32>
  %g = train.read @w.grad : tensor<4xf32>
  %n = nn.sum_squares %g : tensor<4xf32> -> tensor<f64>
  %f = nn.is_finite %n : tensor<f64> -> tensor<i1>
  %m = train.read @w.momentum : tensor<4xf32>
  %1 = nn.add %m, %g : tensor<4xf32>
  train.write @w.momentum, %1 : tensor<4xf32>
  %p = train.read @w : tensor<4xf32>
  %2 = nn.broadcast %lr32 dims = [] : tensor<f32> -> tensor<4xf32>
  %3 = nn.mul %1, %2 : tensor<4xf32>
  %4 = nn.sub %p, %3 : tensor<4xf32>
  %5 = nn.broadcast %f dims = [] : tensor<i1> -> tensor<4xi1>
  %6 = nn.select %5, %4, %p : tensor<4xi1>, tensor<4xf32>
  train.write @w, %6 : tensor<4xf32>
  %7 = nn.constant dense<0.0> : tensor<f32>
  %8 = nn.broadcast %7 dims = [] : tensor<f32> -> tensor<4xf32>
  train.write @w.grad, %8 : tensor<4xf32>
  train.return
}

// -----

// Parameters of equal shape, and scalar parameters, keep apart.

train.parameter @a : tensor<f32> trainable("")
train.parameter @b : tensor<f32> trainable("")
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: %[[A:.*]] = train.read @a
  // CHECK: %[[B:.*]] = train.read @b
  // CHECK: %[[NEWA:.*]] = nn.fusion ins({{.*}} = %[[A]] : tensor<f32>) kind("scalar") -> (tensor<f32>)
  // CHECK: train.write @a, %[[NEWA]]
  // CHECK: %[[NEWB:.*]] = nn.fusion ins({{.*}} = %[[B]] : tensor<f32>) kind("scalar") -> (tensor<f32>)
  // CHECK: train.write @b, %[[NEWB]]
  %a = train.read @a : tensor<f32>
  %b = train.read @b : tensor<f32>
  %0 = nn.neg %a : tensor<f32>
  train.write @a, %0 : tensor<f32>
  %1 = nn.neg %b : tensor<f32>
  train.write @b, %1 : tensor<f32>
  train.return
}

// -----

// What reads a state after it was written must not join the region that made
// the written value: the order of reads and writes stays.

train.parameter @w : tensor<4xf32> trainable("")
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: %[[OLD:.*]] = train.read @w
  // CHECK: %[[FIRST:.*]] = nn.fusion ins({{.*}} = %[[OLD]]
  // CHECK: train.write @w, %[[FIRST]]
  // CHECK: %[[NEW:.*]] = train.read @w
  // CHECK: %[[SECOND:.*]] = nn.fusion ins({{.*}} = %[[NEW]]
  // CHECK: train.write @w, %[[SECOND]]
  %0 = train.read @w : tensor<4xf32>
  %1 = nn.neg %0 : tensor<4xf32>
  train.write @w, %1 : tensor<4xf32>
  %2 = train.read @w : tensor<4xf32>
  %3 = nn.exp %2 : tensor<4xf32>
  train.write @w, %3 : tensor<4xf32>
  train.return
}

// -----

// If a sum over the scaled gradient decides on the step, two regions cannot be
// one: the second waits for the sum over the first.

train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: %[[SCALED:.*]] = nn.fusion {{.*}} kind("elementwise")
  // CHECK: %[[SUM:.*]] = nn.fusion ins({{.*}} = %[[SCALED]] : tensor<4xf32>) kind("reduction")
  // CHECK: %[[SCALAR:.*]] = nn.fusion ins({{.*}} = %[[SUM]] : tensor<f64>) kind("scalar")
  // CHECK: nn.fusion ins({{.*}} = %[[SCALED]] : tensor<4xf32>, {{.*}} = %[[SCALAR]] : tensor<f32>) kind("elementwise")
  %g = train.read @w.grad : tensor<4xf32>
  %0 = nn.neg %g : tensor<4xf32>
  %1 = nn.sum_squares %0 : tensor<4xf32> -> tensor<f64>
  %2 = nn.cast %1 : tensor<f64> -> tensor<f32>
  %3 = nn.broadcast %2 dims = [] : tensor<f32> -> tensor<4xf32>
  %4 = nn.mul %0, %3 : tensor<4xf32>
  train.write @w, %4 : tensor<4xf32>
  train.return
}

// -----

// A scalar that joins others behind the sum over a parameter's region cannot
// feed that region: what is broadcast from it has a region of its own.

train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
train.state @dsc.report.norm : tensor<f64> report
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: %[[NEW:.*]] = nn.fusion {{.*}} kind("elementwise") -> (tensor<4xf32>)
  // CHECK: %[[SUM:.*]] = nn.fusion ins({{.*}} = %[[NEW]] : tensor<4xf32>) kind("reduction")
  // CHECK: %[[SCALARS:.*]]:2 = nn.fusion ins({{.*}}) kind("scalar") -> (tensor<f64>, tensor<f32>)
  // CHECK: %[[FULL:.*]] = nn.fusion ins({{.*}} = %[[SCALARS]]#1 : tensor<f32>) kind("elementwise")
  // CHECK: train.write @w.grad, %[[FULL]]
  %g = train.read @w.grad : tensor<4xf32>
  %0 = nn.neg %g : tensor<4xf32>
  train.write @w, %0 : tensor<4xf32>
  %1 = nn.sum_squares %0 : tensor<4xf32> -> tensor<f64>
  %2 = nn.sqrt %1 : tensor<f64>
  train.write @dsc.report.norm, %2 : tensor<f64>
  %3 = nn.constant dense<1.0> : tensor<f32>
  %4 = nn.neg %3 : tensor<f32>
  %5 = nn.broadcast %4 dims = [] : tensor<f32> -> tensor<4xf32>
  train.write @w.grad, %5 : tensor<4xf32>
  train.return
}

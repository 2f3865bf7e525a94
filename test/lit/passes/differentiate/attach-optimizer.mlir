// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd" | FileCheck %s
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd clip-norm=true max-norm=0.5" | FileCheck %s --check-prefix=CLIP
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd no-decay=^b" | FileCheck %s --check-prefix=NODECAY

// The frame of update, which is the same for every optimizer, on the smallest
// of them. Numbers of the host are settings; what the host reads are reports.

// CHECK: train.state @dsc.lr : tensor<f64> setting = 1.000000e-03 "learning rate"
// CHECK: train.state @dsc.weight_decay : tensor<f64> setting
// CHECK-NOT: dsc.momentum
// CHECK-NOT: dsc.clip_norm
// CHECK: train.state @dsc.applied_steps : tensor<i64> counter
// CHECK: train.state @dsc.report.loss : tensor<f64> report
// CHECK: train.state @dsc.report.lr : tensor<f64> report
// CHECK: train.state @dsc.report.grad_norm : tensor<f64> report
// CHECK: train.state @dsc.report.weight : tensor<f64> report
// CHECK: train.state @dsc.report.skipped : tensor<f64> report

// The gradient of the mean is the accumulated one times W0 / W, or nothing if W
// is 0.

// CHECK: train.entry @update() kind(update) {
// CHECK: %[[ZERO:.+]] = nn.constant dense<0.000000e+00> : tensor<f64>
// CHECK: %[[ONE:.+]] = nn.constant dense<1.000000e+00> : tensor<f64>
// CHECK: %[[LOSS:.+]] = train.read @dsc.loss_sum
// CHECK: %[[W:.+]] = train.read @dsc.loss_weight
// CHECK: %[[HAS_W:.+]] = nn.compare ne %[[W]], %[[ZERO]]
// CHECK: %[[SAFE_W:.+]] = nn.select %[[HAS_W]], %[[W]], %[[ONE]]
// CHECK: %[[W0:.+]] = train.read @dsc.nominal_weight
// CHECK: %[[RATIO:.+]] = nn.div %[[W0]], %[[SAFE_W]]
// CHECK: %[[SCALE:.+]] = nn.select %[[HAS_W]], %[[RATIO]], %[[ZERO]]

// One flag tells whether everything is finite: the squares of all gradients, in
// the order of the parameters, and the loss.

// CHECK: %[[GW:.+]] = train.read @w.grad
// CHECK: %[[SW:.+]] = nn.sum_squares %[[GW]]
// CHECK: %[[GB:.+]] = train.read @b.grad
// CHECK: %[[SB:.+]] = nn.sum_squares %[[GB]]
// CHECK: %[[SQUARES:.+]] = nn.add %[[SW]], %[[SB]]
// CHECK: %[[SCALE2:.+]] = nn.mul %[[SCALE]], %[[SCALE]]
// CHECK: %[[NORM2:.+]] = nn.mul %[[SQUARES]], %[[SCALE2]]
// CHECK: %[[NORM:.+]] = nn.sqrt %[[NORM2]]
// CHECK: %[[FINITE_NORM:.+]] = nn.is_finite %[[NORM2]]
// CHECK: %[[FINITE_LOSS:.+]] = nn.is_finite %[[LOSS]]
// CHECK: %[[APPLIED:.+]] = nn.and %[[FINITE_NORM]], %[[FINITE_LOSS]]

// PyTorch's clip_grad_norm_ multiplies the scale by one more factor, unless the
// host has set the threshold to 0.

// CLIP: train.state @dsc.clip_norm : tensor<f64> setting = 5.000000e-01
// CLIP: %[[NORM:.+]] = nn.sqrt
// CLIP: %[[MAX:.+]] = train.read @dsc.clip_norm
// CLIP: %[[EPSILON:.+]] = nn.constant dense<9.9999999999999995E-7> : tensor<f64>
// CLIP: %[[DENOMINATOR:.+]] = nn.add %[[NORM]], %[[EPSILON]]
// CLIP: %[[FACTOR:.+]] = nn.div %[[MAX]], %[[DENOMINATOR]]
// CLIP: %[[ATMOST1:.+]] = nn.min %{{.+}}, %[[FACTOR]]
// CLIP: %[[CLIPS:.+]] = nn.compare gt %[[MAX]], %{{.+}}
// CLIP: %[[CHOSEN:.+]] = nn.select %[[CLIPS]], %[[ATMOST1]], %{{.+}}
// CLIP: nn.mul %{{.+}}, %[[CHOSEN]]

// Scalars are f64 and converted once for each element type.

// CHECK: %[[COUNT:.+]] = train.read @dsc.applied_steps : tensor<i64>
// CHECK: %[[LR:.+]] = nn.select
// CHECK: %[[DECAY:.+]] = train.read @dsc.weight_decay
// CHECK: %[[ZERO32:.+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[SCALE32:.+]] = nn.cast %[[SCALE]] : tensor<f64> -> tensor<f32>
// CHECK: %[[LR32:.+]] = nn.cast %[[LR]] : tensor<f64> -> tensor<f32>
// CHECK: %[[DECAY32:.+]] = nn.cast %[[DECAY]] : tensor<f64> -> tensor<f32>
// CHECK-NOT: nn.cast

// Each parameter is updated by elementwise operations of its own shape. The
// flag chooses between new and old; the gradient starts again from zero.

// CHECK: %[[P:.+]] = train.read @w : tensor<2x3xf32>
// CHECK: %[[SCALES:.+]] = nn.broadcast %[[SCALE32]] dims = [] : tensor<f32> -> tensor<2x3xf32>
// CHECK: %[[G:.+]] = nn.mul %[[GW]], %[[SCALES]] : tensor<2x3xf32>
// CHECK: %[[NEW:.+]] = nn.sub %[[P]]
// CHECK: %[[KEEP:.+]] = nn.broadcast %[[APPLIED]] dims = [] : tensor<i1> -> tensor<2x3xi1>
// CHECK: %[[CHOSEN:.+]] = nn.select %[[KEEP]], %[[NEW]], %[[P]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK: train.write @w, %[[CHOSEN]]
// CHECK: %[[ZEROS:.+]] = nn.broadcast %[[ZERO32]] dims = [] : tensor<f32> -> tensor<2x3xf32>
// CHECK: train.write @w.grad, %[[ZEROS]]

// Also a scalar parameter is broadcast to, and never shares a tensor.

// CHECK: train.read @b : tensor<f32>
// CHECK: nn.broadcast %[[SCALE32]] dims = [] : tensor<f32> -> tensor<f32>
// CHECK: nn.broadcast %[[APPLIED]] dims = [] : tensor<i1> -> tensor<i1>
// CHECK: train.write @b,
// CHECK: train.write @b.grad,

// Decay is left out for parameters that --no-decay matches.

// NODECAY: train.read @w : tensor<2x3xf32>
// NODECAY: nn.mul %{{.+}}, %w : tensor<2x3xf32>
// NODECAY: train.write @w,
// NODECAY: train.read @b : tensor<f32>
// NODECAY-NOT: nn.mul %{{.+}}, %b :
// NODECAY: train.write @b,

// A skipped update is counted, and does not advance the applied ones.

// CHECK: %[[SKIPPED:.+]] = nn.not %[[APPLIED]]
// CHECK: %[[SKIPPED64:.+]] = nn.cast %[[SKIPPED]] : tensor<i1> -> tensor<f64>
// CHECK: %[[QUOTIENT:.+]] = nn.div %[[LOSS]], %[[SAFE_W]]
// CHECK: %[[MEAN:.+]] = nn.select %[[HAS_W]], %[[QUOTIENT]]
// CHECK: %[[OLD_SKIPPED:.+]] = train.read @dsc.report.skipped
// CHECK: %[[ALL_SKIPPED:.+]] = nn.add %[[OLD_SKIPPED]], %[[SKIPPED64]]
// CHECK: %[[INCREMENT:.+]] = nn.cast %[[APPLIED]] : tensor<i1> -> tensor<i64>
// CHECK: %[[NEW_COUNT:.+]] = nn.add %[[COUNT]], %[[INCREMENT]]
// CHECK: train.write @dsc.applied_steps, %[[NEW_COUNT]]
// CHECK: train.write @dsc.report.loss, %[[MEAN]]
// CHECK: train.write @dsc.report.lr, %[[LR]]
// CHECK: train.write @dsc.report.grad_norm, %[[NORM]]
// CHECK: train.write @dsc.report.weight, %[[W]]
// CHECK: train.write @dsc.report.skipped, %[[ALL_SKIPPED]]
// CHECK: train.write @dsc.loss_sum,
// CHECK: train.write @dsc.loss_weight,
// CHECK: train.return
train.parameter @w : tensor<2x3xf32> trainable("")
train.parameter @b : tensor<f32> trainable("")
train.parameter @frozen : tensor<2xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.nominal_weight : tensor<f64> setting = 1.0 "weight"
train.state @w.grad : tensor<2x3xf32> gradient of @w
train.state @b.grad : tensor<f32> gradient of @b

// RUN: dsc-opt %s --differentiate-build-layer-norms | FileCheck %s

// Parameters of one layer count together, one without a number in its name is a
// layer of its own, and one that is not trained counts nowhere.

train.parameter @h.0.w : tensor<3x2xf32> trainable("float initializer")
train.parameter @embedding : tensor<5x2xf32> trainable("float initializer")
train.parameter @h.0.b : tensor<2xf32> trainable("float initializer")
train.parameter @h.1.frozen : tensor<2xf32> frozen("--freeze")
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.nominal_weight : tensor<f64> setting = 4.000000e+00 "weight"
train.state @h.0.w.grad : tensor<3x2xf32> gradient of @h.0.w
train.state @embedding.grad : tensor<5x2xf32> gradient of @embedding
train.state @h.0.b.grad : tensor<2xf32> gradient of @h.0.b

// CHECK-LABEL: train.entry @layer_norms()
// CHECK-SAME: tensor<f64> {dsc.layer = "h.0", dsc.name = "h.0.gradient_norm", dsc.norm_of = "gradient"}
// CHECK-SAME: tensor<f64> {dsc.layer = "h.0", dsc.name = "h.0.weight_norm", dsc.norm_of = "weight"}
// CHECK-SAME: tensor<f64> {dsc.layer = "embedding", dsc.name = "embedding.gradient_norm", dsc.norm_of = "gradient"}
// CHECK-SAME: tensor<f64> {dsc.layer = "embedding", dsc.name = "embedding.weight_norm", dsc.norm_of = "weight"}
// CHECK-SAME: kind(layer_norms)

// All sums over tensors come before anything that needs one, so that ranks add
// up their shares in one message.

// CHECK: %[[GW:.+]] = train.read @h.0.w.grad
// CHECK: %[[GW2:.+]] = nn.sum_squares %[[GW]]
// CHECK: %[[W:.+]] = train.read @h.0.w :
// CHECK: %[[W2:.+]] = nn.sum_squares %[[W]]
// CHECK: %[[GB:.+]] = train.read @h.0.b.grad
// CHECK: %[[GB2:.+]] = nn.sum_squares %[[GB]]
// CHECK: %[[B:.+]] = train.read @h.0.b :
// CHECK: %[[B2:.+]] = nn.sum_squares %[[B]]
// CHECK: train.read @embedding.grad
// CHECK: train.read @embedding :

// The gradient is that of the mean: W0 / W of what was accumulated, or nothing
// if W is 0.

// CHECK: %[[WEIGHT:.+]] = train.read @dsc.loss_weight
// CHECK: %[[HAS_W:.+]] = nn.compare ne %[[WEIGHT]]
// CHECK: nn.select %[[HAS_W]]
// CHECK: %[[SCALE:.+]] = nn.select %[[HAS_W]]
// CHECK: %[[SCALE2:.+]] = nn.mul %[[SCALE]], %[[SCALE]]
// CHECK: %[[G2:.+]] = nn.add %[[GW2]], %[[GB2]]
// CHECK: %[[SCALED:.+]] = nn.mul %[[G2]], %[[SCALE2]]
// CHECK: %[[G:.+]] = nn.sqrt %[[SCALED]]
// CHECK: %[[N2:.+]] = nn.add %[[W2]], %[[B2]]
// CHECK: %[[N:.+]] = nn.sqrt %[[N2]]
// CHECK: train.return %[[G]], %[[N]],

// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd" | FileCheck %s --check-prefix=SGD
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd use-momentum=true momentum=0.9" | FileCheck %s --check-prefixes=MOMENTUM,PLAIN
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd use-momentum=true nesterov=true" | FileCheck %s --check-prefixes=MOMENTUM,NESTEROV
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=adam" | FileCheck %s --check-prefixes=MOMENTS,COUPLED,CORRECTED
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=adamw" | FileCheck %s --check-prefixes=MOMENTS,DECOUPLED,CORRECTED
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=adamw adam-epsilon=uncorrected" | FileCheck %s --check-prefixes=MOMENTS,DECOUPLED,UNCORRECTED

// Plain descent, g += decay * p;  p -= lr * g

// SGD: train.read @dsc.lr
// SGD: %[[LR:.+]] = nn.select
// SGD: %[[DECAY:.+]] = train.read @dsc.weight_decay
// SGD: %[[LR32:.+]] = nn.cast %[[LR]]
// SGD: %[[DECAY32:.+]] = nn.cast %[[DECAY]]
// SGD: %[[P:.+]] = train.read @w :
// SGD: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<4xf32>
// SGD: %[[D:.+]] = nn.broadcast %[[DECAY32]]
// SGD: %[[DP:.+]] = nn.mul %[[D]], %[[P]]
// SGD: %[[DG:.+]] = nn.add %[[G]], %[[DP]]
// SGD: %[[L:.+]] = nn.broadcast %[[LR32]]
// SGD: %[[STEP:.+]] = nn.mul %[[L]], %[[DG]]
// SGD: nn.sub %[[P]], %[[STEP]]

// Momentum: m = momentum * m + g;  p -= lr * m.
// Nesterov looks ahead:            p -= lr * (g + momentum * m)

// MOMENTUM: train.state @w.momentum_buffer : tensor<4xf32> moment of @w
// MOMENTUM: train.state @dsc.momentum : tensor<f64> setting
// MOMENTUM: %[[OLD:.+]] = train.read @w.momentum_buffer
// MOMENTUM: %[[DG:.+]] = nn.add %{{.+}}, %{{.+}} : tensor<4xf32>
// MOMENTUM: %[[M:.+]] = nn.broadcast
// MOMENTUM: %[[KEPT:.+]] = nn.mul %[[M]], %[[OLD]]
// MOMENTUM: %[[NEW:.+]] = nn.add %[[KEPT]], %[[DG]]
// NESTEROV: %[[AHEAD:.+]] = nn.mul %[[M]], %[[NEW]]
// NESTEROV: %[[DIRECTION:.+]] = nn.add %[[DG]], %[[AHEAD]]
// NESTEROV: nn.mul %{{.+}}, %[[DIRECTION]]
// PLAIN: %[[L:.+]] = nn.broadcast
// PLAIN: nn.mul %[[L]], %[[NEW]]
// MOMENTUM: %[[CHOSEN:.+]] = nn.select %{{.+}}, %[[NEW]], %[[OLD]]
// MOMENTUM: train.write @w.momentum_buffer, %[[CHOSEN]]

// Adam: scalars first, with n the number of this update.
//   c1 = 1 - beta1^n;  root2 = sqrt(1 - beta2^n)

// MOMENTS: train.state @w.exp_avg : tensor<4xf32> moment of @w
// MOMENTS: train.state @w.exp_avg_sq : tensor<4xf32> moment of @w
// MOMENTS: train.state @dsc.beta1 : tensor<f64> setting = 9.000000e-01
// MOMENTS: train.state @dsc.beta2 : tensor<f64> setting = {{0\.99.*}}
// MOMENTS: train.state @dsc.eps : tensor<f64> setting = 1.000000e-08
// MOMENTS: %[[APPLIED:.+]] = nn.cast %dsc.applied_steps : tensor<i64> -> tensor<f64>
// MOMENTS: %[[LR:.+]] = nn.select
// MOMENTS: %[[N:.+]] = nn.add %[[APPLIED]],
// MOMENTS: %[[ONE:.+]] = nn.constant dense<1.000000e+00> : tensor<f64>
// MOMENTS: %[[BETA1:.+]] = train.read @dsc.beta1
// MOMENTS: %[[BETA2:.+]] = train.read @dsc.beta2
// MOMENTS: %[[POWER1:.+]] = nn.pow %[[BETA1]], %[[N]]
// MOMENTS: %[[C1:.+]] = nn.sub %[[ONE]], %[[POWER1]]
// MOMENTS: %[[POWER2:.+]] = nn.pow %[[BETA2]], %[[N]]
// MOMENTS: %[[C2:.+]] = nn.sub %[[ONE]], %[[POWER2]]
// MOMENTS: %[[ROOT2:.+]] = nn.sqrt %[[C2]]

// The step size holds one bias correction (PyTorch), or both.

// CORRECTED: %[[SIZE:.+]] = nn.div %[[LR]], %[[C1]]
// UNCORRECTED: %[[ROOT_LR:.+]] = nn.mul %[[LR]], %[[ROOT2]]
// UNCORRECTED: %[[SIZE:.+]] = nn.div %[[ROOT_LR]], %[[C1]]
// MOMENTS: %[[SIZE32:.+]] = nn.cast %[[SIZE]] : tensor<f64> -> tensor<f32>

// AdamW shrinks the parameter by 1 - lr * decay, Adam adds to the gradient.

// MOMENTS: %[[P:.+]] = train.read @w :
// MOMENTS: %[[OLD_M:.+]] = train.read @w.exp_avg :
// MOMENTS: %[[OLD_V:.+]] = train.read @w.exp_avg_sq :
// MOMENTS: %[[SCALED:.+]] = nn.mul %w.grad, %{{.+}} : tensor<4xf32>
// COUPLED: %[[D:.+]] = nn.broadcast
// COUPLED: %[[DP:.+]] = nn.mul %[[D]], %[[P]]
// COUPLED: %[[G:.+]] = nn.add %[[SCALED]], %[[DP]]
// DECOUPLED: %[[FACTOR:.+]] = nn.broadcast
// DECOUPLED: %[[SHRUNK:.+]] = nn.mul %[[P]], %[[FACTOR]]

// m += (1 - beta1) * (g - m);  v = beta2 * v + (1 - beta2) * g * g

// COUPLED: %[[GM:.+]] = nn.sub %[[G]], %[[OLD_M]]
// DECOUPLED: %[[GM:.+]] = nn.sub %[[SCALED]], %[[OLD_M]]
// MOMENTS: %[[PART:.+]] = nn.mul %{{.+}}, %[[GM]]
// MOMENTS: %[[M:.+]] = nn.add %[[OLD_M]], %[[PART]]
// MOMENTS: %[[KEPT:.+]] = nn.mul %{{.+}}, %[[OLD_V]]
// COUPLED: %[[SQUARE:.+]] = nn.mul %[[G]], %[[G]]
// DECOUPLED: %[[SQUARE:.+]] = nn.mul %[[SCALED]], %[[SCALED]]
// MOMENTS: %[[ADDED:.+]] = nn.mul %{{.+}}, %[[SQUARE]]
// MOMENTS: %[[V:.+]] = nn.add %[[KEPT]], %[[ADDED]]

// p -= size * m / (root of v + eps), where the root is corrected or not.

// MOMENTS: %[[ROOT:.+]] = nn.sqrt %[[V]]
// CORRECTED: %[[BIAS:.+]] = nn.broadcast
// CORRECTED: %[[FIXED:.+]] = nn.div %[[ROOT]], %[[BIAS]]
// CORRECTED: %[[DENOMINATOR:.+]] = nn.add %[[FIXED]], %{{.+}} : tensor<4xf32>
// UNCORRECTED: %[[DENOMINATOR:.+]] = nn.add %[[ROOT]], %{{.+}} : tensor<4xf32>
// MOMENTS: %[[SIZES:.+]] = nn.broadcast %[[SIZE32]]
// MOMENTS: %[[RATIO:.+]] = nn.div %[[M]], %[[DENOMINATOR]]
// MOMENTS: %[[STEP:.+]] = nn.mul %[[SIZES]], %[[RATIO]]
// COUPLED: nn.sub %[[P]], %[[STEP]]
// DECOUPLED: nn.sub %[[SHRUNK]], %[[STEP]]
train.parameter @w : tensor<4xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.nominal_weight : tensor<f64> setting = 1.0 "weight"
train.state @w.grad : tensor<4xf32> gradient of @w

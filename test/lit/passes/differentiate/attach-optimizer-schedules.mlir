// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd lr-schedule=constant" | FileCheck %s --check-prefixes=WARM,CONSTANT
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd lr-schedule=linear" | FileCheck %s --check-prefixes=WARM,LINEAR
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd lr-schedule=cosine" | FileCheck %s --check-prefixes=WARM,COSINE
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd lr-schedule=WarmupLR" | FileCheck %s --check-prefixes=DEEPSPEED,LOG,WARMUPLR
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd lr-schedule=WarmupLR warmup-type=linear" | FileCheck %s --check-prefixes=DEEPSPEED,RAMP,WARMUPLR
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd lr-schedule=WarmupDecayLR total-steps=500" | FileCheck %s --check-prefixes=DEEPSPEED,LOG,DECAYLR
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd lr-schedule=WarmupCosineLR" | FileCheck %s --check-prefixes=DEEPSPEED,LOG,COSINELR

// The learning rate is a formula over the number u of applied updates.

// Settings are those that the formula reads.

// WARM: train.state @dsc.warmup_steps : tensor<f64> setting = 0.000000e+00
// CONSTANT-NOT: dsc.total_steps
// LINEAR: train.state @dsc.total_steps : tensor<f64> setting = 1.000000e+03
// LINEAR: train.state @dsc.min_lr : tensor<f64> setting = 0.000000e+00
// WARMUPLR-NOT: dsc.total_steps
// WARMUPLR: train.state @dsc.min_lr
// DECAYLR: train.state @dsc.total_steps : tensor<f64> setting = 5.000000e+02
// COSINELR-NOT: dsc.min_lr
// COSINELR: train.state @dsc.warmup_min_ratio : tensor<f64> setting = 0.000000e+00
// COSINELR: train.state @dsc.cosine_min_ratio : tensor<f64> setting = 1.000000e-04

// Hugging Face's schedules rise as lr * u / max(1, w) while u < w.

// WARM: %[[U:.+]] = nn.cast %dsc.applied_steps : tensor<i64> -> tensor<f64>
// WARM: %[[ONE:.+]] = nn.constant dense<1.000000e+00>
// WARM: %[[LR:.+]] = train.read @dsc.lr
// WARM: %[[W:.+]] = train.read @dsc.warmup_steps
// WARM: %[[WARMING:.+]] = nn.compare lt %[[U]], %[[W]]
// WARM: %[[LENGTH:.+]] = nn.max %[[ONE]], %[[W]]
// WARM: %[[PART:.+]] = nn.div %[[U]], %[[LENGTH]]
// WARM: %[[RISING:.+]] = nn.mul %[[LR]], %[[PART]]
// CONSTANT: nn.select %[[WARMING]], %[[RISING]], %[[LR]]

// linear: m + (lr - m) * max(0, (T - u) / max(1, T - w))

// LINEAR: %[[T:.+]] = train.read @dsc.total_steps
// LINEAR: %[[M:.+]] = train.read @dsc.min_lr
// LINEAR: %[[TW:.+]] = nn.sub %[[T]], %[[W]]
// LINEAR: %[[REST:.+]] = nn.max %[[ONE]], %[[TW]]
// LINEAR: %[[TU:.+]] = nn.sub %[[T]], %[[U]]
// LINEAR: %[[LEFT:.+]] = nn.div %[[TU]], %[[REST]]
// LINEAR: %[[POSITIVE:.+]] = nn.max %{{.+}}, %[[LEFT]]
// LINEAR: %[[RANGE:.+]] = nn.sub %[[LR]], %[[M]]
// LINEAR: %[[ABOVE:.+]] = nn.mul %[[RANGE]], %[[POSITIVE]]
// LINEAR: %[[DECAYED:.+]] = nn.add %[[M]], %[[ABOVE]]
// LINEAR: nn.select %[[WARMING]], %[[RISING]], %[[DECAYED]]

// cosine: (1 + cos(pi * min(1, (u - w) / max(1, T - w)))) / 2 of the range

// COSINE: %[[TW:.+]] = nn.sub %{{.+}}, %[[W]]
// COSINE: %[[REST:.+]] = nn.max %[[ONE]], %[[TW]]
// COSINE: %[[UW:.+]] = nn.sub %[[U]], %[[W]]
// COSINE: %[[PROGRESS:.+]] = nn.div %[[UW]], %[[REST]]
// COSINE: %[[PI:.+]] = nn.constant dense<3.1415926535897931>
// COSINE: %[[ATMOST1:.+]] = nn.min %{{.+}}, %[[PROGRESS]]
// COSINE: %[[ANGLE:.+]] = nn.mul %[[PI]], %[[ATMOST1]]
// COSINE: %[[HALF:.+]] = nn.constant dense<5.000000e-01>
// COSINE: %[[COS:.+]] = nn.cos %[[ANGLE]]
// COSINE: %[[RAISED:.+]] = nn.add %{{.+}}, %[[COS]]
// COSINE: nn.mul %[[HALF]], %[[RAISED]]
// COSINE: nn.select %[[WARMING]], %[[RISING]]

// DeepSpeed steps its scheduler after the optimizer, so its index is
// t = max(0, u - 1); its warm-up lasts k = max(2, w) updates and rises as
// ln(t + 1) / ln(k), or t / k.

// DEEPSPEED: %[[U:.+]] = nn.cast %dsc.applied_steps : tensor<i64> -> tensor<f64>
// DEEPSPEED: %[[ZERO:.+]] = nn.constant dense<0.000000e+00>
// DEEPSPEED: %[[ONE:.+]] = nn.constant dense<1.000000e+00>
// DEEPSPEED: %[[LR:.+]] = train.read @dsc.lr
// DEEPSPEED: %[[TWO:.+]] = nn.constant dense<2.000000e+00>
// DEEPSPEED: %[[W:.+]] = train.read @dsc.warmup_steps
// DEEPSPEED: %[[K:.+]] = nn.max %[[TWO]], %[[W]]
// DEEPSPEED: %[[BEFORE:.+]] = nn.sub %[[U]], %[[ONE]]
// DEEPSPEED: %[[T:.+]] = nn.max %[[ZERO]], %[[BEFORE]]
// DEEPSPEED: %[[WARMING:.+]] = nn.compare lt %[[T]], %[[K]]
// LOG-DAG: %[[T1:.+]] = nn.add %[[T]], %[[ONE]]
// LOG-DAG: %[[LOG_T:.+]] = nn.log %[[T1]]
// LOG-DAG: %[[LOG_K:.+]] = nn.log %[[K]]
// LOG: %[[RISE:.+]] = nn.div %[[LOG_T]], %[[LOG_K]]
// RAMP: %[[RISE:.+]] = nn.div %[[T]], %[[K]]

// WarmupLR stays at lr, WarmupDecayLR falls to the floor on a line.

// WARMUPLR: nn.select %[[WARMING]], %[[RISE]], %[[ONE]]
// DECAYLR: %[[TOTAL:.+]] = train.read @dsc.total_steps
// DECAYLR-DAG: %[[LEFT:.+]] = nn.sub %[[TOTAL]], %[[T]]
// DECAYLR-DAG: %[[SPAN:.+]] = nn.sub %[[TOTAL]], %[[K]]
// DECAYLR: %[[LENGTH:.+]] = nn.max %[[ONE]], %[[SPAN]]
// DECAYLR: %[[QUOTIENT:.+]] = nn.div %[[LEFT]], %[[LENGTH]]
// DECAYLR: %[[AFTER:.+]] = nn.max %[[ZERO]], %[[QUOTIENT]]
// DECAYLR: nn.select %[[WARMING]], %[[RISE]], %[[AFTER]]

// WarmupCosineLR multiplies lr by a ratio; its very first update runs with 0.

// COSINELR: %[[START:.+]] = train.read @dsc.warmup_min_ratio
// COSINELR: %[[END:.+]] = train.read @dsc.cosine_min_ratio
// COSINELR: nn.cos
// COSINELR: %[[RATIO:.+]] = nn.select %[[WARMING]]
// COSINELR: %[[FIRST:.+]] = nn.compare eq %[[U]], %[[ZERO]]
// COSINELR: %[[CHOSEN:.+]] = nn.select %[[FIRST]], %[[ZERO]], %[[RATIO]]
// COSINELR: nn.mul %[[LR]], %[[CHOSEN]]
train.parameter @w : tensor<4xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.nominal_weight : tensor<f64> setting = 1.0 "weight"
train.state @w.grad : tensor<4xf32> gradient of @w

// RUN: not dsc-opt %s --precision-assign-types="policy=bf16" 2>&1 | FileCheck %s

// A policy that is not there yet is an error, never another policy.

// CHECK: error: unknown precision policy 'bf16'; this version supports f32 and f64
module {
}

// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-approximate-math))' | FileCheck %s

// f32 functions become polynomials, which vectorise.

// CHECK-LABEL: func.func private @single
// CHECK-NOT:     math.exp
// CHECK-NOT:     math.tanh
// CHECK:         math.fma
func.func private @single(%x: f32) -> f32 attributes {exec.kernel} {
  %0 = math.exp %x : f32
  %1 = math.tanh %0 : f32
  return %1 : f32
}

// f64 functions stay exact to the last bits, as calls of libm.

// CHECK-LABEL: func.func private @double
// CHECK:         math.exp
func.func private @double(%x: f64) -> f64 attributes {exec.kernel} {
  %0 = math.exp %x : f64
  return %0 : f64
}

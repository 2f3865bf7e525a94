// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-approximate-math))' | FileCheck %s

// f32 functions become polynomials, which vectorise. Integers are found by adding
// 1.5 * 2^23, and 2^n comes in two factors, so that results may be subnormal.

// CHECK-LABEL: func.func private @exp(
// CHECK-SAME:    %[[X:.+]]: f32
// CHECK-DAG:     %[[SHIFTER:.+]] = arith.constant 0x4B400000 : f32
// CHECK-NOT:     math.exp
// CHECK:         %[[LOW:.+]] = arith.cmpf olt, %[[X]]
// CHECK:         arith.select %[[LOW]]
// CHECK:         %[[SHIFTED:.+]] = math.fma %{{.+}}, %{{.+}}, %[[SHIFTER]]
// CHECK:         %[[HALF:.+]] = arith.shrsi
// CHECK:         arith.subi %{{.+}}, %[[HALF]]
// CHECK-COUNT-2: arith.shli
func.func private @exp(%x: f32) -> f32 attributes {exec.kernel} {
  %0 = math.exp %x : f32
  return %0 : f32
}

// Fast-math flags of the operation do not reach the polynomial, whose bits would
// then depend on the machine.

// CHECK-LABEL: func.func private @others(
// CHECK-NOT:     fastmath
// CHECK-NOT:     math.{{tanh|erf|log|exp|sin|cos}}
// CHECK:         return
func.func private @others(%x: f32) -> (f32, f32, f32, f32, f32) attributes {exec.kernel} {
  %0 = math.tanh %x fastmath<contract> : f32
  %1 = math.erf %x fastmath<contract> : f32
  %2 = math.log %x fastmath<contract> : f32
  %3 = math.sin %x fastmath<contract> : f32
  %4 = math.cos %x fastmath<contract> : f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// f64 functions stay exact to the last bits, as calls of libm.

// CHECK-LABEL: func.func private @double
// CHECK:         math.exp
func.func private @double(%x: f64) -> f64 attributes {exec.kernel} {
  %0 = math.exp %x : f64
  return %0 : f64
}

// What is no kernel is left alone.

// CHECK-LABEL: func.func private @host
// CHECK:         math.exp
func.func private @host(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// RUN: dsc-opt %s --split-input-file --normalize-raise-gelu --remark-format=emitRemark --remarks-filter=normalize 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// Exact, as PyTorch writes it: the operand times one half, the root of 2 below.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.gelu %[[X]] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
// REMARK: raised to nn.gelu
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root2 = nn.constant dense<1.4142135> : tensor<4xf32>
  %d = nn.div %x, %root2 : tensor<4xf32>
  %e = nn.erf %d : tensor<4xf32>
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %o = nn.add %e, %one : tensor<4xf32>
  %p = nn.mul %x, %o : tensor<4xf32>
  %half = nn.constant dense<0.5> : tensor<4xf32>
  %y = nn.mul %p, %half : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// By tanh, with a power; the sum is an operand of arithmetic itself, so what
// gelu is taken of must be found between its parts.
// CHECK-LABEL: func.func @forward
// CHECK: %[[X:.*]] = nn.add
// CHECK-NEXT: %[[Y:.*]] = nn.gelu %[[X]] approximate(tanh) : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
// REMARK: raised to nn.gelu
func.func @forward(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %x = nn.add %a, %b : tensor<4xf32>
  %half = nn.constant dense<0.5> : tensor<4xf32>
  %h = nn.mul %x, %half : tensor<4xf32>
  %three = nn.constant dense<3.0> : tensor<4xf32>
  %c = nn.pow %x, %three : tensor<4xf32>
  %k = nn.constant dense<0.044715> : tensor<4xf32>
  %kc = nn.mul %c, %k : tensor<4xf32>
  %s = nn.add %x, %kc : tensor<4xf32>
  %r = nn.constant dense<0.7978845834732056> : tensor<4xf32>
  %t = nn.mul %s, %r : tensor<4xf32>
  %tanh = nn.tanh %t : tensor<4xf32>
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %o = nn.add %tanh, %one : tensor<4xf32>
  %y = nn.mul %h, %o : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// By tanh, factored: x * (1 + 0.044715 * x * x), and the halves multiplied out.
// The hyperbolic tangent is used elsewhere too, and stays for that.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[T:.*]] = nn.tanh
// CHECK: %[[Y:.*]] = nn.gelu %[[X]] approximate(tanh) : tensor<4xf32>
// CHECK-NEXT: return %[[Y]], %[[T]]
func.func @forward(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %k = nn.constant dense<0.044715> : tensor<4xf32>
  %xk = nn.mul %x, %k : tensor<4xf32>
  %xkx = nn.mul %xk, %x : tensor<4xf32>
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %o = nn.add %one, %xkx : tensor<4xf32>
  %r = nn.constant dense<0.7978845834732056> : tensor<4xf32>
  %xr = nn.mul %r, %x : tensor<4xf32>
  %t = nn.mul %xr, %o : tensor<4xf32>
  %tanh = nn.tanh %t : tensor<4xf32>
  %half = nn.constant dense<0.5> : tensor<4xf32>
  %h = nn.mul %half, %x : tensor<4xf32>
  %ht = nn.mul %h, %tanh : tensor<4xf32>
  %y = nn.add %h, %ht : tensor<4xf32>
  return %y, %tanh : tensor<4xf32>, tensor<4xf32>
}

// -----

// A constant that differs by more than rounding is another function.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: nn.gelu
// REMARK: not raised to nn.gelu: its constants are not those of gelu
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = nn.constant dense<1.702> : tensor<4xf32>
  %d = nn.mul %x, %k : tensor<4xf32>
  %e = nn.erf %d : tensor<4xf32>
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %o = nn.add %e, %one : tensor<4xf32>
  %half = nn.constant dense<0.5> : tensor<4xf32>
  %h = nn.mul %x, %half : tensor<4xf32>
  %y = nn.mul %h, %o : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A gate that weighs another tensor than its own operand is no gelu.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: nn.gelu
func.func @forward(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %root2 = nn.constant dense<1.4142135> : tensor<4xf32>
  %d = nn.div %x, %root2 : tensor<4xf32>
  %e = nn.erf %d : tensor<4xf32>
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %o = nn.add %e, %one : tensor<4xf32>
  %half = nn.constant dense<0.5> : tensor<4xf32>
  %h = nn.mul %z, %half : tensor<4xf32>
  %y = nn.mul %h, %o : tensor<4xf32>
  return %y : tensor<4xf32>
}

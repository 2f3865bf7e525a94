// RUN: dsc-opt %s --split-input-file --normalize-raise-layer-norm --remark-format=emitRemark --remarks-filter=normalize 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// Variance by a power, root and quotient, scale on the left, bias: what PyTorch
// writes up to opset 16.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>, %[[S:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]], %{{.*}}, %{{.*}} = nn.layer_norm %[[X]], %[[S]], %[[B]] epsilon = 9.9999997473787516E-6
// CHECK-NEXT: return %[[Y]]
// REMARK: raised to nn.layer_norm
func.func @forward(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %m = nn.reduce_mean %x dims = [2] keep_dims : tensor<2x3x4xf32> -> tensor<2x3x1xf32>
  %mb = nn.broadcast %m dims = [0, 1, 2] : tensor<2x3x1xf32> -> tensor<2x3x4xf32>
  %d = nn.sub %x, %mb : tensor<2x3x4xf32>
  %two = nn.constant dense<2.0> : tensor<2x3x4xf32>
  %q = nn.pow %d, %two : tensor<2x3x4xf32>
  %v = nn.reduce_mean %q dims = [2] keep_dims : tensor<2x3x4xf32> -> tensor<2x3x1xf32>
  %e = nn.constant dense<1.0e-5> : tensor<f64>
  %eps = nn.cast %e : tensor<f64> -> tensor<f32>
  %eb = nn.broadcast %eps dims = [] : tensor<f32> -> tensor<2x3x1xf32>
  %a = nn.add %eb, %v : tensor<2x3x1xf32>
  %r = nn.sqrt %a : tensor<2x3x1xf32>
  %rb = nn.broadcast %r dims = [0, 1, 2] : tensor<2x3x1xf32> -> tensor<2x3x4xf32>
  %n = nn.div %d, %rb : tensor<2x3x4xf32>
  %sb = nn.broadcast %s dims = [2] : tensor<4xf32> -> tensor<2x3x4xf32>
  %y = nn.mul %sb, %n : tensor<2x3x4xf32>
  %bb = nn.broadcast %b dims = [2] : tensor<4xf32> -> tensor<2x3x4xf32>
  %z = nn.add %y, %bb : tensor<2x3x4xf32>
  return %z : tensor<2x3x4xf32>
}

// -----

// Sums divided by their number of terms, squares as products, a factor that is
// the reciprocal of the root, and no scale: it is 1. The rows' means are used
// elsewhere too, and stay for that.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf64>
// CHECK: %[[M:.*]] = nn.mul
// CHECK: %[[ONE:.*]] = nn.constant dense<1.000000e+00> : tensor<4xf64>
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = nn.layer_norm %[[X]], %[[ONE]] epsilon = 9.9999999999999995E-7
// CHECK: return %[[Y]], %[[M]]
func.func @forward(%x: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3xf64>) {
  %quarter = nn.constant dense<0.25> : tensor<3xf64>
  %sum = nn.reduce_sum %x dims = [1] : tensor<3x4xf64> -> tensor<3xf64>
  %m = nn.mul %sum, %quarter : tensor<3xf64>
  %mb = nn.broadcast %m dims = [0] : tensor<3xf64> -> tensor<3x4xf64>
  %d = nn.sub %x, %mb : tensor<3x4xf64>
  %q = nn.mul %d, %d : tensor<3x4xf64>
  %sq = nn.reduce_sum %q dims = [1] : tensor<3x4xf64> -> tensor<3xf64>
  %four = nn.constant dense<4.0> : tensor<3xf64>
  %v = nn.div %sq, %four : tensor<3xf64>
  %e = nn.constant dense<1.0e-6> : tensor<3xf64>
  %a = nn.add %v, %e : tensor<3xf64>
  %r = nn.sqrt %a : tensor<3xf64>
  %i = nn.reciprocal %r : tensor<3xf64>
  %ib = nn.broadcast %i dims = [0] : tensor<3xf64> -> tensor<3x4xf64>
  %n = nn.mul %d, %ib : tensor<3x4xf64>
  return %n, %m : tensor<3x4xf64>, tensor<3xf64>
}

// -----

// What is normalised is used without its scale: that scale is not taken up.
// CHECK-LABEL: func.func @forward
// CHECK: %[[N:.*]], %{{.*}}, %{{.*}} = nn.layer_norm
// CHECK: %[[Y:.*]] = nn.mul %[[N]], %{{.*}}
// CHECK: return %[[N]], %[[Y]]
func.func @forward(%x: tensor<3x4xf32>, %s: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %m = nn.reduce_mean %x dims = [1] keep_dims : tensor<3x4xf32> -> tensor<3x1xf32>
  %mb = nn.broadcast %m dims = [0, 1] : tensor<3x1xf32> -> tensor<3x4xf32>
  %d = nn.sub %x, %mb : tensor<3x4xf32>
  %q = nn.mul %d, %d : tensor<3x4xf32>
  %v = nn.reduce_mean %q dims = [1] keep_dims : tensor<3x4xf32> -> tensor<3x1xf32>
  %e = nn.constant dense<1.0e-5> : tensor<3x1xf32>
  %a = nn.add %v, %e : tensor<3x1xf32>
  %h = nn.constant dense<-0.5> : tensor<3x1xf32>
  %r = nn.pow %a, %h : tensor<3x1xf32>
  %rb = nn.broadcast %r dims = [0, 1] : tensor<3x1xf32> -> tensor<3x4xf32>
  %n = nn.mul %d, %rb : tensor<3x4xf32>
  %sb = nn.broadcast %s dims = [1] : tensor<4xf32> -> tensor<3x4xf32>
  %y = nn.mul %n, %sb : tensor<3x4xf32>
  return %n, %y : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// The root is of the mean square, not of the variance: no layer_norm.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: nn.layer_norm
// REMARK: not raised to nn.layer_norm: what is under the root is not the variance of the row
func.func @forward(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %m = nn.reduce_mean %x dims = [1] keep_dims : tensor<3x4xf32> -> tensor<3x1xf32>
  %mb = nn.broadcast %m dims = [0, 1] : tensor<3x1xf32> -> tensor<3x4xf32>
  %d = nn.sub %x, %mb : tensor<3x4xf32>
  %q = nn.mul %x, %x : tensor<3x4xf32>
  %v = nn.reduce_mean %q dims = [1] keep_dims : tensor<3x4xf32> -> tensor<3x1xf32>
  %e = nn.constant dense<1.0e-5> : tensor<3x1xf32>
  %a = nn.add %v, %e : tensor<3x1xf32>
  %r = nn.sqrt %a : tensor<3x1xf32>
  %rb = nn.broadcast %r dims = [0, 1] : tensor<3x1xf32> -> tensor<3x4xf32>
  %n = nn.div %d, %rb : tensor<3x4xf32>
  return %n : tensor<3x4xf32>
}

// -----

// In a square, a mean of rows may be taken off columns by mistake or on
// purpose: the shapes alone do not tell.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: nn.layer_norm
func.func @forward(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %m = nn.reduce_mean %x dims = [1] : tensor<4x4xf32> -> tensor<4xf32>
  %mb = nn.broadcast %m dims = [1] : tensor<4xf32> -> tensor<4x4xf32>
  %d = nn.sub %x, %mb : tensor<4x4xf32>
  %q = nn.mul %d, %d : tensor<4x4xf32>
  %v = nn.reduce_mean %q dims = [1] : tensor<4x4xf32> -> tensor<4xf32>
  %e = nn.constant dense<1.0e-5> : tensor<4xf32>
  %a = nn.add %v, %e : tensor<4xf32>
  %r = nn.sqrt %a : tensor<4xf32>
  %rb = nn.broadcast %r dims = [1] : tensor<4xf32> -> tensor<4x4xf32>
  %n = nn.div %d, %rb : tensor<4x4xf32>
  return %n : tensor<4x4xf32>
}

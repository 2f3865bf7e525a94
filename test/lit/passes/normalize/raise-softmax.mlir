// RUN: dsc-opt %s --split-input-file --normalize-raise-softmax --remark-format=emitRemark --remarks-filter=normalize 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// With the row's maximum taken off, whose shift changes nothing.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>
// CHECK-NEXT: %[[P:.*]] = nn.softmax %[[X]] dim = 1 : tensor<2x4xf32>
// CHECK-NEXT: return %[[P]]
// REMARK: raised to nn.softmax
func.func @forward(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %m = nn.reduce_max %x dims = [1] keep_dims : tensor<2x4xf32> -> tensor<2x1xf32>
  %mb = nn.broadcast %m dims = [0, 1] : tensor<2x1xf32> -> tensor<2x4xf32>
  %d = nn.sub %x, %mb : tensor<2x4xf32>
  %e = nn.exp %d : tensor<2x4xf32>
  %s = nn.reduce_sum %e dims = [1] keep_dims : tensor<2x4xf32> -> tensor<2x1xf32>
  %sb = nn.broadcast %s dims = [0, 1] : tensor<2x1xf32> -> tensor<2x4xf32>
  %p = nn.div %e, %sb : tensor<2x4xf32>
  return %p : tensor<2x4xf32>
}

// -----

// By the reciprocal of the sum, without a maximum; then the logarithm.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>
// CHECK-NEXT: %[[L:.*]] = nn.log_softmax %[[X]] dim = 1 : tensor<2x4xf32>
// CHECK-NEXT: return %[[L]]
// REMARK: raised to nn.softmax
// REMARK: raised to nn.log_softmax
func.func @forward(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %e = nn.exp %x : tensor<2x4xf32>
  %s = nn.reduce_sum %e dims = [1] : tensor<2x4xf32> -> tensor<2xf32>
  %r = nn.reciprocal %s : tensor<2xf32>
  %rb = nn.broadcast %r dims = [0] : tensor<2xf32> -> tensor<2x4xf32>
  %p = nn.mul %rb, %e : tensor<2x4xf32>
  %l = nn.log %p : tensor<2x4xf32>
  return %l : tensor<2x4xf32>
}

// -----

// x - (max + log(sum(exp(x - max)))): the logarithm of softmax as logsumexp.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>
// CHECK-NEXT: %[[L:.*]] = nn.log_softmax %[[X]] dim = 1 : tensor<2x4xf32>
// CHECK-NEXT: return %[[L]]
// REMARK: raised to nn.log_softmax
func.func @forward(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %m = nn.reduce_max %x dims = [1] : tensor<2x4xf32> -> tensor<2xf32>
  %mb = nn.broadcast %m dims = [0] : tensor<2xf32> -> tensor<2x4xf32>
  %d = nn.sub %x, %mb : tensor<2x4xf32>
  %e = nn.exp %d : tensor<2x4xf32>
  %s = nn.reduce_sum %e dims = [1] : tensor<2x4xf32> -> tensor<2xf32>
  %ls = nn.log %s : tensor<2xf32>
  %lse = nn.add %ls, %m : tensor<2xf32>
  %lb = nn.broadcast %lse dims = [0] : tensor<2xf32> -> tensor<2x4xf32>
  %l = nn.sub %x, %lb : tensor<2x4xf32>
  return %l : tensor<2x4xf32>
}

// -----

// Rows divided by the sum of other rows' exponentials are no softmax.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: nn.softmax
// REMARK: not raised to nn.softmax: it is divided by a sum over something else
func.func @forward(%x: tensor<2x4xf32>, %z: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %e = nn.exp %x : tensor<2x4xf32>
  %f = nn.exp %z : tensor<2x4xf32>
  %s = nn.reduce_sum %f dims = [1] : tensor<2x4xf32> -> tensor<2xf32>
  %sb = nn.broadcast %s dims = [0] : tensor<2xf32> -> tensor<2x4xf32>
  %p = nn.div %e, %sb : tensor<2x4xf32>
  return %p : tensor<2x4xf32>
}

// -----

// In a square, the sums of columns repeated along rows are no softmax of rows.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: nn.softmax
func.func @forward(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = nn.exp %x : tensor<4x4xf32>
  %s = nn.reduce_sum %e dims = [1] : tensor<4x4xf32> -> tensor<4xf32>
  %sb = nn.broadcast %s dims = [1] : tensor<4xf32> -> tensor<4x4xf32>
  %p = nn.div %e, %sb : tensor<4x4xf32>
  return %p : tensor<4x4xf32>
}

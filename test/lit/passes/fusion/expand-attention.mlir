// RUN: dsc-opt %s --split-input-file --fusion-expand-attention='block-rows=2 whole-rows=3' | FileCheck %s

// Few queries are one block. The mask is counted, and scores are scaled, where
// the rows are computed.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: %[[Q:.*]]: tensor<5x3x4xf32>, %[[K:.*]]: tensor<5x3x4xf32>, %[[V:.*]]: tensor<5x3x6xf32>
// CHECK: %[[S:.*]] = nn.matmul transpose_b %[[Q]], %[[K]]
// CHECK: %[[SCALE:.*]] = nn.constant dense<5.000000e-01> : tensor<5x3x3xf32>
// CHECK: %[[T:.*]] = nn.mul %[[S]], %[[SCALE]]
// CHECK-DAG: %[[COLUMN:.*]] = nn.iota dim = 2 : tensor<5x3x3xi32>
// CHECK-DAG: %[[ROW:.*]] = nn.iota dim = 1 : tensor<5x3x3xi32>
// CHECK: %[[VISIBLE:.*]] = nn.compare le %[[COLUMN]], %[[ROW]]
// CHECK: %[[M:.*]] = nn.select %[[VISIBLE]], %[[T]], %{{.*}}
// CHECK: %[[P:.*]], %[[L:.*]] = nn.softmax_lse %[[M]]
// CHECK: %[[Y:.*]] = nn.matmul %[[P]], %[[V]]
// CHECK: return %[[Y]], %[[L]]
func.func @whole(%q: tensor<5x3x4xf32>, %k: tensor<5x3x4xf32>, %v: tensor<5x3x6xf32>) -> (tensor<5x3x6xf32>, tensor<5x3xf32>) {
  %y, %l = nn.attention %q, %k, %v scale = 0.5 causal : (tensor<5x3x4xf32>, tensor<5x3x4xf32>, tensor<5x3x6xf32>) -> (tensor<5x3x6xf32>, tensor<5x3xf32>)
  return %y, %l : tensor<5x3x6xf32>, tensor<5x3xf32>
}

// -----

// More queries are cut into blocks, each with the keys that it sees and its
// part of the bias, whose rows are repeated; results are joined.
// CHECK-LABEL: func.func @blocks
// CHECK-SAME: %[[Q:.*]]: tensor<5x4xf32>, %[[K:.*]]: tensor<5x4xf32>, %[[V:.*]]: tensor<5x4xf32>, %[[B:.*]]: tensor<1x5xf32>
// CHECK: %[[Q0:.*]] = nn.slice %[[Q]] offsets = [0, 0] sizes = [2, 4]
// CHECK: %[[K0:.*]] = nn.slice %[[K]] offsets = [0, 0] sizes = [2, 4]
// CHECK: %[[S0:.*]] = nn.matmul transpose_b %[[Q0]], %[[K0]] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
// CHECK: %[[B0:.*]] = nn.slice %[[B]] offsets = [0, 0] sizes = [1, 2]
// CHECK: %[[BB0:.*]] = nn.broadcast %[[B0]] dims = [0, 1] : tensor<1x2xf32> -> tensor<2x2xf32>
// CHECK: nn.add %[[S0]], %[[BB0]]
// CHECK: %[[V0:.*]] = nn.slice %[[V]] offsets = [0, 0] sizes = [2, 4]
// CHECK: %[[Y0:.*]] = nn.matmul %{{.*}}, %[[V0]]
// CHECK: nn.slice %[[Q]] offsets = [2, 0] sizes = [2, 4]
// CHECK: nn.slice %[[K]] offsets = [0, 0] sizes = [4, 4]
// CHECK: %[[ONE:.*]] = nn.constant dense<2> : tensor<2x4xi32>
// CHECK: %[[Y1:.*]] = nn.matmul
// The last query sees all keys: nothing is hidden.
// CHECK: %[[Q2:.*]] = nn.slice %[[Q]] offsets = [4, 0] sizes = [1, 4]
// CHECK: nn.matmul transpose_b %[[Q2]], %[[K]]
// CHECK-NOT: nn.iota
// CHECK: %[[Y2:.*]] = nn.matmul %{{.*}}, %[[V]]
// CHECK: nn.concat %[[Y0]], %[[Y1]], %[[Y2]] dim = 0
// CHECK: nn.concat %{{.*}}, %{{.*}}, %{{.*}} dim = 0 : (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<5xf32>
func.func @blocks(%q: tensor<5x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x4xf32>, %b: tensor<1x5xf32>) -> (tensor<5x4xf32>, tensor<5xf32>) {
  %y, %l = nn.attention %q, %k, %v bias %b scale = 1.0 causal : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<1x5xf32>) -> (tensor<5x4xf32>, tensor<5xf32>)
  return %y, %l : tensor<5x4xf32>, tensor<5xf32>
}

// -----

// The gradient makes each block's weights again. The last block comes first,
// with all keys; what others add to the gradients of the first keys is padded.
// CHECK-LABEL: func.func @gradient
// CHECK-SAME: %[[G:.*]]: tensor<4x4xf32>, %[[Q:.*]]: tensor<4x4xf32>, %[[K:.*]]: tensor<4x4xf32>, %[[V:.*]]: tensor<4x4xf32>, %[[O:.*]]: tensor<4x4xf32>, %[[L:.*]]: tensor<4xf32>
// CHECK: %[[EMPTY:.*]] = nn.compare eq %[[L]], %{{.*}}
// CHECK: %[[SAFE:.*]] = nn.select %[[EMPTY]], %{{.*}}, %[[L]]
// CHECK: %[[GO:.*]] = nn.mul %[[G]], %[[O]]
// CHECK: %[[SHARED:.*]] = nn.reduce_sum %[[GO]] dims = [1]
// CHECK: %[[Q1:.*]] = nn.slice %[[Q]] offsets = [2, 0] sizes = [2, 4]
// CHECK: nn.matmul transpose_b %[[Q1]], %[[K]] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
// CHECK: %[[P:.*]] = nn.exp
// CHECK: %[[DV1:.*]] = nn.matmul transpose_a %[[P]], %{{.*}} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
// CHECK: %[[DP:.*]] = nn.matmul transpose_b %{{.*}}, %[[V]]
// CHECK: %[[DIFFERENCE:.*]] = nn.sub %[[DP]], %{{.*}}
// CHECK: %[[DS:.*]] = nn.mul %[[P]], %[[DIFFERENCE]]
// CHECK: %[[SCALED:.*]] = nn.mul %[[DS]], %{{.*}}
// CHECK: %[[DK1:.*]] = nn.matmul transpose_a %[[SCALED]], %{{.*}} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
// CHECK: %[[DQ1:.*]] = nn.matmul %[[SCALED]], %[[K]]
// CHECK: %[[DV0:.*]] = nn.pad %{{.*}} low = [0, 0] high = [2, 0] interior = [0, 0]
// CHECK: %[[DV:.*]] = nn.add %[[DV1]], %[[DV0]]
// CHECK: %[[DK0:.*]] = nn.pad %{{.*}} low = [0, 0] high = [2, 0] interior = [0, 0]
// CHECK: %[[DK:.*]] = nn.add %[[DK1]], %[[DK0]]
// CHECK: %[[DQ0:.*]] = nn.matmul %{{.*}}, %{{.*}} : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %[[DQ:.*]] = nn.concat %[[DQ0]], %[[DQ1]] dim = 0
// CHECK: return %[[DQ]], %[[DK]], %[[DV]]
func.func @gradient(%g: tensor<4x4xf32>, %q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>, %o: tensor<4x4xf32>, %l: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %dq, %dk, %dv = nn.attention_grad %g, %q, %k, %v, %o, %l scale = 0.5 causal : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
  return %dq, %dk, %dv : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The gradient of a bias is that of the scores, summed where the bias was
// repeated. Queries that come before all keys add nothing.
// CHECK-LABEL: func.func @bias_gradient
// CHECK: %[[DS:.*]] = nn.mul %{{.*}}, %{{.*}} : tensor<7x2x1xf32>
// CHECK: %[[DB:.*]] = nn.reduce_sum %[[DS]] dims = [0, 1] keep_dims : tensor<7x2x1xf32> -> tensor<1x1x1xf32>
// CHECK-NOT: nn.exp
// CHECK: return %{{.*}}, %[[DB]]
func.func @bias_gradient(%g: tensor<7x4x4xf32>, %q: tensor<7x4x4xf32>, %k: tensor<7x1x4xf32>, %v: tensor<7x1x4xf32>, %o: tensor<7x4x4xf32>, %l: tensor<7x4xf32>, %b: tensor<1x1x1xf32>) -> (tensor<7x4x4xf32>, tensor<1x1x1xf32>) {
  %dq, %dk, %dv, %db = nn.attention_grad %g, %q, %k, %v, %o, %l bias %b scale = 1.0 causal bias_gradient : (tensor<7x4x4xf32>, tensor<7x4x4xf32>, tensor<7x1x4xf32>, tensor<7x1x4xf32>, tensor<7x4x4xf32>, tensor<7x4xf32>, tensor<1x1x1xf32>) -> (tensor<7x4x4xf32>, tensor<7x1x4xf32>, tensor<7x1x4xf32>, tensor<1x1x1xf32>)
  return %dq, %db : tensor<7x4x4xf32>, tensor<1x1x1xf32>
}

// RUN: printf '\001\000\001\001' > %t.mask
// RUN: sed 's|MASKFILE|%t.mask|' %s > %t.mlir
// RUN: dsc-opt %t.mlir --split-input-file --normalize-raise-attention --remark-format=emitRemark --remarks-filter=normalize 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// A scale behind the product, by a quotient, and no mask.
// CHECK-LABEL: func.func @plain
// CHECK-SAME: %[[Q:.*]]: tensor<3x2x4xf32>, %[[K:.*]]: tensor<3x5x4xf32>, %[[V:.*]]: tensor<3x5x6xf32>
// CHECK-NEXT: %[[Y:.*]], %{{.*}} = nn.attention %[[Q]], %[[K]], %[[V]] scale = 5.000000e-01 :
// CHECK-NEXT: return %[[Y]]
// REMARK: raised to nn.attention
func.func @plain(%q: tensor<3x2x4xf32>, %k: tensor<3x5x4xf32>, %v: tensor<3x5x6xf32>) -> tensor<3x2x6xf32> {
  %s = nn.matmul transpose_b %q, %k : (tensor<3x2x4xf32>, tensor<3x5x4xf32>) -> tensor<3x2x5xf32>
  %two = nn.constant dense<2.0> : tensor<3x2x5xf32>
  %t = nn.div %s, %two : tensor<3x2x5xf32>
  %p = nn.softmax %t dim = 2 : tensor<3x2x5xf32>
  %y = nn.matmul %p, %v : (tensor<3x2x5xf32>, tensor<3x5x6xf32>) -> tensor<3x2x6xf32>
  return %y : tensor<3x2x6xf32>
}

// -----

// PyTorch's scaled_dot_product_attention: half of the scale on either side,
// keys transposed with merged batch dims between reshapes, an additive causal
// mask from a buffer, and 0 in place of NaN.
// CHECK-LABEL: func.func @sdpa
// CHECK-SAME: %[[Q:.*]]: tensor<2x3x2x4xf32>, %[[K:.*]]: tensor<2x3x2x4xf32>, %[[V:.*]]: tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[Y:.*]], %{{.*}} = nn.attention %[[Q]], %[[K]], %[[V]] scale = 2.500000e-01 causal :
// CHECK-NEXT: return %[[Y]]
train.parameter @mask : tensor<2x1x2x2xf32> buffer("mask") from dense<[[[[0.0, -3.4e38], [0.0, 0.0]]], [[[0.0, -3.4e38], [0.0, 0.0]]]]> : tensor<2x1x2x2xf32>
func.func @sdpa(%q: tensor<2x3x2x4xf32>, %k: tensor<2x3x2x4xf32>, %v: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32> {
  %half = nn.constant dense<0.5> : tensor<2x3x2x4xf32>
  %halft = nn.constant dense<0.5> : tensor<2x3x4x2xf32>
  %qs = nn.mul %q, %half : tensor<2x3x2x4xf32>
  %km = nn.reshape %k : tensor<2x3x2x4xf32> -> tensor<6x2x4xf32>
  %kt = nn.transpose %km perm = [0, 2, 1] : tensor<6x2x4xf32> -> tensor<6x4x2xf32>
  %kr = nn.reshape %kt : tensor<6x4x2xf32> -> tensor<2x3x4x2xf32>
  %ks = nn.mul %kr, %halft : tensor<2x3x4x2xf32>
  %s = nn.matmul %qs, %ks : (tensor<2x3x2x4xf32>, tensor<2x3x4x2xf32>) -> tensor<2x3x2x2xf32>
  %mask = train.read @mask : tensor<2x1x2x2xf32>
  %mb = nn.broadcast %mask dims = [0, 1, 2, 3] : tensor<2x1x2x2xf32> -> tensor<2x3x2x2xf32>
  %m = nn.add %s, %mb : tensor<2x3x2x2xf32>
  %p = nn.softmax %m dim = 3 : tensor<2x3x2x2xf32>
  %nan = nn.compare ne %p, %p : tensor<2x3x2x2xf32> -> tensor<2x3x2x2xi1>
  %zero = nn.constant dense<0.0> : tensor<2x3x2x2xf32>
  %g = nn.select %nan, %zero, %p : tensor<2x3x2x2xi1>, tensor<2x3x2x2xf32>
  %y = nn.matmul %g, %v : (tensor<2x3x2x2xf32>, tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
  return %y : tensor<2x3x2x4xf32>
}

// -----

// A causal mask whose truth values lie in a file, selecting GPT-2's -10000; the
// keys come transposed by heads in one step.
// CHECK-LABEL: func.func @where
// CHECK-SAME: %[[Q:.*]]: tensor<1x3x2x4xf32>, %[[K:.*]]: tensor<1x2x3x4xf32>, %[[V:.*]]: tensor<1x3x2x4xf32>
// CHECK-NEXT: %[[KT:.*]] = nn.transpose %[[K]] perm = [0, 2, 1, 3]
// CHECK-NEXT: %[[Y:.*]], %{{.*}} = nn.attention %[[Q]], %[[KT]], %[[V]] scale = 5.000000e-01 causal :
// CHECK-NEXT: return %[[Y]]
train.parameter @mask : tensor<2x2xi1> buffer("mask") from #train.file<"MASKFILE", 0, 4>
func.func @where(%q: tensor<1x3x2x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32> {
  %kt = nn.transpose %k perm = [0, 2, 3, 1] : tensor<1x2x3x4xf32> -> tensor<1x3x4x2xf32>
  %s = nn.matmul %q, %kt : (tensor<1x3x2x4xf32>, tensor<1x3x4x2xf32>) -> tensor<1x3x2x2xf32>
  %half = nn.constant dense<0.5> : tensor<1x3x2x2xf32>
  %t = nn.mul %half, %s : tensor<1x3x2x2xf32>
  %mask = train.read @mask : tensor<2x2xi1>
  %mb = nn.broadcast %mask dims = [2, 3] : tensor<2x2xi1> -> tensor<1x3x2x2xi1>
  %hidden = nn.constant dense<-1.0e4> : tensor<1x3x2x2xf32>
  %m = nn.select %mb, %t, %hidden : tensor<1x3x2x2xi1>, tensor<1x3x2x2xf32>
  %p = nn.softmax %m dim = 3 : tensor<1x3x2x2xf32>
  %y = nn.matmul %p, %v : (tensor<1x3x2x2xf32>, tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32>
  return %y : tensor<1x3x2x4xf32>
}

// -----

// Counted row and column numbers; hidden where true; more keys than queries, as
// with a cache: the last query sees all of them.
// CHECK-LABEL: func.func @counted
// CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 1.000000e+00 causal :
func.func @counted(%q: tensor<2x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x4xf32>) -> tensor<2x4xf32> {
  %s = nn.matmul transpose_b %q, %k : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  %row = nn.iota dim = 0 : tensor<2x5xi64>
  %column = nn.iota dim = 1 : tensor<2x5xi64>
  %three = nn.constant dense<3> : tensor<2x5xi64>
  %last = nn.add %row, %three : tensor<2x5xi64>
  %later = nn.compare gt %column, %last : tensor<2x5xi64> -> tensor<2x5xi1>
  %hidden = nn.constant dense<0xFF800000> : tensor<2x5xf32>
  %m = nn.select %later, %hidden, %s : tensor<2x5xi1>, tensor<2x5xf32>
  %p = nn.softmax %m dim = 1 : tensor<2x5xf32>
  %y = nn.matmul %p, %v : (tensor<2x5xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A mask that hides nothing, as a cache of one new token has it, disappears.
// CHECK-LABEL: func.func @open
// CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 1.000000e+00 :
func.func @open(%q: tensor<1x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x4xf32>) -> tensor<1x4xf32> {
  %s = nn.matmul transpose_b %q, %k : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<1x5xf32>
  %visible = nn.constant dense<true> : tensor<1x5xi1>
  %hidden = nn.constant dense<-1.0e4> : tensor<1x5xf32>
  %m = nn.select %visible, %s, %hidden : tensor<1x5xi1>, tensor<1x5xf32>
  %p = nn.softmax %m dim = 1 : tensor<1x5xf32>
  %y = nn.matmul %p, %v : (tensor<1x5xf32>, tensor<5x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// -----

// Masks that are data are added as a bias of the size that they have: a padding
// mask by numbers as it is, one of truth values as 0 and -inf. Beside them the
// causal mask is recognised.
// CHECK-LABEL: func.func @padding
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<2x1x1x3xf32>, %[[C:[a-z0-9]+]]: tensor<2x1x3x3xi1>
// CHECK-DAG: %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<2x1x3x3xf32>
// CHECK-DAG: %[[INF:.*]] = nn.constant dense<0xFF800000> : tensor<2x1x3x3xf32>
// CHECK-DAG: %[[S:.*]] = nn.select %[[C]], %[[ZERO]], %[[INF]]
// CHECK-DAG: %[[PB:.*]] = nn.broadcast %[[P]] dims = [0, 1, 2, 3] : tensor<2x1x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK: %[[B:.*]] = nn.add %[[PB]], %[[S]]
// CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} bias %[[B]] scale = 1.000000e+00 causal :
func.func @padding(%q: tensor<2x4x3x4xf32>, %k: tensor<2x4x3x4xf32>, %v: tensor<2x4x3x4xf32>, %pad: tensor<2x1x1x3xf32>, %cond: tensor<2x1x3x3xi1>) -> tensor<2x4x3x4xf32> {
  %s = nn.matmul transpose_b %q, %k : (tensor<2x4x3x4xf32>, tensor<2x4x3x4xf32>) -> tensor<2x4x3x3xf32>
  %pb = nn.broadcast %pad dims = [0, 1, 2, 3] : tensor<2x1x1x3xf32> -> tensor<2x4x3x3xf32>
  %t = nn.add %pb, %s : tensor<2x4x3x3xf32>
  %cb = nn.broadcast %cond dims = [0, 1, 2, 3] : tensor<2x1x3x3xi1> -> tensor<2x4x3x3xi1>
  %inf = nn.constant dense<0xFF800000> : tensor<2x4x3x3xf32>
  %u = nn.select %cb, %t, %inf : tensor<2x4x3x3xi1>, tensor<2x4x3x3xf32>
  %row = nn.iota dim = 2 : tensor<2x4x3x3xi64>
  %column = nn.iota dim = 3 : tensor<2x4x3x3xi64>
  %causal = nn.compare ge %row, %column : tensor<2x4x3x3xi64> -> tensor<2x4x3x3xi1>
  %m = nn.select %causal, %u, %inf : tensor<2x4x3x3xi1>, tensor<2x4x3x3xf32>
  %p = nn.softmax %m dim = 3 : tensor<2x4x3x3xf32>
  %y = nn.matmul %p, %v : (tensor<2x4x3x3xf32>, tensor<2x4x3x4xf32>) -> tensor<2x4x3x4xf32>
  return %y : tensor<2x4x3x4xf32>
}

// -----

// Scores that are regrouped for a mask, as batches of heads: a view each.
// CHECK-LABEL: func.func @regrouped
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<6x2x4xf32>
// CHECK-DAG: %[[QR:.*]] = nn.reshape %[[Q]] : tensor<6x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK: %[[Y:.*]], %{{.*}} = nn.attention %[[QR]], %{{.*}}, %{{.*}} bias %{{.*}} scale = 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x1x1x2xf32>)
// CHECK: %[[R:.*]] = nn.reshape %[[Y]] : tensor<2x3x2x4xf32> -> tensor<6x2x4xf32>
// CHECK: return %[[R]]
func.func @regrouped(%q: tensor<6x2x4xf32>, %k: tensor<6x2x4xf32>, %v: tensor<6x2x4xf32>, %pad: tensor<2x1x1x2xf32>) -> tensor<6x2x4xf32> {
  %s = nn.matmul transpose_b %q, %k : (tensor<6x2x4xf32>, tensor<6x2x4xf32>) -> tensor<6x2x2xf32>
  %sr = nn.reshape %s : tensor<6x2x2xf32> -> tensor<2x3x2x2xf32>
  %pb = nn.broadcast %pad dims = [0, 1, 2, 3] : tensor<2x1x1x2xf32> -> tensor<2x3x2x2xf32>
  %t = nn.add %sr, %pb : tensor<2x3x2x2xf32>
  %p = nn.softmax %t dim = 3 : tensor<2x3x2x2xf32>
  %pr = nn.reshape %p : tensor<2x3x2x2xf32> -> tensor<6x2x2xf32>
  %y = nn.matmul %pr, %v : (tensor<6x2x2xf32>, tensor<6x2x4xf32>) -> tensor<6x2x4xf32>
  return %y : tensor<6x2x4xf32>
}

// -----

// -10 in place of hidden scores still lets their keys through: a softmax.
// CHECK-LABEL: func.func @minus_ten
// CHECK-NOT: nn.attention
// CHECK: nn.softmax
// REMARK: not raised to nn.attention: hidden scores are -10.000000, which lets some of their keys through
func.func @minus_ten(%q: tensor<2x4xf32>, %k: tensor<2x4xf32>, %v: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = nn.matmul transpose_b %q, %k : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
  %visible = nn.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %hidden = nn.constant dense<-1.0e1> : tensor<2x2xf32>
  %m = nn.select %visible, %s, %hidden : tensor<2x2xi1>, tensor<2x2xf32>
  %p = nn.softmax %m dim = 1 : tensor<2x2xf32>
  %y = nn.matmul %p, %v : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A mask that is data may hide a whole row. Scores of -1e4 throughout make a
// mean of all values then, which attention would give 0.
// CHECK-LABEL: func.func @empty_row
// CHECK-NOT: nn.attention
// CHECK: nn.softmax
// REMARK: not raised to nn.attention: a query may see no key, and then its hidden scores, which are not -inf, count
func.func @empty_row(%q: tensor<2x4xf32>, %k: tensor<2x4xf32>, %v: tensor<2x4xf32>, %visible: tensor<2x2xi1>) -> tensor<2x4xf32> {
  %s = nn.matmul transpose_b %q, %k : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
  %hidden = nn.constant dense<-1.0e4> : tensor<2x2xf32>
  %m = nn.select %visible, %s, %hidden : tensor<2x2xi1>, tensor<2x2xf32>
  %p = nn.softmax %m dim = 1 : tensor<2x2xf32>
  %y = nn.matmul %p, %v : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Keys behind the diagonal are hidden, but so is one before it: no causal mask.
// CHECK-LABEL: func.func @not_causal
// CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} scale = 1.000000e+00 :
func.func @not_causal(%q: tensor<3x4xf32>, %k: tensor<3x4xf32>, %v: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %s = nn.matmul transpose_b %q, %k : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %mask = nn.constant dense<[[0.0, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9], [-1.0e9, 0.0, 0.0]]> : tensor<3x3xf32>
  %m = nn.add %s, %mask : tensor<3x3xf32>
  %p = nn.softmax %m dim = 1 : tensor<3x3xf32>
  %y = nn.matmul %p, %v : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// A mask that training changes is a bias, whatever its first values are, and
// gets its gradient.
// CHECK-LABEL: func.func @trained
// CHECK: %[[B:.*]] = train.read @bias
// CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} bias %[[B]] scale = 1.000000e+00 :
train.parameter @bias : tensor<2x2xf32> trainable("float initializer") from dense<[[0.0, -1.0e9], [0.0, 0.0]]> : tensor<2x2xf32>
func.func @trained(%q: tensor<2x4xf32>, %k: tensor<2x4xf32>, %v: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = nn.matmul transpose_b %q, %k : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
  %mask = train.read @bias : tensor<2x2xf32>
  %m = nn.add %s, %mask : tensor<2x2xf32>
  %p = nn.softmax %m dim = 1 : tensor<2x2xf32>
  %y = nn.matmul %p, %v : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Dropout between softmax and the values needs the probabilities.
// CHECK-LABEL: func.func @dropout
// CHECK-NOT: nn.attention
// CHECK: nn.softmax
// REMARK: not raised to nn.attention: dropout acts on the probabilities
func.func @dropout(%q: tensor<2x4xf32>, %k: tensor<2x4xf32>, %v: tensor<2x4xf32>, %seed: tensor<i64>, %batch: tensor<i64>) -> tensor<2x4xf32> {
  %s = nn.matmul transpose_b %q, %k : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
  %p = nn.softmax %s dim = 1 : tensor<2x2xf32>
  %d = nn.dropout %p, %seed, %batch probability = 0.1 site = 7 : (tensor<2x2xf32>, tensor<i64>, tensor<i64>) -> tensor<2x2xf32>
  %y = nn.matmul %d, %v : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Probabilities that the model returns must be computed anyway.
// CHECK-LABEL: func.func @returned
// CHECK-NOT: nn.attention
// CHECK: nn.softmax
// REMARK: not raised to nn.attention: the probabilities are used elsewhere too
func.func @returned(%q: tensor<2x4xf32>, %k: tensor<2x4xf32>, %v: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x2xf32>) {
  %s = nn.matmul transpose_b %q, %k : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
  %p = nn.softmax %s dim = 1 : tensor<2x2xf32>
  %y = nn.matmul %p, %v : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y, %p : tensor<2x4xf32>, tensor<2x2xf32>
}

// -----

// A softmax of something that is no product, as in a mixture of experts.
// CHECK-LABEL: func.func @mixture
// CHECK-NOT: nn.attention
// CHECK: nn.softmax
func.func @mixture(%x: tensor<2x4xf32>, %v: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %p = nn.softmax %x dim = 1 : tensor<2x4xf32>
  %y = nn.matmul %p, %v : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// RUN: %dsc-opt %s --split-input-file --verify-diagnostics

// Each function is named by the constraint (numbered in the op's description)
// that it breaks.

func.func @neg_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{all of {input, result} have same type}}
  %0 = "nn.neg"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @add_c1(%x: tensor<4xf32>, %y: tensor<1xf32>) {
  // expected-error@+1 {{all of {lhs, rhs, result} have same type}}
  %0 = "nn.add"(%x, %y) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @exp_of_integers(%x: tensor<4xi64>) {
  // expected-error@+1 {{must be ranked tensor of 32-bit float or 64-bit float values}}
  %0 = nn.exp %x : tensor<4xi64>
  return
}

// -----

func.func @unknown_element_type(%x: tensor<4xf16>) {
  // expected-error@+1 {{'nn.add' op operand #0 must be ranked tensor}}
  %0 = nn.add %x, %x : tensor<4xf16>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error@+1 {{'nn.neg' op operand #0 must be ranked tensor}}
  %0 = "nn.neg"(%x) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @compare_c1(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{requires all operands to have the same type}}
  %0 = "nn.compare"(%x, %y) <{predicate = 0 : i32}> : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_c2(%x: tensor<4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<4xi1>' are incompatible with return type(s) of operation 'tensor<5xi1>'}}
  %0 = nn.compare lt %x, %x : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

func.func @is_finite_c1(%x: tensor<4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0 = nn.is_finite %x : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

func.func @select_c1(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{all of {on_true, on_false, result} have same type}}
  %0 = "nn.select"(%c, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c2(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{condition has type 'tensor<i1>', which is not of the shape of 'tensor<4xf32>'}}
  %0 = nn.select %c, %x, %x : tensor<i1>, tensor<4xf32>
  return
}

// -----

func.func @cast_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{changes the shape from 'tensor<4xf32>' to 'tensor<5xf64>'}}
  %0 = nn.cast %x : tensor<4xf32> -> tensor<5xf64>
  return
}

// -----

func.func @constant_c1() {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0 = "nn.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<5xf32>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{dims has 2 entries for an operand of rank 1}}
  %0 = nn.broadcast %x dims = [0, 1] : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{dims must be strictly increasing}}
  %0 = nn.broadcast %x dims = [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_c2_range(%x: tensor<4xf32>) {
  // expected-error@+1 {{dims names dimension 2 of a tensor of rank 2}}
  %0 = nn.broadcast %x dims = [2] : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{cannot broadcast size 4 to size 5 of dimension 0}}
  %0 = nn.broadcast %x dims = [0] : tensor<4xf32> -> tensor<5x4xf32>
  return
}

// -----

func.func @broadcast_c4(%x: tensor<4xf32>) {
  // expected-error@+1 {{changes the element type from 'f32' to 'f64'}}
  %0 = nn.broadcast %x dims = [0] : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

func.func @reshape_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{changes the element type from 'f32' to 'f64'}}
  %0 = nn.reshape %x : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

func.func @reshape_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{changes the number of elements from 4 to 6}}
  %0 = nn.reshape %x : tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{perm must be a permutation of the 2 dimensions of the operand}}
  %0 = nn.transpose %x perm = [0, 0] : tensor<4x5xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @transpose_c2(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<5x4xf32>' are incompatible}}
  %0 = nn.transpose %x perm = [1, 0] : tensor<4x5xf32> -> tensor<4x5xf32>
  return
}

// -----

func.func @reduce_sum_c1(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{dims names dimension -1 of a tensor of rank 2}}
  %0 = nn.reduce_sum %x dims = [-1] : tensor<4x5xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_sum_c2(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<4x1xf32>' are incompatible}}
  %0 = nn.reduce_sum %x dims = [1] keep_dims : tensor<4x5xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_max_c1(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{dims must be strictly increasing}}
  %0 = nn.reduce_max %x dims = [1, 1] : tensor<4x5xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_max_c2(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0 = nn.reduce_max %x dims = [1] : tensor<4x5xf32> -> tensor<5xf32>
  return
}

// -----

func.func @reduce_mean_c1(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{dims names dimension 2 of a tensor of rank 2}}
  %0 = nn.reduce_mean %x dims = [2] : tensor<4x5xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_mean_c2(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0 = nn.reduce_mean %x dims = [1] : tensor<4x5xf32> -> tensor<4xf64>
  return
}

// -----

func.func @add_rows_c1(%x: tensor<4xf32>, %y: tensor<2x5xf32>) {
  // expected-error@+2 {{cannot add rows of 'tensor<2x5xf32>' to 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.add_rows %x, %y : (tensor<4xf32>, tensor<2x5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @add_rows_c2(%x: tensor<4xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0 = nn.add_rows %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @sum_squares_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{result #0 must be 0D tensor of 64-bit float values}}
  %0 = nn.sum_squares %x : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @summarize_c1(%x: tensor<4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<6xf64>' are incompatible with return type(s) of operation 'tensor<5xf64>'}}
  %0 = nn.summarize %x : tensor<4xf32> -> tensor<5xf64>
  return
}

// -----

func.func @matmul_c1_rank(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{operands must have rank 2 or more, not 1 and 2}}
  %0 = nn.matmul %x, %y : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @matmul_c1_type(%x: tensor<3x4xf32>, %y: tensor<4x5xf64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{operands must have the same element type, not 'f32' and 'f64'}}
  %0 = nn.matmul %x, %y : (tensor<3x4xf32>, tensor<4x5xf64>) -> tensor<3x5xf32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{contracted dimensions have sizes 4 and 5}}
  %0 = nn.matmul transpose_b %x, %y : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @matmul_c3(%x: tensor<2x3x4xf32>, %y: tensor<6x4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{sizes 2 and 6 of dimension 0 do not broadcast}}
  %0 = nn.matmul %x, %y : (tensor<2x3x4xf32>, tensor<6x4x5xf32>) -> tensor<6x3x5xf32>
  return
}

// -----

func.func @matmul_c4(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<3x5xf32>' are incompatible}}
  %0 = nn.matmul %x, %y : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{dim 2 is not a dimension of 'tensor<4x5xf32>'}}
  %0 = nn.softmax %x dim = 2 : tensor<4x5xf32>
  return
}

// -----

func.func @softmax_c2(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{all of {input, result} have same type}}
  %0 = "nn.softmax"(%x) <{dim = 1 : i64}> : (tensor<4x5xf32>) -> tensor<4x5xf64>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{dim -1 is not a dimension of 'tensor<4x5xf32>'}}
  %0 = nn.log_softmax %x dim = -1 : tensor<4x5xf32>
  return
}

// -----

func.func @log_softmax_c2(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{all of {input, result} have same type}}
  %0 = "nn.log_softmax"(%x) <{dim = 1 : i64}> : (tensor<4x5xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @cross_entropy_c1(%x: tensor<8x10xf32>, %y: tensor<7xi64>, %w: tensor<8xf32>) {
  // expected-error@+1 {{has logits 'tensor<8x10xf32>' but labels 'tensor<7xi64>' and row weights 'tensor<8xf32>'}}
  %0:2 = nn.cross_entropy %x, %y, %w : (tensor<8x10xf32>, tensor<7xi64>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @cross_entropy_c2(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf64>) {
  // expected-error@+1 {{has logits of 'f32' but row weights of 'f64'}}
  %0:2 = nn.cross_entropy %x, %y, %w : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf64>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @cross_entropy_c3(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0:2 = nn.cross_entropy %x, %y, %w : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<f64>, tensor<f64>)
  return
}

// -----

func.func @cross_entropy_c4(%x: tensor<8x10xf32>, %y: tensor<8xi32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{ignore_index 4294967296 is not a value of 'i32'}}
  %0:2 = nn.cross_entropy %x, %y, %w {ignore_index = 4294967296 : i64} : (tensor<8x10xf32>, tensor<8xi32>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @cross_entropy_rows_c1(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<7xf32>) {
  // expected-error@+1 {{has logits 'tensor<8x10xf32>' but labels 'tensor<8xi64>' and row weights 'tensor<7xf32>'}}
  %0:2 = nn.cross_entropy_rows %x, %y, %w : (tensor<8x10xf32>, tensor<8xi64>, tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>)
  return
}

// -----

func.func @cross_entropy_rows_c2(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf64>) {
  // expected-error@+1 {{has logits of 'f32' but row weights of 'f64'}}
  %0:2 = nn.cross_entropy_rows %x, %y, %w : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf64>) -> (tensor<8xf64>, tensor<8xf64>)
  return
}

// -----

func.func @cross_entropy_rows_c3(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0:2 = nn.cross_entropy_rows %x, %y, %w : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<8xf32>, tensor<9xf32>)
  return
}

// -----

func.func @cross_entropy_rows_c4(%x: tensor<8x10xf32>, %y: tensor<8xi32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{ignore_index 4294967296 is not a value of 'i32'}}
  %0:2 = nn.cross_entropy_rows %x, %y, %w {ignore_index = 4294967296 : i64} : (tensor<8x10xf32>, tensor<8xi32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @cross_entropy_grad_c1(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<9xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{has logits 'tensor<8x10xf32>' but labels 'tensor<8xi64>' and row weights 'tensor<9xf32>'}}
  %0 = nn.cross_entropy_grad %x, %y, %w, %s : (tensor<8x10xf32>, tensor<8xi64>, tensor<9xf32>, tensor<f32>) -> tensor<8x10xf32>
  return
}

// -----

func.func @cross_entropy_grad_c2(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf32>, %s: tensor<f64>) {
  // expected-error@+1 {{has logits of 'f32' but a seed of 'f64'}}
  %0 = nn.cross_entropy_grad %x, %y, %w, %s : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>, tensor<f64>) -> tensor<8x10xf32>
  return
}

// -----

func.func @cross_entropy_grad_c3(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf32>, %s: tensor<f32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0 = nn.cross_entropy_grad %x, %y, %w, %s : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>, tensor<f32>) -> tensor<8x11xf32>
  return
}

// -----

func.func @cross_entropy_grad_c4(%x: tensor<8x10xf32>, %y: tensor<8xi32>, %w: tensor<8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{ignore_index 4294967296 is not a value of 'i32'}}
  %0 = nn.cross_entropy_grad %x, %y, %w, %s {ignore_index = 4294967296 : i64} : (tensor<8x10xf32>, tensor<8xi32>, tensor<8xf32>, tensor<f32>) -> tensor<8x10xf32>
  return
}

// -----

func.func @count_correct_c1(%x: tensor<8x10xf32>, %y: tensor<7xi64>, %w: tensor<8xf32>) {
  // expected-error@+1 {{has logits 'tensor<8x10xf32>' but labels 'tensor<7xi64>'}}
  %0 = nn.count_correct %x, %y, %w : (tensor<8x10xf32>, tensor<7xi64>, tensor<8xf32>) -> tensor<f64>
  return
}

// -----

func.func @count_correct_c2(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf64>) {
  // expected-error@+1 {{has logits of 'f32' but row weights of 'f64'}}
  %0 = nn.count_correct %x, %y, %w : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf64>) -> tensor<f64>
  return
}

// -----

func.func @count_correct_c3(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf32>) {
  // expected-error@+1 {{result #0 must be 0D tensor of 64-bit float values}}
  %0 = nn.count_correct %x, %y, %w : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @count_correct_c4(%x: tensor<8x10xf32>, %y: tensor<8xi32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{ignore_index 4294967296 is not a value of 'i32'}}
  %0 = nn.count_correct %x, %y, %w {ignore_index = 4294967296 : i64} : (tensor<8x10xf32>, tensor<8xi32>, tensor<8xf32>) -> tensor<f64>
  return
}

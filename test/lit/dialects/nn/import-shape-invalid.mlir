// RUN: %dsc-opt %s --split-input-file --verify-diagnostics

// Each function is named by the constraint (numbered in the op's description)
// that it breaks.

func.func @shape_of_c1(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{takes dimensions from 1 to before 3 of a tensor of rank 2}}
  %0 = nn.shape_of %x start = 1 end = 3 : tensor<?x4xf32> -> tensor<2xi64>
  return
}

// -----

func.func @shape_of_c2(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<2xi64>' are incompatible}}
  %0 = nn.shape_of %x start = 0 end = 2 : tensor<?x4xf32> -> tensor<3xi64>
  return
}

// -----

func.func @dynamic_slice_c1_count(%x: tensor<?x4xf32>, %a: tensor<1xi64>, %b: tensor<2xi64>) {
  // expected-error@+1 {{has 1 starts but 2 ends, axes or steps}}
  %0 = nn.dynamic_slice %x, %a, %b : (tensor<?x4xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_slice_c1_rank(%x: tensor<?x4xf32>, %a: tensor<3xi64>) {
  // expected-error@+1 {{slices 3 dimensions of 'tensor<?x4xf32>'}}
  %0 = nn.dynamic_slice %x, %a, %a : (tensor<?x4xf32>, tensor<3xi64>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_slice_c2_rank(%x: tensor<?x4xf32>, %a: tensor<1xi64>) {
  // expected-error@+1 {{changes the rank from 2 to 1}}
  %0 = nn.dynamic_slice %x, %a, %a : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_slice_c2_type(%x: tensor<?xf32>, %a: tensor<1xi64>) {
  // expected-error@+1 {{changes the element type from 'f32' to 'f64'}}
  %0 = nn.dynamic_slice %x, %a, %a : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf64>
  return
}

// -----

func.func @dynamic_expand_c1(%x: tensor<4xf32>, %n: tensor<?xi64>) {
  // expected-error@+1 {{shape has a number of elements that is not known}}
  %0 = nn.dynamic_expand %x, %n : (tensor<4xf32>, tensor<?xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_expand_c2_rank(%x: tensor<4xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{cannot expand 'tensor<4xf32>' to 2 sizes as 'tensor<?xf32>'}}
  %0 = nn.dynamic_expand %x, %n : (tensor<4xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_expand_c2_type(%x: tensor<4xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{changes the element type from 'f32' to 'i64'}}
  %0 = nn.dynamic_expand %x, %n : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xi64>
  return
}

// -----

func.func @tile_c1(%x: tensor<?x4xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{repeats has 3 elements for 2 dimensions}}
  %0 = nn.tile %x, %n : (tensor<?x4xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @tile_c2(%x: tensor<?x4xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{changes the rank from 2 to 3}}
  %0 = nn.tile %x, %n : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?x?xf32>
  return
}

// -----

func.func @constant_of_shape_c1(%n: tensor<2xi64>) {
  // expected-error@+1 {{shape has 2 elements for 1 dimensions}}
  %0 = nn.constant_of_shape %n value = 0.0 : f32 : tensor<2xi64> -> tensor<?xf32>
  return
}

// -----

func.func @constant_of_shape_c2(%n: tensor<1xi64>) {
  // expected-error@+1 {{has the value 0.000000e+00 : f64 for a result 'tensor<?xf32>'}}
  %0 = nn.constant_of_shape %n value = 0.0 : f64 : tensor<1xi64> -> tensor<?xf32>
  return
}

// -----

func.func @range_c1(%a: tensor<i64>, %b: tensor<i32>) {
  // expected-error@+1 {{all of {start, limit, delta, result} have same element type}}
  %0 = nn.range %a, %b, %a : (tensor<i64>, tensor<i32>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @range_c2(%a: tensor<i64>) {
  // expected-error@+1 {{must be 1D tensor of}}
  %0 = nn.range %a, %a, %a : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  return
}

// -----

func.func @split_c1_dim(%x: tensor<2x6xf32>) {
  // expected-error@+1 {{dim 2 is not a dimension of 'tensor<2x6xf32>'}}
  %0 = nn.split %x dim = 2 : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @split_c1_none(%x: tensor<2x6xf32>) {
  // expected-error@+1 {{needs at least one result}}
  "nn.split"(%x) {dim = 0 : i64} : (tensor<2x6xf32>) -> ()
  return
}

// -----

func.func @split_c2(%x: tensor<2x6xf32>) {
  // expected-error@+1 {{cannot cut 'tensor<1x3xf32>' from 'tensor<2x6xf32>' along dimension 1}}
  %0:2 = nn.split %x dim = 1 : (tensor<2x6xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>)
  return
}

// -----

func.func @split_c3(%x: tensor<2x6xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{sizes has 3 elements for 2 results}}
  %0:2 = nn.split %x sizes %n dim = 1 : (tensor<2x6xf32>, tensor<3xi64>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  return
}

// -----

func.func @trilu_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{needs rank 2 or more, not 'tensor<4xf32>'}}
  %0 = nn.trilu %x : tensor<4xf32>
  return
}

// -----

func.func @trilu_c2(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{all of {input, result} have same type}}
  %0 = "nn.trilu"(%x) : (tensor<4x4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @nonzero_c1(%x: tensor<4x4xi1>) {
  // expected-error@+1 {{has 1 rows for an operand of rank 2}}
  %0 = nn.nonzero %x : tensor<4x4xi1> -> tensor<1x?xi64>
  return
}

// -----

func.func @reduce_prod_c1(%x: tensor<4xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{dims names dimension 1 of a tensor of rank 1}}
  %0 = nn.reduce_prod %x dims = [1] : tensor<4xi64> -> tensor<4xi64>
  return
}

// -----

func.func @reduce_prod_c2(%x: tensor<4xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<i64>' are incompatible}}
  %0 = nn.reduce_prod %x dims = [0] : tensor<4xi64> -> tensor<1xi64>
  return
}

// -----

func.func @cumsum_c1(%x: tensor<4xi64>) {
  // expected-error@+1 {{dim 1 is not a dimension of 'tensor<4xi64>'}}
  %0 = nn.cumsum %x dim = 1 : tensor<4xi64>
  return
}

// -----

func.func @cumsum_c2(%x: tensor<4xi64>) {
  // expected-error@+1 {{all of {input, result} have same type}}
  %0 = "nn.cumsum"(%x) {dim = 0 : i64} : (tensor<4xi64>) -> tensor<5xi64>
  return
}

// -----

func.func @gather_nd_c1(%x: tensor<4x5xi64>, %i: tensor<2xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{batch_dims 1 does not fit 'tensor<4x5xi64>' and 'tensor<2xi64>'}}
  %0 = nn.gather_nd %x, %i batch_dims = 1 : (tensor<4x5xi64>, tensor<2xi64>) -> tensor<i64>
  return
}

// -----

func.func @gather_nd_c2(%x: tensor<4x5xi64>, %i: tensor<2x3xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{cannot name places in 'tensor<4x5xi64>' by 'tensor<2x3xi64>'}}
  %0 = nn.gather_nd %x, %i batch_dims = 0 : (tensor<4x5xi64>, tensor<2x3xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @gather_nd_c3(%x: tensor<4x5xi64>, %i: tensor<2x1xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{has different batch sizes in 'tensor<4x5xi64>' and 'tensor<2x1xi64>'}}
  %0 = nn.gather_nd %x, %i batch_dims = 1 : (tensor<4x5xi64>, tensor<2x1xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @gather_nd_c4(%x: tensor<4x5xi64>, %i: tensor<2x1xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<2x5xi64>' are incompatible}}
  %0 = nn.gather_nd %x, %i batch_dims = 0 : (tensor<4x5xi64>, tensor<2x1xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @dynamic_expand_c3(%x: tensor<4xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{cannot expand size 4 to size 5}}
  %0 = nn.dynamic_expand %x, %n : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  return
}

// RUN: %dsc-opt %s --split-input-file --verify-diagnostics

// Each function is named by the constraint (numbered in the op's description)
// that it breaks.

func.func @iota_c1_dim() {
  // expected-error@+1 {{dim 1 is not a dimension of 'tensor<4xi64>'}}
  %0 = nn.iota dim = 1 : tensor<4xi64>
  return
}

// -----

func.func @iota_c1_scalar() {
  // expected-error@+1 {{dim 0 is not a dimension of 'tensor<i64>'}}
  %0 = nn.iota dim = 0 : tensor<i64>
  return
}

// -----

func.func @iota_c1_static() {
  // expected-error@+1 {{needs a result of static shape, not 'tensor<?xi64>'}}
  %0 = nn.iota dim = 0 : tensor<?xi64>
  return
}

// -----

func.func @iota_of_truth_values() {
  // expected-error@+1 {{must be ranked tensor of}}
  %0 = nn.iota dim = 0 : tensor<4xi1>
  return
}

// -----

func.func @slice_c1_rank(%x: tensor<2x6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{offsets has 1 entries for an operand of rank 2}}
  %0 = nn.slice %x offsets = [0] sizes = [2, 3] strides = [1, 1] : tensor<2x6xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_c1_negative(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{offsets has the entry -1; the least is 0}}
  %0 = nn.slice %x offsets = [-1] sizes = [3] strides = [1] : tensor<6xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_c1_size(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{sizes has the entry -3; the least is 0}}
  %0 = nn.slice %x offsets = [0] sizes = [-3] strides = [1] : tensor<6xf32> -> tensor<?xf32>
  return
}

// -----

func.func @slice_c1_stride(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{strides has the entry 0; the least is 1}}
  %0 = nn.slice %x offsets = [0] sizes = [3] strides = [0] : tensor<6xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_c2_end(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{takes 3 elements from 2 on, 2 apart, of dimension 0 of size 6}}
  %0 = nn.slice %x offsets = [2] sizes = [3] strides = [2] : tensor<6xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_c2_start(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{takes 0 elements from 7 on}}
  %0 = nn.slice %x offsets = [7] sizes = [0] strides = [1] : tensor<6xf32> -> tensor<0xf32>
  return
}

// -----

// The last place, 4611686018427387904 * 2, is no int64.
func.func @slice_c2_overflow(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{takes 3 elements from 0 on, 4611686018427387904 apart}}
  %0 = nn.slice %x offsets = [0] sizes = [3] strides = [4611686018427387904] : tensor<6xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  %0 = nn.slice %x offsets = [0] sizes = [3] strides = [1] : tensor<6xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_c1_rank(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{interior has 2 entries for an operand of rank 1}}
  %0 = nn.pad %x low = [0] high = [0] interior = [0, 0] : tensor<6xf32> -> tensor<6xf32>
  return
}

// -----

func.func @pad_c1_negative(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{high has the entry -1; the least is 0}}
  %0 = nn.pad %x low = [0] high = [-1] interior = [0] : tensor<6xf32> -> tensor<5xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<14xf32>' are incompatible}}
  %0 = nn.pad %x low = [1] high = [2] interior = [1] : tensor<6xf32> -> tensor<15xf32>
  return
}

// -----

func.func @pad_c2_overflow(%x: tensor<6xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{makes dimension 0 too large}}
  %0 = nn.pad %x low = [0] high = [0] interior = [4611686018427387904] : tensor<6xf32> -> tensor<6xf32>
  return
}

// -----

func.func @concat_c1_none() {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{needs at least one operand}}
  %0 = "nn.concat"() {dim = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @concat_c1_rank(%x: tensor<2xf32>, %y: tensor<2x1xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{cannot join 'tensor<2xf32>' and 'tensor<2x1xf32>'}}
  %0 = nn.concat %x, %y dim = 0 : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concat_c1_type(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{cannot join 'tensor<2xf32>' and 'tensor<2xf64>'}}
  %0 = nn.concat %x, %y dim = 0 : (tensor<2xf32>, tensor<2xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @concat_c2(%x: tensor<f32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{dim 0 is not a dimension of 'tensor<f32>'}}
  %0 = nn.concat %x, %x dim = 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @concat_c3(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{joins sizes 3 and 4 of dimension 1 along dimension 0}}
  %0 = nn.concat %x, %y dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c4(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<4x3xf32>' are incompatible}}
  %0 = nn.concat %x, %x dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @gather_c1(%x: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{dim 2 is not a dimension of 'tensor<2x3xf32>'}}
  %0 = nn.gather %x, %i dim = 2 : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<2x4xf32>' are incompatible}}
  %0 = nn.gather %x, %i dim = 1 : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_by_floats(%x: tensor<2x3xf32>, %i: tensor<4xf32>) {
  // expected-error@+1 {{must be ranked tensor of 64-bit signless integer or 32-bit signless integer values}}
  %0 = nn.gather %x, %i dim = 0 : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_add_c1(%i: tensor<4xi64>, %g: tensor<5x3xf32>) {
  // expected-error@+1 {{has indices 'tensor<4xi64>' for updates 'tensor<5x3xf32>'}}
  %0 = nn.scatter_add %i, %g : (tensor<4xi64>, tensor<5x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_add_c1_rank(%i: tensor<4x1xi64>, %g: tensor<4xf32>) {
  // expected-error@+1 {{has indices 'tensor<4x1xi64>' for updates 'tensor<4xf32>'}}
  %0 = nn.scatter_add %i, %g : (tensor<4x1xi64>, tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scatter_add_c2_row(%i: tensor<4xi64>, %g: tensor<4x3xf32>) {
  // expected-error@+1 {{cannot add rows of 'tensor<4x3xf32>' into 'tensor<2x4xf32>'}}
  %0 = nn.scatter_add %i, %g : (tensor<4xi64>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @scatter_add_c2_scalar(%i: tensor<4xi64>, %g: tensor<4xf32>) {
  // expected-error@+1 {{cannot add rows of 'tensor<4xf32>' into 'tensor<f32>'}}
  %0 = nn.scatter_add %i, %g : (tensor<4xi64>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @scatter_add_c2_type(%i: tensor<4xi64>, %g: tensor<4xf32>) {
  // expected-error@+1 {{cannot add rows of 'tensor<4xf32>' into 'tensor<2xf64>'}}
  %0 = nn.scatter_add %i, %g : (tensor<4xi64>, tensor<4xf32>) -> tensor<2xf64>
  return
}

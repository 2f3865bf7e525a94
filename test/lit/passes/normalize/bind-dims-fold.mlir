// RUN: dsc-opt %s --pass-pipeline='builtin.module(normalize-bind-dims{bind=batch=8,seq=4},canonicalize)' | FileCheck %s

// What exporters compute from sizes becomes numbers in one walk, also where it
// goes through floats, conditions and lists: nothing of it is left.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<8x4x6xf32>
// CHECK-NEXT: %[[S:.*]] = nn.constant dense<[8, 4, 2, 3]> : tensor<4xi64>
// CHECK-NEXT: %[[Y:.*]] = nn.dynamic_reshape %[[X]], %[[S]] : (tensor<8x4x6xf32>, tensor<4xi64>) -> tensor<8x4x2x3xf32>
// CHECK-NEXT: return %[[Y]]
func.func @forward(%x: tensor<?x?x6xf32> {dsc.name = "x", dsc.dims = ["batch", "seq", ""]}) -> tensor<?x?x?x?xf32> {
  %batch = nn.shape_of %x start = 0 end = 1 : tensor<?x?x6xf32> -> tensor<1xi64>
  %seq = nn.shape_of %x start = 1 end = 2 : tensor<?x?x6xf32> -> tensor<1xi64>
  %width = nn.shape_of %x start = 2 end = 3 : tensor<?x?x6xf32> -> tensor<1xi64>
  %f = nn.cast %seq : tensor<1xi64> -> tensor<1xf32>
  %limit = nn.constant dense<9999.0> : tensor<1xf32>
  %m = nn.min %f, %limit : tensor<1xf32>
  %length = nn.cast %m : tensor<1xf32> -> tensor<1xi64>
  %heads = nn.constant dense<2> : tensor<1xi64>
  %head = nn.div %width, %heads : tensor<1xi64>
  %s = nn.concat %batch, %length, %heads, %head dim = 0 : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %y = nn.dynamic_reshape %x, %s : (tensor<?x?x6xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

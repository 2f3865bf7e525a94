// RUN: dsc-opt %s -split-input-file --differentiate-limit-indices | FileCheck %s

// Tokens reach the table after a reshape and a cast; the smaller of two tables
// limits them.

// CHECK: func.func @forward(%{{.+}}: tensor<2x3xi32> {dsc.index_limit = 5 : i64, dsc.name = "tokens"})
train.parameter @large : tensor<7x4xf32> trainable("")
train.parameter @small : tensor<5x4xf32> trainable("")
func.func @forward(%tokens: tensor<2x3xi32> {dsc.name = "tokens"}) -> (tensor<6x4xf32> {dsc.name = "a"}, tensor<2x3x4xf32> {dsc.name = "b"}) {
  %large = train.read @large : tensor<7x4xf32>
  %small = train.read @small : tensor<5x4xf32>
  %flat = nn.reshape %tokens : tensor<2x3xi32> -> tensor<6xi32>
  %wide = nn.cast %flat : tensor<6xi32> -> tensor<6xi64>
  %a = nn.gather %small, %wide dim = 0 : (tensor<5x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  %b = nn.gather %large, %tokens dim = 0 : (tensor<7x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>
  return %a, %b : tensor<6x4xf32>, tensor<2x3x4xf32>
}

// -----

// A part of an input says nothing about its other elements, and neither do
// numbers that a computation makes of it. A scattered row is limited like a
// gathered one, and a joined input like each alone.

// CHECK: func.func @forward(%{{.+}}: tensor<2x2xi64> {dsc.name = "columns"},
// CHECK-SAME: tensor<2xi64> {dsc.name = "sum"}
// CHECK-SAME: tensor<2xi64> {dsc.index_limit = 9 : i64, dsc.name = "p"}
// CHECK-SAME: tensor<2xi64> {dsc.index_limit = 9 : i64, dsc.name = "q"}
// CHECK-SAME: tensor<4x3xf32> {dsc.name = "rows"}
func.func @forward(%columns: tensor<2x2xi64> {dsc.name = "columns"}, %sum: tensor<2xi64> {dsc.name = "sum"}, %p: tensor<2xi64> {dsc.name = "p"}, %q: tensor<2xi64> {dsc.name = "q"}, %rows: tensor<4x3xf32> {dsc.name = "rows"}) -> (tensor<2x1x3xf32> {dsc.name = "a"}, tensor<2x3xf32> {dsc.name = "b"}, tensor<9x3xf32> {dsc.name = "c"}) {
  %first = nn.slice %columns offsets = [0, 0] sizes = [2, 1] strides = [1, 1] : tensor<2x2xi64> -> tensor<2x1xi64>
  %a = nn.gather %rows, %first dim = 0 : (tensor<4x3xf32>, tensor<2x1xi64>) -> tensor<2x1x3xf32>
  %twice = nn.add %sum, %sum : tensor<2xi64>
  %b = nn.gather %rows, %twice dim = 0 : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %both = nn.concat %p, %q dim = 0 : (tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
  %c = nn.scatter_add %both, %rows : (tensor<4xi64>, tensor<4x3xf32>) -> tensor<9x3xf32>
  return %a, %b, %c : tensor<2x1x3xf32>, tensor<2x3xf32>, tensor<9x3xf32>
}

// -----

// A model that looks for a number out of range deals with it itself; one in
// range, as a padding token is, changes nothing.

// CHECK: func.func @forward(%{{.+}}: tensor<3xi64> {dsc.name = "labels"}, %{{.+}}: tensor<3xi64> {dsc.index_limit = 5 : i64, dsc.name = "tokens"}
func.func @forward(%labels: tensor<3xi64> {dsc.name = "labels"}, %tokens: tensor<3xi64> {dsc.name = "tokens"}, %table: tensor<5xf32> {dsc.name = "table"}) -> (tensor<3xf32> {dsc.name = "a"}, tensor<3xf32> {dsc.name = "b"}, tensor<3x1xi1> {dsc.name = "c"}, tensor<3xi1> {dsc.name = "d"}) {
  %a = nn.gather %table, %labels dim = 0 : (tensor<5xf32>, tensor<3xi64>) -> tensor<3xf32>
  %b = nn.gather %table, %tokens dim = 0 : (tensor<5xf32>, tensor<3xi64>) -> tensor<3xf32>
  %ignored = nn.constant dense<-100> : tensor<3x1xi64>
  %column = nn.reshape %labels : tensor<3xi64> -> tensor<3x1xi64>
  %c = nn.compare ne %ignored, %column : tensor<3x1xi64> -> tensor<3x1xi1>
  %padding = nn.constant dense<0> : tensor<3xi64>
  %d = nn.compare ne %tokens, %padding : tensor<3xi64> -> tensor<3xi1>
  return %a, %b, %c, %d : tensor<3xf32>, tensor<3xf32>, tensor<3x1xi1>, tensor<3xi1>
}

// RUN: %dsc-opt %s --host-emit-manifest='model=mlp.onnx weights=mlp.weights.safetensors optimizer=adamw cpu=x86-64-v3 options=clip-norm=1' | FileCheck %s
// The same module gives the same manifest.
// RUN: %dsc-opt %s --host-emit-manifest -o %t.1
// RUN: %dsc-opt %s --host-emit-manifest -o %t.2
// RUN: cmp %t.1 %t.2

// CHECK:      llvm.mlir.global external constant @dsc_manifest("
// CHECK-SAME:   {\22format\22:1,\22abi\22:3,
// CHECK-SAME:   \22model\22:\22mlp.onnx\22
// CHECK-SAME:   \22cpu\22:\22x86-64-v3\22
// CHECK-SAME:   \22optimizer\22:\22adamw\22
// CHECK-SAME:   \22arena_bytes\22:512,\22batch\22:64
// CHECK-SAME:   \22settings\22:[{\22name\22:\22dsc.weight_decay\22,\22flag\22:\22weight-decay\22,\22default\22:0.01,\22help\22:\22weight decay\22}]
// CHECK-SAME:   \22groups\22:[{\22name\22:\22fc1\22,\22elements\22:6,\22type\22:\22f32\22,\22stage\22:3,\22segments\22:[{\22tensor\22:\22fc1.weight\22,\22offset\22:0,\22elements\22:6}]}]
// CHECK-SAME:   \22states\22:[{\22name\22:\22fc1.weight\22,\22class\22:\22parameter\22,\22type\22:\22f32\22,\22elements\22:6,\22shape\22:[2,3],\22group\22:0,\22offset\22:0
// CHECK-SAME:   \22initial\22:0.01
// CHECK-SAME:   \22parameters\22:[{\22name\22:\22fc1.weight\22,\22state\22:0
// CHECK-SAME:   \22source\22:{\22file\22:\22mlp.onnx\22,\22offset\22:128,\22bytes\22:24}
// CHECK-SAME:   \22weights\22:\22mlp.weights.safetensors\22
// CHECK-SAME:   \22entries\22:[{\22name\22:\22eval\22,\22kind\22:\22eval\22,\22symbol\22:\22dsc_entry_eval\22
// CHECK-SAME:   \22inputs\22:[{\22name\22:\22x\22,\22role\22:\22data\22,\22type\22:\22f32\22,\22shape\22:[64,3]}]
// CHECK-SAME:   \22outputs\22:[{\22name\22:\22logits\22,\22arena_offset\22:256,\22type\22:\22f32\22,\22shape\22:[8,2]}]
// CHECK-SAME:   \22launches\22:0
// CHECK-SAME:   \22options\22:{\22clip-norm\22:\221\22}
// CHECK-SAME:   \22hash\22:\22{{[0-9a-f]+}}\22}
// CHECK-SAME:   section = ".dsc.manifest"
// CHECK:      llvm.mlir.global external constant @dsc_manifest_size(
// CHECK:      llvm.mlir.global external constant @dsc_abi_version(3 : i32)
exec.group @fc1 index(0) elements(6) type(f32) stage(3) segments [#exec.segment<@"fc1.weight", 0, 6>]
exec.state @"fc1.weight" index(0) class(parameter) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0)
  parameter {role = "trainable", reason = "float initializer", initial = #train.file<"mlp.onnx", 128, 24>}
exec.state @dsc.weight_decay index(1) class(scalar) type(f64) elements(1) shape [] initial(1.000000e-02)
  kind("setting") setting {default = 1.000000e-02 : f64, help = "weight decay"}
exec.program @eval arena(512) kind(eval)
  inputs [{name = "x", role = "data", type = tensor<64x3xf32>}]
  outputs [{name = "logits", offset = 256 : i64, type = tensor<8x2xf32>}] {
}

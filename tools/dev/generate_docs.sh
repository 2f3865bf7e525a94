#!/usr/bin/env bash
# generate_docs.sh BUILD OUT: the op reference of each dialect and the pass
# reference of each stage, from TableGen.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$2
mkdir -p "$out"
tblgen=/usr/lib/llvm-22/bin/mlir-tblgen
include=(-I . -I /usr/lib/llvm-22/include)

for dialect in nn train zero exec; do
  name=${dialect^}
  $tblgen -gen-dialect-doc -dialect=$dialect "${include[@]}" "dialects/$dialect/${name}Ops.td" >"$out/$dialect.md"
done

: >"$out/passes.md"
for stage in normalize differentiate precision fusion partition schedule lower; do
  { echo "# dsc-$stage"; echo; $tblgen -gen-pass-doc "${include[@]}" "passes/$stage/Passes.td"; } >>"$out/passes.md"
done
for part in kernel host; do
  { echo "# codegen/$part"; echo; $tblgen -gen-pass-doc "${include[@]}" "codegen/$part/Passes.td"; } >>"$out/passes.md"
done

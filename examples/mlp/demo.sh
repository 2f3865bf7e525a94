#!/usr/bin/env bash
# Compiles, trains, evaluates and exports examples/mlp, then checks the exported
# file with ONNX Runtime. With --show, prints the dsc and dsrun lines that it
# runs, one a line, and runs nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=.venv/bin/python

steps() {
  cat <<'END'
build/release/bin/dsc examples/mlp/mlp.onnx --bind batch=64 --loss='cross_entropy(logits,labels)' --lr=0.003 -o build/mlp/mlp.so
build/release/bin/dsrun build/mlp/mlp.so --epochs 30 --seed 1 --input image=build/mlp/train_images.npy --input labels=build/mlp/train_labels.npy --eval --eval-input image=build/mlp/test_images.npy --eval-input labels=build/mlp/test_labels.npy --write-outputs build/mlp/outputs --export build/mlp/trained.onnx
END
}

if [ "${1:-}" = --show ]; then
  steps
  exit
fi

$python examples/mlp/make_data.py build/mlp
while IFS= read -r line; do
  echo "\$ $line"
  eval "$line"
done < <(steps)
$python examples/mlp/check_export.py build/mlp/trained.onnx \
  build/mlp/test_images.npy build/mlp/test_labels.npy build/mlp/outputs/logits.npy

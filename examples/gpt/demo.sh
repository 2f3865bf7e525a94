#!/usr/bin/env bash
# Compiles, trains, evaluates and exports examples/gpt, writes text with the
# exported file, and checks that file with ONNX Runtime. With --show, prints the
# lines of dsc, dsrun and the sampler that it runs, and runs nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=.venv/bin/python
out=build/gpt

steps() {
  cat <<'END'
build/release/bin/dsc examples/gpt/gpt.onnx -zero=3 --bind batch=6 --bind sequence=64 --loss='cross_entropy(logits,labels)' --init='normal(0.05)@weight$' --init='zeros@bias$' --init='ones@ln_.*weight$' --lr=0.003 --betas=0.9,0.95 --weight-decay=0.1 --no-decay='bias$|ln_' --clip-norm=1 --lr-schedule=cosine --warmup-steps=50 --min-lr=0.0003 --total-steps=1500 -o build/gpt/gpt.so
build/release/bin/dsrun -n 2 build/gpt/gpt.so --tokens build/gpt/train.txt --token-type=text --steps=1500 --seed=1 --eval-tokens build/gpt/held_out.txt --eval-every=250 --export=build/gpt/trained.onnx
build/release/bin/dsc build/gpt/trained.onnx --forward --bind batch=1 --bind sequence=64 -o build/gpt/writer.so
build/release/bin/dsrun build/gpt/writer.so --tokens build/gpt/held_out.txt --token-type=text --write-outputs=build/gpt/outputs
build/gpt/sampler/sample build/gpt/writer.so 400 0.5 1 'You may '
END
}

if [ "${1:-}" = --show ]; then
  steps
  exit
fi

# The sampler is a program of a user's: it finds the installed runtime.
build_sampler() {
  cmake --install build/release --prefix $out/install --component runtime &&
    cmake --fresh -G Ninja -S examples/gpt -B $out/sampler -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_PREFIX_PATH="$PWD/$out/install" &&
    cmake --build $out/sampler
}

$python examples/gpt/make_data.py $out
build_sampler >$out/sampler.log 2>&1 || {
  cat $out/sampler.log >&2
  exit 1
}
while IFS= read -r line; do
  echo "\$ $line"
  eval "$line"
done < <(steps)
$python examples/gpt/check_export.py $out/trained.onnx $out/held_out.txt $out/outputs/logits.npy

"""Checks with ONNX Runtime that an exported model predicts what dsrun predicted.

    python check_export.py MODEL.onnx HELD_OUT.txt LOGITS.npy

LOGITS are the outputs that `dsrun --write-outputs` wrote for the windows of the
same text.
"""

import sys

import numpy as np
import onnxruntime

# Both sum the same float32 products, in different orders, through five layers.
TOLERANCE = 1e-4
LARGEST_LOSS = 2.0


def main(model, held_out, logits):
    ours = np.load(logits, mmap_mode="r")
    windows, length = ours.shape[:2]
    text = np.fromfile(held_out, np.uint8).astype(np.int64)
    if windows != len(text) // length:
        sys.exit("%s holds other windows than those of %s" % (logits, held_out))
    session = onnxruntime.InferenceSession(model)
    largest = difference = total = 0.0
    for window in range(windows):
        first = window * length
        (theirs,) = session.run(None, {"tokens": text[np.newaxis, first : first + length]})
        largest = max(largest, np.abs(theirs).max())
        difference = max(difference, np.abs(theirs[0] - ours[window]).max())
        labels = text[first + 1 : first + length + 1]
        scores = theirs[0, : len(labels)].astype(np.float64)
        scores -= scores.max(axis=1, keepdims=True)
        total += np.sum(np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(labels)), labels])
    loss = total / min(windows * length, len(text) - 1)
    print("ONNX Runtime: loss %.3f on %d bytes of held-out text" % (loss, windows * length))
    print(
        "ONNX Runtime and dsrun differ by at most %.1e of the largest score"
        % (difference / largest)
    )
    if not difference <= TOLERANCE * largest:
        sys.exit("the exported model does not predict the same")
    if not loss < LARGEST_LOSS:
        sys.exit("the held-out loss is not below %g" % LARGEST_LOSS)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: check_export.py MODEL.onnx HELD_OUT.txt LOGITS.npy")
    main(*sys.argv[1:])

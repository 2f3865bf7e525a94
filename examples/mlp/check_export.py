"""Checks with ONNX Runtime that an exported model predicts what dsrun predicted.

    python check_export.py MODEL.onnx IMAGES.npy LABELS.npy LOGITS.npy

LOGITS are the outputs that `dsrun --write-outputs` wrote for the same images.
"""

import sys

import numpy as np
import onnxruntime

# Both sum the same float32 products, in different orders.
TOLERANCE = 1e-4


def main(model, images, labels, logits):
    images, labels, ours = np.load(images), np.load(labels), np.load(logits)
    session = onnxruntime.InferenceSession(model)
    (theirs,) = session.run(None, {session.get_inputs()[0].name: images})
    accuracy = np.mean(theirs.argmax(1) == labels)
    difference = np.max(np.abs(theirs - ours)) / np.max(np.abs(theirs))
    print("ONNX Runtime: accuracy %.2f %% on %d held-out images" % (100 * accuracy, len(labels)))
    print("ONNX Runtime and dsrun differ by at most %.1e of the largest score" % difference)
    if difference > TOLERANCE or not np.array_equal(theirs.argmax(1), ours.argmax(1)):
        sys.exit("the exported model does not predict the same")
    if accuracy <= 0.95:
        sys.exit("the held-out accuracy is not above 95 %")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: check_export.py MODEL.onnx IMAGES.npy LABELS.npy LOGITS.npy")
    main(*sys.argv[1:])

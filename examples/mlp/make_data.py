"""Writes scikit-learn's handwritten digits (1797 real 8 x 8 images) as .npy files.

    python make_data.py FOLDER

makes train_images, train_labels, test_images and test_labels, a fifth of the
digits held out. Grey values are scaled to [0, 1].
"""

import pathlib
import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    images = (digits.images[:, np.newaxis] / 16).astype(np.float32)
    labels = digits.target.astype(np.int64)
    parts = train_test_split(images, labels, test_size=0.2, random_state=0, stratify=labels)
    names = ["train_images", "test_images", "train_labels", "test_labels"]
    for name, array in zip(names, parts):
        np.save(folder / (name + ".npy"), array)
        print("%s: %s %s" % (folder / (name + ".npy"), array.dtype, list(array.shape)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_data.py FOLDER")
    main(sys.argv[1])

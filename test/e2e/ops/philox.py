"""Dropout's mask, from the text of nn.dropout and the papers that it cites."""

import numpy as np

_WORD = np.uint64(0xFFFFFFFF)


def philox4x32_10(counter, key):
    """Random123's Philox4x32-10: four words of counter, two of key, as uint64."""
    c = [np.asarray(word, np.uint64) for word in counter]
    k = [np.uint64(word) for word in key]
    for _ in range(10):
        product0, product1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        shift = np.uint64(32)
        c = [
            (product1 >> shift) ^ c[1] ^ k[0],
            product1 & _WORD,
            (product0 >> shift) ^ c[3] ^ k[1],
            product0 & _WORD,
        ]
        k = [(k[0] + np.uint64(0x9E3779B9)) & _WORD, (k[1] + np.uint64(0xBB67AE85)) & _WORD]
    return c


def splitmix64(x):
    """The first output of SplitMix64 from state x."""
    mask = (1 << 64) - 1
    z = (x + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def keep_mask(shape, probability, seed, micro_batch, site):
    count = int(np.prod(shape))
    index = np.arange(count, dtype=np.uint64)
    key = splitmix64(seed) ^ (site % (1 << 64))
    counter = (
        index & _WORD,
        index >> np.uint64(32),
        np.full(count, micro_batch & 0xFFFFFFFF, np.uint64),
        np.full(count, micro_batch >> 32, np.uint64),
    )
    draw = philox4x32_10(counter, (key & 0xFFFFFFFF, key >> 32))[0]
    return (draw >= np.uint64(round(probability * 2**32))).reshape(shape)

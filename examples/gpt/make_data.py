"""Splits the licence texts that every Debian machine carries into two files.

    python make_data.py FOLDER

makes train.txt and held_out.txt: of each text, in the order of their names, the
last tenth is held out, rounded to whole lines. Indentation and other runs of
spaces become one space or none, since a model this small would learn little else.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path("/usr/share/common-licenses")


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # GPL is a link to GPL-3, and so on: no text twice.
    texts = [path for path in sorted(SOURCE.iterdir()) if path.is_file() and not path.is_symlink()]
    if not texts:
        sys.exit("no texts in %s" % SOURCE)
    train, held_out = bytearray(), bytearray()
    for path in texts:
        text = re.sub(rb" +", b" ", re.sub(rb"(?m)^ +| +$", b"", path.read_bytes()))
        cut = text.rfind(b"\n", 0, len(text) * 9 // 10) + 1
        train += text[:cut]
        held_out += text[cut:]
    for name, text in [("train.txt", train), ("held_out.txt", held_out)]:
        (folder / name).write_bytes(text)
        print("%s: %d bytes of %d texts" % (folder / name, len(text), len(texts)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_data.py FOLDER")
    main(sys.argv[1])

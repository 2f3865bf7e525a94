#!/usr/bin/env python3
"""Writes the ONNX schema of the installed `onnx` package as a descriptor set.

Debian's libonnx-dev lags the standard by years, so the C++ classes are made by
protoc from the schema that the pinned Python package carries:

    emit_proto.py onnx.desc
    protoc --descriptor_set_in=onnx.desc --cpp_out=. onnx.proto
"""

import sys

from google.protobuf import descriptor_pb2
from onnx import onnx_ml_pb2


def main() -> None:
    schema = descriptor_pb2.FileDescriptorProto()
    onnx_ml_pb2.DESCRIPTOR.CopyToProto(schema)
    # The generated header is named after the schema, wherever it came from.
    schema.name = "onnx.proto"
    with open(sys.argv[1], "wb") as out:
        out.write(descriptor_pb2.FileDescriptorSet(file=[schema]).SerializeToString())


if __name__ == "__main__":
    main()

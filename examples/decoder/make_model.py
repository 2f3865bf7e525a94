"""Writes a decoder-only language model of any size as an ONNX file without weights.

    python make_model.py --preset=gpt3-175b -o gpt3.onnx
    python make_model.py --layers=6 --width=384 --heads=6 --context=512 -o small.onnx

The graph is what torch.onnx.export(dynamo=True) makes of the GPT in examples/gpt
(batch and sequence symbolic, attention taken apart), node for node, with names
that tell the layer. The weights' data would lie in OUT.data, which is not
written: `dsc --init=RULE@REGEX` draws them.
"""

import argparse
import collections
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Size = collections.namedtuple("Size", "layers width heads vocabulary context")

# Radford et al. 2019, table 2; Brown et al. 2020, table 2.1. Both tie the head
# to the embedding.
PRESETS = {
    "gpt2-small": Size(12, 768, 12, 50257, 1024),
    "gpt2-medium": Size(24, 1024, 16, 50257, 1024),
    "gpt2-large": Size(36, 1280, 20, 50257, 1024),
    "gpt2-xl": Size(48, 1600, 25, 50257, 1024),
    "gpt3-2.7b": Size(32, 2560, 32, 50257, 2048),
    "gpt3-6.7b": Size(32, 4096, 32, 50257, 2048),
    "gpt3-175b": Size(96, 12288, 96, 50257, 2048),
}


class Decoder:
    """Collects the nodes and initializers of one graph."""

    def __init__(self, size, tied, data):
        self.size, self.tied, self.data = size, tied, data
        self.nodes, self.constants, self.parameters = [], {}, []
        self.scope, self.offset, self.count = "", 0, collections.Counter()

    def op(self, kind, *inputs, outputs=1, **attributes):
        """Adds a node; returns the names of its outputs."""
        self.count[self.scope + kind] += 1
        number = self.count[self.scope + kind] - 1
        name = self.scope + "/" + kind + ("_%d" % number if number else "")
        results = [name + "_output_%d" % i for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, results, name, **attributes))
        return results[0] if outputs == 1 else results

    def constant(self, value, dtype=np.int64):
        """A small initializer; equal ones are one, as the exporter's are."""
        array = np.array(value, dtype)
        key = array.tobytes(), array.dtype, array.shape
        if key not in self.constants:
            self.constants[key] = numpy_helper.from_array(array, "val_%d" % len(self.constants))
        return self.constants[key].name

    def parameter(self, name, *shape):
        """A trained tensor, whose data is elsewhere."""
        bytes_ = 4 * int(np.prod(shape, dtype=object))
        tensor = TensorProto(
            name=name, dims=shape, data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL
        )
        for key, value in (("location", self.data), ("offset", self.offset), ("length", bytes_)):
            tensor.external_data.add(key=key, value=str(value))
        self.offset += bytes_
        self.parameters.append(tensor)
        return name

    def project(self, x, name, inputs, outputs):
        weight = self.parameter(name + ".weight", inputs, outputs)
        product = self.op("MatMul", x, weight)
        return self.op("Add", product, self.parameter(name + ".bias", outputs))

    def normalize(self, x, name):
        scale = self.parameter(name + ".weight", self.size.width)
        bias = self.parameter(name + ".bias", self.size.width)
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5, stash_type=1)

    def attend(self, x):
        heads, width = self.size.heads, self.size.width
        split = self.op("Split", x, outputs=3, axis=2, num_outputs=3)
        shape = self.op(
            "Concat", *self.extents, self.constant([heads]), self.constant([width // heads]), axis=0
        )
        query, key, value = [
            self.op("Transpose", self.op("Reshape", part, shape, allowzero=1), perm=[0, 2, 1, 3])
            for part in split
        ]
        # Positions may see themselves and earlier ones.
        start, stop = self.constant([2]), self.constant([3])
        lengths = [
            self.op("Slice", self.op("Shape", part, start=0), start, stop) for part in (query, key)
        ]
        everywhere = self.op(
            "Expand", self.constant(1.0, np.float32), self.op("Concat", *lengths, axis=0)
        )
        seen = self.op(
            "Equal", self.op("Trilu", everywhere, upper=0), self.constant(0.0, np.float32)
        )
        mask = self.op(
            "Where", seen, self.constant(-np.inf, np.float32), self.constant(0.0, np.float32)
        )
        # The exporter scales both sides, for the range of 16-bit floats.
        scale = self.constant((width // heads) ** -0.25, np.float32)
        scores = self.op(
            "MatMul",
            self.op("Mul", query, scale),
            self.op("Mul", self.op("Transpose", key, perm=[0, 1, 3, 2]), scale),
        )
        weights = self.op("Softmax", self.op("Add", scores, mask), axis=-1)
        mixed = self.op("Transpose", self.op("MatMul", weights, value), perm=[0, 2, 1, 3])
        shape = self.op("Concat", *self.extents, self.constant([width]), axis=0)
        return self.op("Reshape", mixed, shape, allowzero=1)

    def block(self, x, name):
        width = self.size.width
        self.scope = "/" + name + "/attn"
        packed = self.project(self.normalize(x, name + ".ln_1"), name + ".attn", width, 3 * width)
        x = self.op("Add", x, self.project(self.attend(packed), name + ".attn_proj", width, width))
        self.scope = "/" + name + "/mlp"
        hidden = self.project(self.normalize(x, name + ".ln_2"), name + ".fc", width, 4 * width)
        active = self.op("Gelu", hidden, approximate="tanh")
        return self.op("Add", x, self.project(active, name + ".fc_proj", 4 * width, width))

    def head(self, x):
        size = self.size
        if self.tied:
            return self.op("MatMul", x, self.op("Transpose", "wte.weight", perm=[1, 0]))
        return self.op("MatMul", x, self.parameter("lm_head.weight", size.width, size.vocabulary))

    def build(self):
        size = self.size
        self.extents = [self.op("Shape", "tokens", start=i, end=i + 1) for i in range(2)]
        length = self.op("Squeeze", self.extents[1])
        positions = self.op("Range", self.constant(0), length, self.constant(1))
        x = self.op(
            "Add",
            self.op(
                "Gather",
                self.parameter("wte.weight", size.vocabulary, size.width),
                "tokens",
                axis=0,
            ),
            self.op(
                "Gather", self.parameter("wpe.weight", size.context, size.width), positions, axis=0
            ),
        )
        for layer in range(size.layers):
            x = self.block(x, "h.%d" % layer)
        self.scope = ""
        self.head(self.normalize(x, "ln_f"))
        self.nodes[-1].output[0] = "logits"
        graph = helper.make_graph(
            self.nodes,
            "decoder",
            [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["batch", "sequence"])],
            [
                helper.make_tensor_value_info(
                    "logits", TensorProto.FLOAT, ["batch", "sequence", size.vocabulary]
                )
            ],
            self.parameters + list(self.constants.values()),
        )
        return helper.make_model(
            graph,
            producer_name="dsc examples/decoder",
            opset_imports=[helper.make_opsetid("", 20)],
            ir_version=10,
        )


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("%s is not a positive number" % text)
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--preset", choices=PRESETS, help="sizes to start from (default: gpt2-small)"
    )
    for name, what in zip(
        Size._fields,
        (
            "layers",
            "width of the residual stream",
            "heads of attention",
            "tokens",
            "longest sequence",
        ),
    ):
        parser.add_argument("--" + name, type=positive, metavar="N", help=what)
    parser.add_argument("--untied", action="store_true", help="give the head a weight of its own")
    parser.add_argument(
        "-o", "--output", type=pathlib.Path, default="decoder.onnx", metavar="OUT.onnx"
    )
    options = parser.parse_args()
    given = {name: getattr(options, name) for name in Size._fields if getattr(options, name)}
    size = PRESETS[options.preset or "gpt2-small"]._replace(**given)
    if size.width % size.heads:
        parser.error("a width of %d does not divide among %d heads" % (size.width, size.heads))
    decoder = Decoder(size, not options.untied, options.output.name + ".data")
    onnx.save(decoder.build(), options.output)
    print("%s: %.1f million parameters" % (options.output, decoder.offset / 4e6))


if __name__ == "__main__":
    main()

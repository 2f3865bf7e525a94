"""What a program of the exec form computes, symbolically, whatever its streams do.

Written from docs/generated/exec.md alone, to judge what lower-verify says: memory
is an array of numbers, one a byte, and an operation writes numbers that are hashes
of its own text and of all that it reads. Two runs that end with equal numbers have
computed the same. Streams are run in several orders that their events allow.
"""

import hashlib
import random
import re

import numpy as np

BITS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i64": 64, "i32": 32, "i8": 8, "i1": 8}
VIEW = re.compile(r" *(%\w+) = exec\.(input|\w+_view)\b(.*)")
STREAM = re.compile(r" on\((\w+)\)")


def number(*parts):
    text = "\0".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "little")


class Operation:
    """An operation of a stream: text without the names of views, what it reads and
    writes, and the events that it waits for or records."""

    def __init__(self, line):
        self.line = line.strip()
        self.stream = STREAM.search(line)[1]
        self.name = re.match(r" *exec\.(\w+)", line)[1]
        self.signature = re.sub(r"%\w+", "%", STREAM.sub("", self.line))
        self.event, self.reads, self.writes = None, [], []
        if self.name in ("event_record", "event_wait"):
            self.event = int(re.search(r"event_\w+ (\d+)", line)[1])
        elif self.name == "launch":
            ins = re.search(r" ins\(([^:]*):", line)
            self.reads = re.findall(r"%\w+", ins[1]) if ins else []
            self.writes = re.findall(r"%\w+", re.search(r" outs\(([^:]*):", line)[1])
        elif self.name == "fill_zero":
            self.writes = re.findall(r"%\w+", line)
        else:
            operands = re.findall(r"%\w+", line)
            self.reads, self.writes = operands[:-1], operands[-1:]
            if "accumulate(true)" in line:
                self.reads.append(self.writes[0])


class Program:
    def __init__(self, body, module):
        """`module` is the text of the whole module: states and kernels."""
        self.views, self.operations = {}, []
        self.arena = int(re.search(r"arena\((\d+)\)", body.header())[1])
        self.outputs = [
            (int(offset), size(type))
            for offset, type in re.findall(
                r"offset = (\d+) : i64[^}]*type = tensor<([^>]*)>",
                body.header().split(" outputs ")[1],
            )
        ]
        self.places, self.copies = read_states(module)

    def read(self, statements):
        self.views, self.operations = {}, []
        for line in statements:
            view = VIEW.match(line)
            if view:
                self.views[view[1]] = self.place(view[2], view[3])
            elif "exec.return" not in line:
                self.operations.append(Operation(line))
        return self

    def place(self, kind, rest):
        if kind == "input":
            return "input", int(rest.split()[0])
        if kind == "range_view":  # Some of it; which bytes is known at load.
            return self.views[re.match(r" (%\w+)", rest)[1]]
        if kind == "arena_view":
            begin, end = arena_range(rest)
            return "arena", begin, end - begin
        state = re.match(r" @(\S+)", rest)[1]
        if kind in ("shard_view", "flat_view"):
            return "states", tuple(self.copies[self.places[state]])
        return "states", (state,)

    def run(self, choose):
        """Final numbers of outputs and states. `choose` picks one of the streams
        that can go on."""
        memory = np.zeros(self.arena, np.uint64)
        states, done, queues, exchanges = {}, set(), {}, []
        # A wait is for the latest record that was issued, and for nothing if there
        # is none.
        recorded, awaited = {}, {}
        for operation in self.operations:
            queues.setdefault(operation.stream, []).append(operation)
            if operation.name == "event_record":
                recorded[operation.event] = operation
            elif operation.name == "event_wait":
                awaited[operation] = recorded.get(operation.event)
        position = dict.fromkeys(queues, 0)

        def can_go_on(stream):
            if position[stream] == len(queues[stream]):
                return False
            return awaited.get(queues[stream][position[stream]]) in done | {None}

        while ready := list(filter(can_go_on, queues)):
            stream = choose(ready)
            operation = queues[stream][position[stream]]
            position[stream] += 1
            if operation.name == "event_record":
                done.add(operation)
            elif operation.name != "event_wait":
                self.execute(operation, memory, states)
                if operation.name.startswith("all_"):
                    exchanges.append(operation.signature)
        outputs = [memory[at : at + bytes].tobytes() for at, bytes in self.outputs]
        return outputs, states, exchanges

    def execute(self, operation, memory, states):
        found = []
        for view in operation.reads:
            kind, *where = self.views[view]
            if kind == "arena":
                at, bytes = where
                found.append(memory[at : at + bytes].tobytes().hex())
            elif kind == "states":
                found.append([states.get(name, name) for name in where[0]])
            else:
                found.append((kind, where))
        for index, view in enumerate(operation.writes):
            result = number(operation.signature, found, index)
            kind, *where = self.views[view]
            if kind == "arena":
                at, bytes = where
                count = len(memory[at : at + bytes])
                memory[at : at + bytes] = result + np.arange(count, dtype=np.uint64)
            elif kind == "states":
                for name in where[0]:
                    states[name] = number(result, name)

    def outcomes(self, orders):
        """Of several orders: each stream ahead of the others, then by chance."""
        first = [lambda ready, s=s: s if s in ready else ready[0] for s in streams(self)]
        for seed in range(orders):
            generator = random.Random(seed)
            first.append(generator.choice)
        return [self.run(choose) for choose in first]


def streams(program):
    return sorted({operation.stream for operation in program.operations})


def arena_range(view):
    """First byte and end of the text of an arena_view."""
    offset = int(re.search(r"offset\((\d+)\)", view)[1])
    bound = re.search(r"bound\((\d+)\)", view)
    type = re.search(r"memref<([^>]*)>", view)[1]
    return offset, offset + size(type, int(bound[1]) if bound else 1)


def size(type, dynamic=1):
    """Bytes of the shape and element type, such as 2x3xf32."""
    *dims, element = type.split("x")
    total = BITS[element] // 8
    for dim in dims:
        total *= dynamic if dim == "?" else int(dim)
    return total


def read_states(module):
    """The copy of a group's flat space in which each state lies: the n-th states of
    one class at their offsets make the n-th copy."""
    places, copies, seen = {}, {}, {}
    for name, kind, rest in re.findall(
        r"^  exec\.state @(\S+) index\(\d+\) class\((\w+)\)(.*)$", module, re.M
    ):
        group = re.search(r" group\(@(\S+)\) offset\((\d+)\)", rest)
        place = (name,)
        if group and kind != "staging":
            key = kind, group[1], group[2]
            seen[key] = seen.get(key, 0) + 1
            place = kind, group[1], seen[key]
        places[name] = place
        copies.setdefault(place, []).append(name)
    return places, copies

"""Machines of which times can be told by hand."""

import copy
import json

# Contractions at 1 GFLOP/s, and nothing else that takes time but links.
FAST = 1e18
PLAIN = {
    "name": "plain",
    "source": "made up",
    "device": {
        "flops": {"f64": 1e9, "f32": 1e9, "f16": 1e9},
        "vector_flops": FAST,
        "memory_bandwidth": FAST,
        "memory_bytes": 1e9,
        "launch_latency": 0,
        "compute_share": 0,
    },
    "levels": [
        {"name": "node", "ranks": 4, "latency": 0.001, "bandwidth": 1e9},
        {"name": "network", "ranks": 1024, "latency": 0.01, "bandwidth": 1e8},
    ],
    "storage": {"latency": 0, "bandwidth": FAST},
}


def write(path, machine=PLAIN, **device):
    """The file of a machine with some figures of its device changed."""
    machine = copy.deepcopy(machine)
    machine["device"].update(device)
    path.write_text(json.dumps(machine, indent=1))
    return path

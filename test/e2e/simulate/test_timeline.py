"""dsc --timeline: a trace in order, replayed from the program by another hand."""

import json
import re

import onnx
import pytest
from harness.models import mlp
from harness.tools import run

from . import machines

FLAGS = ["--bind=batch=16", "--loss=cross_entropy(logits,y)", "--ranks=4", "--topology=m.json"]
CATEGORIES = {"contraction", "kernel", "collective", "copy", "wait"}
STREAMS = {"compute": 0, "communication": 1, "transfer": 2}

# What the events of a trace may differ by: they are printed in microseconds.
MICROSECONDS = 1e-3


@pytest.fixture(scope="module", params=["off", "on"])
def schedule(request):
    return "--schedule-stage=%s" % request.param


@pytest.fixture(scope="module", params=[0, 3])
def made(request, schedule, tmp_path_factory):
    """The trace, and the module's programs as text."""
    folder = tmp_path_factory.mktemp("timeline")
    onnx.save(mlp([64, 96, 10]), folder / "mlp.onnx")
    machines.write(folder / "m.json", vector_flops=1e9, memory_bandwidth=1e9, launch_latency=1e-4)
    flags = [*FLAGS, "-zero=%d" % request.param, schedule]
    result = run("dsc", "mlp.onnx", *flags, "--timeline=t.json", cwd=folder)
    assert result.code == 0 and not result.out, str(result)
    assert not (folder / "mlp.so").exists()
    trace = json.loads((folder / "t.json").read_text())
    lowered = run("dsc", "mlp.onnx", *flags, "--emit=lower", "-o", "-", cwd=folder)
    assert lowered.code == 0, str(lowered)
    simulated = run("dsc", "mlp.onnx", *flags, "--simulate", "--json", cwd=folder)
    return trace, lowered.out, json.loads(simulated.out)


def spans(trace):
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


def programs(text):
    """For each entry its calls in order: (operation, stream, event or None)."""
    found = {}
    for name, body in re.findall(r"exec\.program @(\S+) .*?\{\n(.*?)\n  \}", text, re.S):
        calls = found.setdefault(name, [])
        for line in body.splitlines():
            # Views and inputs name memory; only the rest calls the runtime.
            call = re.match(r"\s*exec\.(\w+)(?: (\d+))?.* on\((\w+)\)", line)
            if call:
                operation, event, stream = call.groups()
                calls.append((operation, STREAMS[stream], event))
    return found


def test_format(made):
    trace, _, _ = made
    assert trace["displayTimeUnit"] == "ms"
    names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"}
    assert names[0] == "compute" and names[1] == "communication"
    for event in spans(trace):
        assert event["cat"] in CATEGORIES and event["pid"] == 0 and event["tid"] in names
        assert event["dur"] >= 0 and event["name"]
        assert set(event["args"]) == {"entry", "index", "node", "bytes"}


def test_spans_follow_the_order_of_issue(made):
    """On a stream spans do not overlap, and ordinals ascend within an entry."""
    trace, _, _ = made
    for tid in STREAMS.values():
        rows = [event for event in spans(trace) if event["tid"] == tid]
        for before, after in zip(rows, rows[1:]):
            assert after["ts"] >= before["ts"] + before["dur"] - MICROSECONDS
            if before["args"]["entry"] == after["args"]["entry"]:
                assert after["args"]["index"] > before["args"]["index"]


def test_ordinals_are_those_of_the_program(made):
    trace, text, _ = made
    kinds = {
        "contraction": {"contraction"},
        "kernel": {"launch"},
        "copy": {"copy", "fill_zero"},
        "wait": {"event_wait"},
    }
    calls = programs(text)
    for event in spans(trace):
        operation, stream, _ = calls[event["args"]["entry"]][event["args"]["index"]]
        assert stream == event["tid"]
        if event["cat"] in kinds:
            assert operation in kinds[event["cat"]]
        else:
            assert operation not in set().union(*kinds.values())


def test_the_program_replays_to_the_same_times(made):
    """Streams and events by their definition, with the durations of the trace."""
    trace, text, simulated = made
    offset = 0
    for entry in simulated["entries"]:
        rows = {
            event["args"]["index"]: event
            for event in spans(trace)
            if event["args"]["entry"] == entry["name"]
        }
        clocks, events = [0.0] * 3, {}
        for index, (operation, stream, event) in enumerate(programs(text)[entry["name"]]):
            if operation == "event_record":
                events[event] = clocks[stream]
            elif operation == "event_wait":
                until = max(clocks[stream], events[event])
                waited = until - clocks[stream]
                if index in rows:
                    assert rows[index]["dur"] == pytest.approx(waited, abs=MICROSECONDS)
                else:
                    assert waited == pytest.approx(0, abs=MICROSECONDS)
                clocks[stream] = until
            else:
                row = rows[index]
                assert row["ts"] - offset == pytest.approx(clocks[stream], abs=MICROSECONDS)
                clocks[stream] += row["dur"]
        assert max(clocks) == pytest.approx(entry["seconds"] * 1e6, abs=MICROSECONDS)
        offset += entry["seconds"] * 1e6


def test_what_is_awaited_has_ended(made):
    """A wait of the compute stream ends with a collective or a sum of its ranks."""
    trace, _, _ = made
    ends = {
        (event["args"]["entry"], round(event["ts"] + event["dur"], 2))
        for event in spans(trace)
        if event["tid"] == 1 and event["cat"] != "wait"
    }
    waits = [event for event in spans(trace) if event["cat"] == "wait" and event["tid"] == 0]
    assert waits
    for wait in waits:
        end = wait["ts"] + wait["dur"]
        assert any(
            entry == wait["args"]["entry"] and abs(at - end) < 0.02 for entry, at in ends
        ), wait


def test_a_shared_core_slows_computation(tmp_path):
    """Beside exchanges computation takes longer, by what is taken from it."""
    onnx.save(mlp([64] * 8 + [10]), tmp_path / "mlp.onnx")
    totals = {}
    for share in (0, 0.5, 1):
        machines.write(tmp_path / "m.json", compute_share=share)
        flags = [*FLAGS, "-zero=3", "--timeline=t%g.json" % share]
        result = run("dsc", "mlp.onnx", *flags, cwd=tmp_path)
        assert result.code == 0, str(result)
        rows = spans(json.loads((tmp_path / ("t%g.json" % share)).read_text()))
        totals[share] = sum(
            row["dur"] for row in rows if row["cat"] == "contraction" and row["tid"] == 0
        )
    assert totals[0] <= totals[0.5] <= totals[1]

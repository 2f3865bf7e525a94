"""dsrun --timeline: what it shows is what ran, in its order, on every rank."""

import json
import re
from itertools import pairwise, takewhile

import numpy as np
import onnx
import pytest
from harness import zoo
from harness.session import session
from harness.tools import compile_model, run

BATCH, STEPS = 2, 4
FLAGS = ["--loss=cross_entropy(logits,y)", "--freeze=frozen", "--bind=batch=%d" % BATCH]
COMPUTE, COMMUNICATION = 0, 1


class Trained:
    def __init__(self, folder, stage):
        onnx.save(zoo.zoo(), folder / "m.onnx")
        self.folder = folder
        self.module = compile_model(folder / "m.onnx", folder / "m.so", *FLAGS, "-zero=%d" % stage)
        self.data = []
        for name, array in zoo.data(40).items():
            np.save(folder / (name + ".npy"), array)
            self.data.append("--input=%s=%s" % (name, folder / (name + ".npy")))
        with session(self.module) as running:
            self.entries = running.entries

    def run(self, ranks, *flags, steps=STEPS):
        common = ["-n", ranks, "--threads=1", "--steps=%d" % steps]
        return run("dsrun", self.module, *self.data, *common, *flags)

    def timeline(self, ranks, *flags):
        """The document, and what dsrun said."""
        path = self.folder / "timeline.json"
        path.unlink(missing_ok=True)
        result = self.run(ranks, "--timeline", path, *flags)
        assert result.code == 0, str(result)
        return json.loads(path.read_text()), result

    def awaited(self, document, wait):
        """The exchange that a wait is for: the last one before it of this name."""
        arguments = wait["args"]
        rows = self.entries[arguments["entry"]]["operations"]
        name = wait["name"].removeprefix("wait for ")
        index = max(i for i in range(arguments["index"]) if rows[i]["name"] == name)
        while rows[index].get("joined"):
            index -= 1
        at = dict(pid=wait["pid"], tid=COMMUNICATION, run=arguments["run"], index=index)
        (event,) = events_of(document, **at)
        return event


@pytest.fixture(scope="module", params=[0, 3], ids="zero{}".format)
def trained(request, tmp_path_factory):
    return Trained(tmp_path_factory.mktemp("timeline"), request.param)


def events_of(document, **wanted):
    """Complete events, in the file's order, with these keys or arguments."""
    return [
        event
        for event in document["traceEvents"]
        if event["ph"] == "X"
        and all({**event, **event["args"]}[key] == value for key, value in wanted.items())
    ]


@pytest.mark.parametrize("ranks, accumulate", [(1, 1), (2, 1), (3, 2)])
def test_every_call_of_an_update_is_there_in_order(trained, ranks, accumulate):
    document, _ = trained.timeline(ranks, "--accumulate=%d" % accumulate)
    runs = ["step"] * (accumulate - 1) + ["step_last", "update"]
    assert {e["pid"] for e in events_of(document)} == set(range(ranks))
    for rank in range(ranks):
        for number, entry in enumerate(runs):
            operations = trained.entries[entry]["operations"]
            for stream in COMPUTE, COMMUNICATION:
                got = events_of(document, pid=rank, tid=stream, run=number)
                assert {e["args"]["entry"] for e in got} <= {entry}
                check_calls(got, operations, stream, ranks)
    for rank in range(ranks):
        for stream in COMPUTE, COMMUNICATION:
            check_order(events_of(document, pid=rank, tid=stream))


def check_calls(events, operations, stream, ranks):
    """Those of one stream in one run against the manifest's list."""
    names = {row["name"] for row in operations}
    wanted = [
        index
        for index, row in enumerate(operations)
        if row["stream"] == stream and row["cat"] != "record"
        # Waits take no time on a stream that runs what it gets in order.
        and not (row["cat"] == "wait" and stream == COMMUNICATION)
        # Alone, there is nothing to exchange; both forms have a call.
        and not (ranks == 1 and row["cat"] == "collective") and not row.get("joined")
    ]
    got = [e["args"]["index"] for e in events]
    if stream == COMPUTE:
        assert got.pop() == len(operations)  # the wait for the end
        assert events[-1]["cat"] == "wait"
    assert [index for index in wanted if index not in got] == []
    for event in events[: len(got)]:
        row, *later = operations[event["args"]["index"] :]
        joined = list(takewhile(lambda r: r.get("joined"), later))
        more = " and %d more" % len(joined) if joined else ""
        assert row["stream"] == stream and not row.get("joined")
        assert (event["name"], event["cat"]) == (row["name"] + more, row["cat"])
        assert event["args"].get("node") == row.get("node")
        bytes_ = sum(r.get("bytes", 0) for r in [row, *joined])
        assert event["args"].get("bytes", 0) == bytes_
        if row["cat"] == "wait":
            assert event["name"].removeprefix("wait for ") in names
    assert got == sorted(got)


def check_order(events):
    assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in events)
    # Times are in steps of a nanosecond.
    assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-3 for a, b in pairwise(events))


def test_ranks_share_a_clock_and_waits_end_after_what_they_wait_for(trained):
    document, _ = trained.timeline(2)
    collectives = events_of(document, cat="collective")
    places = sorted({(e["args"]["run"], e["args"]["index"]) for e in collectives})
    assert len(places) >= 3
    for number, index in places:
        one, other = events_of(document, cat="collective", run=number, index=index)
        assert (one["pid"], other["pid"]) == (0, 1) and one["name"] == other["name"]
        # Neither has its bytes before the other has come.
        assert one["ts"] + one["dur"] > other["ts"] and other["ts"] + other["dur"] > one["ts"]
    for rank in range(2):
        for wait in events_of(document, pid=rank, cat="wait"):
            if wait["name"].startswith("wait for all_"):
                event = trained.awaited(document, wait)
                assert wait["ts"] + wait["dur"] + 1e-3 >= event["ts"] + event["dur"]


def test_the_line_at_the_end_adds_up(trained):
    document, result = trained.timeline(2)
    said = re.search(
        r"timeline of update 3 in '.*timeline.json': step ([\d.]+) ms: compute ([\d.]+), "
        r"exposed communication ([\d.]+), other (-?[\d.]+)\n",
        result.out,
    )
    whole, compute, exposed, other = map(float, said.groups())
    assert abs(whole - compute - exposed - other) < 0.25  # four roundings to 0.1
    waits = events_of(document, tid=COMPUTE, cat="wait")
    work = [e for e in events_of(document, tid=COMPUTE) if e["cat"] != "wait"]
    for events, number, key in ((waits, exposed, "exposed"), (work, compute, "compute")):
        mean = sum(e["dur"] for e in events) / 2 / 1e3
        assert abs(mean - number) <= 0.051
        assert abs(document["otherData"][key + "_seconds"] * 1e3 - mean) < 1e-3
    ends = [max(e["ts"] + e["dur"] for e in events_of(document, pid=r)) for r in range(2)]
    assert max(ends) / 1e3 < whole + max(e["ts"] for e in events_of(document)) / 1e3


def test_results_are_the_same_bits(trained):
    plain, timed = trained.folder / "plain.safetensors", trained.folder / "timed.safetensors"
    assert trained.run(2, "--save", plain).code == 0
    trained.timeline(2, "--save", timed)
    assert plain.read_bytes() == timed.read_bytes()


@pytest.mark.parametrize(
    "flags, update",
    [(["--timeline-step=1"], 1), (["--timeline-step=4"], 4), (["--steps=2"], 2), ([], 3)],
)
def test_the_update_is_the_one_asked_for(trained, flags, update):
    document, result = trained.timeline(1, *flags)
    assert document["otherData"]["update"] == update
    assert "timeline of update %d in" % update in result.out


def test_a_resumed_run_counts_its_own_updates(trained):
    folder = trained.folder / "sets"
    assert trained.run(1, "--save", folder, steps=2).code == 0
    document, _ = trained.timeline(1, "--resume", "--save", folder, "--steps=9")
    assert document["otherData"]["update"] == 5
    result = trained.run(
        1, "--resume", "--save", folder, "--timeline=t.json", "--timeline-step=9", steps=12
    )
    assert result.code == 2 and "this run has the updates 10 to 12" in result.err


@pytest.mark.parametrize(
    "flags, said",
    [
        (["--timeline=t.json", "--timeline-step=5"], "this run has the updates 1 to 4"),
        (["--timeline=t.json", "--timeline-step=0"], "'0' is not a number from 1 on"),
        (["--timeline-step=1"], "--timeline-step needs --timeline"),
        (["--timeline=none/t.json"], "cannot write 'none/t.json"),
    ],
)
def test_what_cannot_be_measured_is_refused(trained, flags, said):
    result = trained.run(1, *flags)
    assert result.code in (1, 2) and said in result.err, str(result)


def test_an_evaluation_has_no_updates(trained):
    result = run("dsrun", trained.module, *trained.data, "--eval", "--timeline=t.json")
    assert result.code == 2 and "--timeline measures an update" in result.err

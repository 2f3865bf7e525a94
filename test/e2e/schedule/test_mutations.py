"""The verifiers of schedule and lower see every edit that does harm.

Schedules and programs of a GPT of two layers at ZeRO-3 are edited: operations are
left out, doubled, moved, given other streams, events and places. What a verifier
accepts must do no harm: executions of the edited program, symbolic and in any order
that streams and events allow, give what the one of dsc gives.
"""

import random
import re

import pytest
from harness import decoder
from harness.marks import seeds
from harness.tools import run

from schedule.execution import Program, arena_range
from schedule.ir import Body, verify
from schedule.meaning import Entry
from schedule.small import write_decoder

FLAGS = [*decoder.FLAGS, "--optimizer=sgd", "-zero=3", "--max-world=2"]
SCHEDULES = ["on", "random(1)"]
# Edits that one test draws.
EDITS = 40
ORDERS = 4


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The module after a stage, by schedule."""
    folder = tmp_path_factory.mktemp("mutations")
    model = write_decoder(folder)
    kept = {}

    def after(stage, schedule):
        if (stage, schedule) not in kept:
            flags = [*FLAGS, "--schedule-stage=" + schedule, "--emit=" + stage, "-o", "-"]
            result = run("dsc", model, *flags)
            assert result.code == 0, str(result)
            kept[stage, schedule] = result.out
        return kept[stage, schedule]

    return after


def views_first(statements):
    """Views touch nothing: with all of them ahead, work can be put anywhere."""
    is_view = [bool(re.match(r" *%\w+ = exec\.\w+", s)) for s in statements]
    return [s for s, view in zip(statements, is_view) if view] + [
        s for s, view in zip(statements, is_view) if not view
    ]


class ProgramEdits:
    """Draws edits of a program's statements."""

    KINDS = "leave_out_event double move_event other_event other_stream_of_event move_view "
    KINDS += "other_buffer other_stream leave_out move double_exchange"

    def __init__(self, statements, seed):
        self.statements, self.random = list(statements), random.Random(seed)

    def find(self, pattern):
        return [
            i for i, s in enumerate(self.statements) if re.match(r" *(%\w+ = )?exec\." + pattern, s)
        ]

    def choose(self, pattern):
        return self.random.choice(self.find(pattern))

    def first_operation(self):
        return self.find(r"\w+_view|input")[-1] + 1

    def put(self, statement, at):
        self.statements.insert(
            max(self.first_operation(), min(at, len(self.statements) - 1)), statement
        )

    def move_by_some(self, i):
        distance = self.random.choice([-20, -5, -2, -1, 1, 2, 5, 20])
        self.put(self.statements.pop(i), i + distance)

    def replace(self, i, pattern, new):
        self.statements[i] = re.sub(pattern, new, self.statements[i], count=1)

    def leave_out_event(self):
        del self.statements[self.choose("event_")]

    def double(self):
        i = self.choose("event_")
        self.put(self.statements[i], i + self.random.randrange(1, 6))

    def move_event(self):
        self.move_by_some(self.choose("event_"))

    def other_event(self):
        i, j = self.choose("event_"), self.choose("event_")
        self.replace(
            i, r"(event_\w+) \d+", r"\1 " + re.search(r"event_\w+ (\d+)", self.statements[j])[1]
        )

    def other_stream_of_event(self):
        self.flip(self.choose("event_"))

    def flip(self, i):
        was = re.search(r"on\((\w+)\)", self.statements[i])[1]
        new = "compute" if was != "compute" else "communication"
        self.replace(i, r"on\(\w+\)", "on(%s)" % new)

    def move_view(self):
        """Out of its buffer: at another place in it, it means something else."""
        views = []
        for i in self.find("arena_view"):
            offset, end = arena_range(self.statements[i])
            buffer = int(re.search(r"buffer\((\d+)\)", self.statements[i])[1])
            views.append((i, buffer, offset, end))
        i, buffer, *_ = self.random.choice(views)
        own = [view for view in views if view[1] == buffer]
        begin, end = min(view[2] for view in own), max(view[3] for view in own)
        shift = self.random.choice([0, 0, 0, 128])
        places = [at + shift for _, other, at, _ in views if other != buffer]
        offset = self.random.choice([at for at in places if not begin <= at < end])
        self.replace(i, r"offset\(\d+\)", "offset(%d)" % offset)

    def other_buffer(self):
        i = self.choose("arena_view")
        self.replace(i, r"buffer\(\d+\)", "buffer(9999)")

    def other_stream(self):
        self.flip(self.choose("(launch|contraction|copy|fill|all_)"))

    def pure(self):
        """Operations that only write to the arena: to leave one out, or to have it
        elsewhere, is no other program but a wrong one."""
        views = {
            m[1]: m[2] for s in self.statements if (m := re.match(r" *(%\w+) = exec\.(\w+)", s))
        }
        found = []
        for i in self.find("(launch|contraction|copy|fill)"):
            operands = re.findall(r"%\w+", self.statements[i])
            if all(views[name] in ("arena_view", "input") for name in operands):
                found.append(i)
        return found

    def leave_out(self):
        del self.statements[self.random.choice(self.pure() + self.find("all_"))]

    def move(self):
        self.move_by_some(self.random.choice(self.pure()))

    def double_exchange(self):
        i = self.choose("all_")
        self.put(self.statements[i], i + self.random.choice([1, 1, 5]))


@pytest.mark.parametrize("seed", seeds(2, 25))
@pytest.mark.parametrize("entry", ["step", "update"])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_programs(compiled, schedule, entry, seed, tmp_path):
    module = compiled("lower", schedule)
    body = Body(module, entry)
    body.statements = views_first(body.statements)
    program = Program(body, module)
    wanted = program.read(body.statements).outcomes(ORDERS)
    assert all(outcome == wanted[0] for outcome in wanted), "the program of dsc races"
    kinds = ProgramEdits.KINDS.split()
    made = []
    for i in range(EDITS):
        edits = ProgramEdits(body.statements, "%s %d %d" % (schedule, seed, i))
        getattr(edits, kinds[i % len(kinds)])()
        made.append(edits.statements)
    errors = verify("lower", [body.text(), *map(body.text, made)], tmp_path)
    assert errors[0] is None
    for i, (statements, error) in enumerate(zip(made, errors[1:])):
        if error is None and statements != body.statements:
            found = program.read(statements).outcomes(ORDERS)
            assert all(outcome == wanted[0] for outcome in found), (kinds[i % len(kinds)], i)
    # Now and then an edit does no harm; most do.
    assert sum(error is not None for error in errors) >= EDITS / 2


class ScheduleEdits:
    """Draws edits of the exchanges of an entry."""

    KINDS = "leave_out double move swap other_group other_token decide join value_form"

    def __init__(self, statements, seed):
        self.statements, self.random = list(statements), random.Random(seed)

    def find(self, pattern=r"\w+"):
        return [
            i
            for i, s in enumerate(self.statements)
            if re.search(r"^ *(\S+ = )?zero\.%s[ (]" % pattern, s)
        ]

    def choose(self, pattern=r"\w+"):
        return self.random.choice(self.find(pattern))

    def leave_out(self):
        del self.statements[self.choose()]

    def double(self):
        i = self.choose()
        copy = re.sub(r"^( *)%\w+(:\d+)? =", r"\1%copy\2 =", self.statements[i])
        self.statements.insert(i + self.random.choice([1, 1, 4]), copy)

    def move(self):
        i = self.choose()
        to = i + self.random.choice([-40, -10, -3, -1, 1, 3, 10, 40])
        statement = self.statements.pop(i)
        self.statements.insert(min(max(to, 0), len(self.statements) - 1), statement)

    def swap(self):
        found = self.find()
        i = self.random.randrange(len(found) - 1)
        a, b = found[i], found[i + 1]
        self.statements[a], self.statements[b] = self.statements[b], self.statements[a]

    def other_group(self):
        i, j = self.choose(r"(gather|reduce_scatter)_start"), self.choose(r"gather_start")
        group = re.search(r"@\S+", self.statements[j])[0]
        self.statements[i] = re.sub(r"_start @[\w.]+", "_start " + group, self.statements[i])

    def other_token(self):
        i, j = self.choose(r"\w+_await"), self.choose(r"\w+_await")
        token = re.search(r"_await (%\w+)", self.statements[j])[1]
        self.statements[i] = re.sub(r"_await %\w+", "_await " + token, self.statements[i])

    def annotate(self, i, attribute):
        self.statements[i] = re.sub(
            r"( axis\(@world\))", r"\1 {%s}" % attribute, self.statements[i]
        )

    def decide(self):
        attributes = ["zero.ahead = 2 : i64", "zero.behind = 0 : i64", "zero.reuse"]
        self.annotate(self.choose(r"\w+_start"), self.random.choice(attributes))

    def join(self):
        self.annotate(self.choose(r"\w+_start"), "zero.join")

    def value_form(self):
        i = self.choose("gather_await")
        token = re.search(r"_await (%\w+)", self.statements[i])[1]
        start = next(k for k in self.find("gather_start") if token + " =" in self.statements[k])
        group = re.search(r"@\S+", self.statements[start])[0]
        collective = "zero.gather %s axis(@world)" % group
        self.statements[i] = re.sub(r"zero\.gather_await %\w+", collective, self.statements[i])
        del self.statements[start]


@pytest.mark.parametrize("seed", seeds(2, 25))
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_schedules(compiled, schedule, seed, tmp_path):
    module = compiled("schedule", schedule)
    body, entry = Body(module, "step"), Entry(module)
    wanted = entry.outcome(body.statements, late=False)
    assert entry.outcome(body.statements, late=True) == wanted
    kinds = ScheduleEdits.KINDS.split()
    made = []
    for i in range(EDITS):
        edits = ScheduleEdits(body.statements, "%s %d %d" % (schedule, seed, i))
        getattr(edits, kinds[i % len(kinds)])()
        made.append(edits.statements)
    errors = verify("schedule", [body.text(), *map(body.text, made)], tmp_path)
    assert errors[0] is None
    for i, (statements, error) in enumerate(zip(made, errors[1:])):
        assert error is not None or kinds[i % len(kinds)] != "decide"
        if error is None and statements != body.statements:
            for late in (False, True):
                assert entry.outcome(statements, late) == wanted, (kinds[i % len(kinds)], i)
    assert sum(error is not None for error in errors) >= EDITS / 2

"""What an entry of the async form computes, symbolically.

Written from docs/generated/zero.md and train.md alone, to judge what schedule-verify
says: values and states are hashes of what made them. An exchange works on states at
any time between its start and its await; here at the one or at the other.
"""

import re

from schedule.execution import number

FREED = "freed"


class Entry:
    def __init__(self, module):
        """`module` is the text of the whole module: groups and gradients."""
        self.segments = {
            name: re.findall(r"#zero\.segment<@([^,]+),", rest)
            for name, rest in re.findall(r"^  zero\.group @(\S+) (.*)$", module, re.M)
        }
        self.gradients = {
            parameter: state
            for state, parameter in re.findall(
                r"^  train\.state @(\S+) : \S+ gradient of @(\S+)$", module, re.M
            )
        }

    def outcome(self, statements, late):
        """Final states, what is returned, and the list of exchanges."""
        values, states, exchanges, pending = {}, {}, [], {}
        for text in statements:
            line = text.split("\n")[0].strip()
            results = re.match(r"((?:%[\w.]+(?::\d+)?(?:, )?)+) = ", line)
            names = re.findall(r"%[\w.]+", results[1]) if results else []
            rest = line[results.end() :] if results else line
            kind = re.match(r'"?([\w.]+)', rest)[1]
            symbol = re.search(r"@([\w.]+)", rest)
            symbol = symbol[1] if symbol else ""
            operands = rest
            if kind == "nn.fusion":
                operands = " ".join(
                    re.findall(r" = (%\S+) :", " " + re.search(r"ins\((.*?)\) kind", rest)[1])
                )
            used = re.findall(r"%[\w.]+(?:#\d+)?", operands)
            found = [self.value(values, name) for name in used]
            made = None
            if kind in ("train.read", "zero.read_part"):
                made = states.get(symbol, symbol)
            elif kind in ("train.write", "zero.write_part"):
                states[symbol] = found[0]
            elif kind in ("train.accumulate", "train.gradient"):
                name = self.gradients[symbol] if kind == "train.gradient" else symbol
                states[name] = number(states.get(name, name), found)
            elif kind.endswith("_start"):
                exchanges.append((kind, symbol))
                work = self.exchange(kind, symbol, found, states)
                made = ("token", len(exchanges))
                pending[made] = work if late else work()
            elif kind.endswith("_await"):
                work = pending[found[0]]
                made = work() if late else work
            elif kind == "zero.release":
                for name in used:
                    values[name] = FREED
            elif kind == "train.return":
                return states, found, exchanges
            else:
                made = number(
                    re.sub(r"%[\w.]+(#\d+)?", "%", rest), text.count("\n") and text, found
                )
            for name in names:
                values[name] = made
        return states, [], exchanges

    @staticmethod
    def value(values, name):
        """A result of several has the name of all and its number."""
        if name in values:
            return values[name]
        whole, _, index = name.partition("#")
        return (values.get(whole, whole), index)

    def exchange(self, kind, symbol, found, states):
        parameters = self.segments.get(symbol, [])

        def work():
            if kind == "zero.gather_start":
                return number(kind, [states.get(p, p) for p in parameters])
            if kind == "zero.refresh_start":
                for parameter in parameters:
                    states[parameter] = number(kind, states.get(parameter, parameter))
                return None
            if kind == "zero.all_reduce_start":
                return number(kind, found)
            for index, parameter in enumerate(parameters):
                name = self.gradients[parameter]
                states[name] = number(kind, states.get(name, name), found[index : index + 1])
            return None

        return work

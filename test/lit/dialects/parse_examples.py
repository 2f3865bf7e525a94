"""parse_examples.py OPT FILE.td...: parses and verifies each example of an op.

An example uses values that it does not define. They are defined behind it, in
the module's graph region, and their types are learnt from the parser's
complaints about the types that were guessed first.
"""

import re
import subprocess
import sys
import textwrap

EXAMPLE = re.compile(r"^ *```mlir\n(.*?)^ *```", re.S | re.M)
USED_AS = re.compile(r"(\d+):\d+: error: definition of SSA value '(%\w+)#0' has type")
PRIOR = re.compile(r"previously used here with type '([^\n]*)'\n")


def run(opt, text):
    return subprocess.run([opt, "-"], input=text, capture_output=True, text=True)


def undefined_names(example):
    used = set(re.findall(r"%\w+", example))
    results = re.findall(r"^ *((?:%\w+(?::\d+)?(?:, )?)+) =", example, re.M)
    defined = {name for group in results for name in re.findall(r"%\w+", group)}
    defined |= set(re.findall(r"(%\w+) = %\w+ :", example))  # region arguments
    return sorted(used - defined)


def check(opt, example):
    types = dict.fromkeys(undefined_names(example), "none")
    for _ in range(len(types) + 1):
        definitions = "".join(
            f"{name} = builtin.unrealized_conversion_cast to {type}\n"
            for name, type in types.items()
        )
        result = run(opt, example + definitions)
        wrong, prior = USED_AS.search(result.stderr), PRIOR.search(result.stderr)
        if not (wrong and prior):
            break
        types[wrong.group(2)] = prior.group(1)
    return result


def main():
    opt, count, failed = sys.argv[1], 0, 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in EXAMPLE.finditer(text):
            result = check(opt, textwrap.dedent(match.group(1)))
            count += 1
            if result.returncode:
                failed += 1
                line = text.count("\n", 0, match.start()) + 1
                print(f"{path}:{line}: the example does not parse\n{result.stderr}")
    print(f"{count} examples, {failed} do not parse")
    return failed != 0 or count == 0


sys.exit(main())

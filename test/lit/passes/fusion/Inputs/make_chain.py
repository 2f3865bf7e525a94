"""Prints an entry that is one chain of additions: make_chain.py LENGTH TYPE."""

import sys

length, kind = int(sys.argv[1]), sys.argv[2]
argument = '{dsc.name = "x", dsc.role = "data"}'
print(f'train.entry @chain(%v0: {kind} {argument}) -> ({kind} {{dsc.name = "y"}}) kind(forward) {{')
for i in range(length):
    print(f"  %v{i + 1} = nn.add %v{i}, %v0 : {kind}")
print(f"  train.return %v{length} : {kind}")
print("}")

"""Values of graphs."""

from __future__ import annotations

import numpy as np

from engines.formulas.graph import CONDITIONS, OPERATIONS, ordered


def in_single(roots, values):
    """The graph's value with every operation rounded to float32."""
    found = {}
    with np.errstate(all="ignore"):
        for node in ordered(roots):
            if node.op == "const":
                found[node] = np.float32(node.number)
            elif node.op == "symbol":
                found[node] = np.asarray(values[node.value], np.float32)
            else:
                value = OPERATIONS[node.op](*(found[arg] for arg in node.args))
                found[node] = value if node.op in CONDITIONS else np.asarray(value, np.float32)
    return [found[root].astype(float) for root in roots]

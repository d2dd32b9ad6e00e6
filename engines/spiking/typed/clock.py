"""Time in the kernels of typed neurons and synapses. float32 counts steps up to 2^24 (28 minutes of 0.1 ms), and a sine
of so large an angle has no phase left. Beyond that, what hangs on time by arithmetic is float64 up to where it meets a
function, a comparison or an array; a sine loses its turns in float64 first.

Up to there every operation is rounded to float32: of two such numbers float64 has the same sum, product and quotient
once it is rounded, so the bits are those of float32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engines.formulas.emit_cuda import statements
from engines.formulas.graph import CONDITIONS, Node, ordered
from engines.spiking.typed.plan import NOW

COUNTED = 1 << 24
"""Steps that float32 counts."""
ROUNDED = ("add", "sub", "mul", "div")
_EXACT = {
    "neg": "-{}", "abs": "fabs({})", "floor": "floor({})", "min": "least({}, {})", "max": "largest({}, {})",
    "select": "{} ? {} : {}",
}  # fmt: skip
COMPARED = {"lt": "<", "le": "<=", "eq": "=="}
TURNED = ("sin", "cos", "tan")


def wide(roots: Sequence[Node]) -> set[Node]:
    """What is float64 late in a run."""
    found: set[Node] = set()
    for node in ordered(roots):
        cases = node.args[1:] if node.op == "select" else node.args
        if node is NOW or ((node.op in ROUNDED or node.op in _EXACT) and any(each in found for each in cases)):
            found.add(node)
    return found


def timed_statements(
    roots: Sequence[Node], symbols: Mapping[str, str], text: Mapping[str, str]
) -> Iterator[tuple[Node, str, str | None]]:
    """As :func:`statements`, in CUDA with a step ``now``."""
    broad, doubles = wide(roots), {}
    for node, name, definition in statements(roots, symbols, text):
        if node is NOW or node not in broad:
            doubles[node] = name if node.op in CONDITIONS else "(double)now" if node is NOW else f"(double)({name}).v"
        else:
            doubles[node] = f"w{name[1:]}"
        args = [doubles[arg] for arg in node.args]
        if node in broad and definition is not None:
            yield node, name, f"const double {doubles[node]} = {_operation(node.op, args)};"
            definition = f"const F {name} = F((float){doubles[node]});"
        elif any(arg in broad for arg in node.args) and node.op in COMPARED:
            definition = f"const bool {name} = {args[0]} {COMPARED[node.op]} {args[1]};"
        elif node.op in TURNED and node.args[0] in broad:
            yield node, name, f"const F a{name[1:]} = F((float)left_of(now > {COUNTED}, {args[0]}));"
            definition = f"const F {name} = {text[node.op].format(f'a{name[1:]}')};"
        yield node, name, definition


def _operation(op: str, args: Sequence[str]) -> str:
    exact = f"__d{op}_rn({{}}, {{}})" if op in ROUNDED else _EXACT[op]
    return f"kept_late(now > {COUNTED}, {exact.format(*args)})" if op in ROUNDED else exact.format(*args)

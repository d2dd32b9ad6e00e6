"""Which dimension names must have for formulas to hold: ``tau`` of ``(E - v)/tau`` in volt/second is in seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engines.formulas.graph import CONDITIONS, Node, ordered
from engines.formulas.typed.units import NONE, SAME, UNITS, Dimension

Formula = tuple[Node, Dimension | None]
"""And its dimension; None of a condition."""


def inferred(formulas: Sequence[Formula], known: Mapping[str, Dimension]) -> dict[str, Dimension]:
    """Of names that are not known, where it follows from those that are."""
    found: dict[str, Dimension] = {}
    before = -1
    while len(found) > before:  # what one formula says of a name another one may need
        before = len(found)
        for root, expected in formulas:
            for name, dimension in _told_by(root, expected, {**known, **found}):
                found.setdefault(name, dimension)
    return found


def _told_by(
    root: Node, expected: Dimension | None, known: Mapping[str, Dimension]
) -> Iterator[tuple[str, Dimension]]:  # fmt: skip
    nodes = ordered([root])
    has: dict[Node, Dimension | None] = {}
    for node in nodes:
        has[node] = _of(node, [has[arg] for arg in node.args], known)
    wanted: dict[Node, Dimension | None] = {root: expected}
    for node in reversed(nodes):
        given = wanted.get(node)
        for arg, dimension in zip(node.args, _of_args(node, given or has[node], has), strict=True):
            wanted[arg] = wanted.get(arg) or dimension
        if node.op == "symbol" and has[node] is None and given is not None:
            yield str(node.value), given


def _of(node: Node, args: Sequence[Dimension | None], known: Mapping[str, Dimension]) -> Dimension | None:
    """As :func:`engines.formulas.typed.units.dimension_of`, None where it is not known."""
    op = node.op
    if op == "symbol":
        name = str(node.value)
        return known.get(name) or (UNITS[name][0] if name in UNITS else None)
    if op in CONDITIONS:
        return NONE
    if op in SAME or op in ("select", "neg", "abs"):
        return _first(node, args)
    if op in ("mul", "div"):
        return _times(args[0], args[1], 1.0 if op == "mul" else -1.0)
    if op in ("sqrt", "pow"):
        power = 0.5 if op == "sqrt" else node.args[1].number if node.args[1].op == "const" else None
        return None if args[0] is None or power is None else tuple(each * power for each in args[0])
    return NONE


def _of_args(
    node: Node, own: Dimension | None, has: Mapping[Node, Dimension | None]
) -> Sequence[Dimension | None]:  # fmt: skip
    """What those of a node of this dimension must have."""
    op, args = node.op, node.args
    if op in SAME or op == "select":
        common = _first(node, [has[arg] for arg in args]) if op in CONDITIONS else own
        return [None if op == "select" and arg is args[0] else common for arg in args]
    if op in ("neg", "abs"):
        return [own]
    if op == "mul":
        return [_times(own, has[args[1]], -1.0), _times(own, has[args[0]], -1.0)]
    if op == "div":
        return [_times(own, has[args[1]], 1.0), _times(has[args[0]], own, -1.0)]
    if op == "sqrt":
        return [None if own is None else tuple(2 * each for each in own)]
    if op == "pow" and args[1].op == "const" and args[1].number and own is not None:
        return [tuple(each / args[1].number for each in own), NONE]
    return [None if op in ("pow", "and", "or", "not") else NONE for _ in args]


def _first(node: Node, dimensions: Sequence[Dimension | None]) -> Dimension | None:
    """Of what must have the same, that of the first which is known; plain numbers last, which may be 0."""
    pairs = list(zip(node.args, dimensions, strict=True))[node.op == "select" :]
    pairs.sort(key=lambda pair: pair[0].op == "const")
    return next((dimension for _, dimension in pairs if dimension is not None), None)


def _times(first: Dimension | None, other: Dimension | None, sign: float) -> Dimension | None:
    if first is None or other is None:
        return None
    return tuple(a + sign * b for a, b in zip(first, other, strict=True))

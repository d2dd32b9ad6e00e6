"""Units of parameters that lines and statements name and nobody has given yet, as far as they follow from the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engines.api.errors import ProblemError
from engines.formulas.graph import CONDITIONS
from engines.formulas.typed.inferring import Formula, inferred
from engines.formulas.typed.units import NONE, Dimension, named
from engines.spiking.typed.lines import Line, defined, expected_of
from engines.spiking.typed.names import GIVEN, WEIGHT, Names, parts_of, statement_of


def units_of(
    names: Sequence[str],
    known: Mapping[str, Dimension],
    lines: Sequence[str],
    flags: Sequence[str],
    statements: Sequence[str] = (),
    values: Sequence[tuple[str, Dimension]] = (),
) -> dict[str, str]:
    """``mV`` by name, 1 where nothing is told. statements: ``v = V_r; w += b``; values: conditions, and formulas of a
    dimension."""
    try:
        own = defined(lines, flags)
    except ProblemError:
        return dict.fromkeys(names, "1")
    dimensions = {**GIVEN, **known, **{line.name: line.dimension for line in own}}
    reader = Names({**dict.fromkeys((*names, WEIGHT), NONE), **dimensions})
    formulas = list(_read(reader, own, statements, values))
    drawn = {name: NONE for name in reader.dimensions if name.startswith("@")}
    told = inferred(formulas, {**dimensions, **drawn}) | {line.name: line.dimension for line in own}
    return {name: named(told.get(name, NONE), small=True) for name in names}


def _read(
    names: Names, own: Sequence[Line], statements: Sequence[str], values: Sequence[tuple[str, Dimension]]
) -> Iterator[Formula]:  # fmt: skip
    texts = [(line.formula, expected_of(line)[0]) for line in own if line.formula]
    for part in (part for text in statements for part in parts_of(text)):
        match = statement_of(part)
        if match is not None and match[1] in names.dimensions:
            texts.append((match["formula"], names.dimensions[match[1]] if match["op"] in ("", "+", "-") else NONE))
    with names.drawing():
        for text, dimension in (*texts, *values):
            try:
                node = names.read(text, "")
            except ProblemError:  # of which another sentence tells
                continue
            yield node, None if node.op in CONDITIONS else dimension

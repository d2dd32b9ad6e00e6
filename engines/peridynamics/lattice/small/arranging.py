"""How small bodies are spread over a GPU: what a block takes, and how many blocks share a body."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from engines.peridynamics.lattice.family import family
from engines.peridynamics.lattice.layout import Layout

WARP = 32
LINE = 32
"""Columns of the widest tile; lines in shared memory are as long for all (``family.cuh``)."""
MOST_SHARED = 64 * 1024
"""Shared memory of a block that every architecture has [bytes]."""
INSTRUCTIONS = 42
"""Of a bond, about."""
ALONE, TOGETHER = 2.0, 3.0
"""Cycles of an instruction for a warp alone; instructions in a cycle of a processor that has many warps."""
LATENCY, ROW, MEETING = 700, 40, 2500
"""Cycles: of loading a plane, of each of a warp's rows of it, and of waiting for the other blocks of a body. Guesses
that only sort what is then measured."""
MOST_MEASURED = 12


class Arrangement(NamedTuple):
    """threads of a block; columns of its tile; span: planes of a part (in 2D 1); group: blocks of a body; shared
    memory of a block [bytes]."""

    threads: int
    columns: int
    span: int
    group: int
    shared: int


ONE_BY_ONE = Arrangement(0, 0, 0, 0, 0)
"""A launch for each step after all."""

Resident = Callable[[int, int], int]
"""(threads, bytes of shared memory) of a block → blocks that the device runs at once."""


def arrangements(
    layout: Layout, bodies: int, value_bytes: int, stored: int, processors: int, most_threads: int, resident: Resident
) -> list[Arrangement]:
    """Those worth measuring, the one that should be best first. stored: numbers of a place in shared memory."""
    found = [
        (_cycles(layout, bodies, processors, each, resident(each.threads, each.shared)), each)
        for each in _possible(layout, bodies, value_bytes * stored, most_threads, resident)
    ]
    return [each for _, each in sorted(found)][:MOST_MEASURED]


def _possible(
    layout: Layout, bodies: int, place_bytes: int, most_threads: int, resident: Resident
) -> Iterator[Arrangement]:
    nz, flat, halo = layout.counts[2], layout.dimensions == 2, 2 * layout.reach
    candidates = []
    for threads in (64, 128, 256):
        if threads > most_threads:
            continue
        for columns in (8, 12, 16, 20, 24, 28, 32):
            planes = 1 if flat else halo + 1
            shared = (LINE + halo) * (threads // columns + halo) * planes * place_bytes
            spans = {1} if flat else {min(span, nz) for span in (1, 2, 4, 8, 16, nz)}
            candidates += [(threads, columns, span, shared) for span in spans]
    least = min(shared for *_, shared in candidates)
    for threads, columns, span, shared in candidates:
        if shared <= max(MOST_SHARED, least):
            group = max(1, min(parts_of(layout, threads, columns, span), resident(threads, shared) // bodies))
            yield Arrangement(threads, columns, span, group, shared)


def parts_of(layout: Layout, threads: int, columns: int, span: int) -> int:
    """Parts of a body, as blocks take them."""
    nx, ny, nz = layout.counts
    return -(-nx // columns) * -(-ny // (threads // columns)) * (-(-nz // span) if layout.dimensions == 3 else 1)


def _cycles(layout: Layout, bodies: int, processors: int, each: Arrangement, resident: int) -> float:
    """Of a step."""
    halo, flat = 2 * layout.reach, layout.dimensions == 2
    blocks, room = bodies * each.group, max(1, resident)
    warps = -(-min(blocks, room) // processors) * each.threads / WARP
    bonds = family(layout.dimensions, layout.reach).bonds
    work = bonds * INSTRUCTIONS * each.span * max(ALONE, warps / TOGETHER)
    rows = -(-(each.threads // each.columns + halo) // (each.threads // WARP)) * -(-(each.columns + halo) // WARP)
    loading = (each.span + (0 if flat else halo)) * (LATENCY + ROW * rows)
    rounds = -(-parts_of(layout, each.threads, each.columns, each.span) // each.group)
    return -(-blocks // room) * (rounds * (work + loading) + (MEETING if each.group > 1 else 0))

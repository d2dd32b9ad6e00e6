"""Passes in float64 by NumPy, whole arrays at a time: what the twins are held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import ordered
from engines.stencil.equations.laws import Sides, across
from engines.stencil.equations.noise.drawn import numbers
from engines.stencil.equations.noise.terms import DRAWN
from engines.stencil.equations.passes import Pass, Plan
from engines.stencil.equations.spatial import INDICES, cell_of


def with_ghosts(values: Array, wraps: Array, where: Array, numbers: Array) -> Array:
    """values: (nz, ny, nx); one ghost more at each end of each axis, x first. wraps: (3,); where: (3, 2, 3) and
    numbers: (n, 2) as :class:`engines.stencil.equations.laws.Sides` has them"""
    cells = [np.arange(count) for count in values.shape[::-1]]
    for axis in range(3):
        along, (a, b), ends = 2 - axis, across(axis), []
        for side, (first, each_a, each_b) in enumerate(where[axis]):
            laws = np.expand_dims(numbers[first + each_a * cells[a] + each_b * cells[b][:, None]], along)
            ends.append(laws[..., 0] * np.take(values, [-side], along) + laws[..., 1])
        low, high = reversed([np.take(values, [side], along) for side in (0, -1)]) if wraps[axis] else ends
        values = np.concatenate([low, values, high], along)
        cells[axis] = np.arange(-1, len(cells[axis]) + 1)
    return values


def swept(
    one: Pass, read: Mapping[str, Array], beside: Mapping[str, Array], sides: Sides, given: Mapping[str, float],
    step: int, seed: int,
) -> list[Array]:  # fmt: skip
    """What a pass writes, an array (nz, ny, nx) for each root. read: fields and stored names; beside: by symbol; step,
    seed: of what is drawn"""
    laws = sides.numbers(given)
    padded = {
        name: with_ghosts(read[name], sides.wraps[row], sides.where[row], laws)
        for row, name in enumerate(one.names) if name in read
    }  # fmt: skip
    shape = next(iter(read.values())).shape
    values: dict[str, Any] = dict(beside)
    for number, value in enumerate(one.values(given)):
        values[f"@{number}"] = value
    for which in one.draws:
        values[f"{DRAWN}{which}"] = numbers(shape, step, seed, which).astype(float)
    for axis, name in enumerate(INDICES):
        values[name] = np.arange(shape[2 - axis], dtype=float).reshape([-1 if k == 2 - axis else 1 for k in range(3)])
    for node in ordered(one.roots):
        cell = cell_of(str(node.value)) if node.op == "symbol" else None
        if cell is not None:
            name, offset = cell
            spans = [slice(1 + by, 1 + by + size) for by, size in zip(offset[::-1], shape, strict=True)]
            values[str(node.value)] = padded[name][tuple(spans)]
    return [np.array(np.broadcast_to(found, shape), float) for found in Program(one.roots)(values)]


def stepped(
    plan: Plan,
    fields: Sequence[Array],
    sides: Sides,
    given: Mapping[str, float],
    time: float,
    dt: float,
    steps: int = 1,
    seed: int = 0,
) -> list[Array]:
    """``steps`` steps of the fields, (nz, ny, nx) each; the first is step 0. Diffusion that
    is implicit is not solved for. given: parameters and sizes by name."""
    system = plan.system
    now = [np.asarray(values, float) for values in fields]
    memory = [np.zeros_like(values) for values in now]
    for number in range(steps):
        base = list(now)
        kept: list[list[Array]] = []
        for stage, (at, storing, going) in enumerate(plan.stages):
            known = {**given, "t": time + (number + at) * dt, "@dt": dt, "@share": plan.share(stage, number == 0)}
            read = dict(zip(system.fields, now, strict=True))
            for one in storing:
                for row, values in zip(one.into, swept(one, read, {}, sides, known, number, seed), strict=True):
                    read[list(system.stored)[row]] = values
            earlier = [memory] if plan.remembers else kept
            banks = {"base": base, **dict(zip(("second", "third"), earlier, strict=False))}
            beside = {
                f"{bank}@{name}": held[row] for bank, held in banks.items() for row, name in enumerate(system.fields)
            }
            written = swept(going, read, beside, sides, known, number, seed)
            now, memory = written[: len(base)], written[len(base) :]
            kept.append(now)
    return now

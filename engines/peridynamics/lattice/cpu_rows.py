"""The end of a step on the CPU, alike for bond-based and state-based forces: a row of particles (one SIMD vector along
x) at a time. Kernels that use this close over a digest of it."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import hashlib
from pathlib import Path
from types import ModuleType

from numba import njit

from engines.backend.vector_math import any_lane, load_like, load_row, splat, store_row


def digest(*modules: ModuleType) -> int:
    """Of what stands in the files of ``modules``."""
    files = b"".join(Path(str(module.__file__)).read_bytes() for module in modules)
    return int.from_bytes(hashlib.sha256(files).digest()[:7], "big")


@njit(nogil=True)
def over_family(scratch, row, zero, orbits):
    """The sum of the rows of ``scratch`` from ``row`` on, in mirror orbits."""
    total = zero
    for _ in range(orbits[0]):
        near = (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0)) + (
            load_row(scratch, row + 2, 0) + load_row(scratch, row + 3, 0)
        )
        far = (load_row(scratch, row + 4, 0) + load_row(scratch, row + 5, 0)) + (
            load_row(scratch, row + 6, 0) + load_row(scratch, row + 7, 0)
        )
        total = total + (near + far)
        row += 8
    for _ in range(orbits[1]):
        total = total + (
            (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0))
            + (load_row(scratch, row + 2, 0) + load_row(scratch, row + 3, 0))
        )
        row += 4
    for _ in range(orbits[2]):
        total = total + (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0))
        row += 2
    return total


@njit(nogil=True)
def move_row(
    u, out, v, i, scratch, orbits, kind, table, work, damped, stiffness, general, light_of, kick, decay, touching,
    pushes, pulls, before,
):  # fmt: skip
    """Moves the particles of a row from i on by the forces of their bonds: ``scratch: (d·bonds, lanes)``, over
    ``stiffness``; kind, table: (kinds, 4, d) as in ``bonds.cu``; light_of: (1, size) 1 over their mass if ``general``,
    else it is 1; pushes: (d, size) what contact adds to a velocity in a step, if ``touching``. pulls, before: (d,
    lanes), to work in."""
    bonds = len(scratch) // len(u)
    for k in range(len(u)):
        velocity = load_row(v, k, i)
        total = over_family(scratch, k * bonds, splat(velocity, 0.0), orbits)
        store_row(pulls, k, 0, total)
        store_row(before, k, 0, velocity)
        per_mass = total * load_row(light_of, 0, i) if general else total
        velocity = velocity * decay
        if touching:
            velocity = velocity + load_row(pushes, k, i) * kick
        velocity = velocity + per_mass * stiffness * kick
        store_row(v, k, i, velocity)
        store_row(out, k, i, load_row(u, k, i) + velocity)
    loads = any_lane(load_like(load_row(u, 0, i), kind, i) != 0)
    if loads:
        for lane in range(before.shape[1]):
            here = i + lane
            if kind[here]:
                _load(
                    u, out, v, here, lane, table[kind[here]], stiffness, kick, pulls, before, work,
                    light_of[0, here] if general else light_of[0, 0], touching, pushes,
                )  # fmt: skip
    if decay != 1:
        share = 0.5 * (1 - float(decay)) / (1 + float(decay))
        for lane in range(before.shape[1]):
            here, total_square = i + lane, 0.0
            for k in range(len(u)):
                if not loads or table[kind[here], 1, k] == 0:  # not held
                    total_square += (float(before[k, lane]) + float(v[k, here])) ** 2
            damped[here] += share * total_square / (float(light_of[0, here]) if general else 1.0)


@njit(nogil=True)
def _load(u, out, v, i, lane, given, stiffness, kick, pulls, before, work, light, touching, pushes):
    """What a load makes of particle i after its free step; given: (4, d); work: one number; light: 1 over its mass."""
    for k in range(len(u)):
        if given[1, k] != 0:
            v[k, i] = given[3, k]
            out[k, i] = given[2, k]
            force = (v[k, i] - before[k, lane]) / light - stiffness * pulls[k, lane]
            if touching:
                force -= pushes[k, i] / light
        else:
            v[k, i] += kick * light * given[0, k]
            out[k, i] = u[k, i] + v[k, i]
            force = given[0, k]
        work[i] += 0.5 * float(force) * (float(before[k, lane]) + float(v[k, i]))

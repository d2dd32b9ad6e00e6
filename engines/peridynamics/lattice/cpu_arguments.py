"""What the lattice's kernels take on a CPU: structs of arrays, with the names that ``bonds.cu`` and ``state.cu`` have.

They are made once for many steps. In a parallel loop nothing may be written to an array of a struct by ``[]``: Numba
does not see that it is an argument's, and leaves the line out. Functions that are called there may.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from engines.api import Array


class Place(NamedTuple):
    """Particle (x, y, z) is at ``base + (z·rows + y)·pitch + x``; bands: parts that the rows are cut into."""

    nx: int
    ny: int
    nz: int
    pitch: int
    rows: int
    base: int
    bands: int


class Particles(NamedTuple):
    """What a step reads and changes of each particle beside its motion.

    words, breakable: flat (words·size,) uint32, a bit for each bond; kind: (size,) uint8, 0 or the row of the table of
    loads; work, loss, damped: (size,) float64; pushes: (d, size) what contact adds to a velocity in a step, if
    ``touching``.
    """

    words: Array
    breakable: Array
    kind: Array
    work: Array
    loss: Array
    damped: Array
    touching: bool
    pushes: Any


class Bonds(NamedTuple):
    """The family of a particle, and what all bonds of a length have in common.

    offsets: (bonds, 3) ξ in spacings; steps: (bonds,) from a place to that of the neighbour; lengths: (bonds,) float64
    |ξ|; weights: (bonds,) float64; factors: (bonds, 2) 1/|ξ|² and weight over |ξ|; eights, fours, twos: how many orbits
    there are of so many members; stiffness K and limit of p, of a body of one material.
    """

    offsets: Array
    steps: Array
    lengths: Array
    weights: Array
    factors: Array
    eights: int
    fours: int
    twos: int
    stiffness: Any
    limit: Any


class Pairs(NamedTuple):
    """What differs from bond to bond of a length, if ``general`` (else arrays of a single 1).

    factor_of, limit_of: (bonds, size) weight over |ξ| and limit of p of each bond; light_of: (1, size) 1 over the mass
    of each particle.
    """

    general: bool
    factor_of: Array
    limit_of: Array
    light_of: Array


class Softening(NamedTuple):
    """How bonds soften, if ``softening``.

    soft: as words, which bonds have begun to; damage: (bonds, size); laws: (materials², p) parameters of each pair's
    law; material: (size,) uint8 of ``materials``; law: the address of a C function (``material/laws``).
    """

    softening: bool
    soft: Array
    damage: Array
    laws: Array
    material: Array
    materials: int
    law: int


class Rows(NamedTuple):
    """What a row of particles (one SIMD vector along x) works in.

    scratch: (d·bonds, lanes) forces of bonds; pulls, before: (d, lanes) their sums, and velocities before a step.
    """

    scratch: Array
    pulls: Array
    before: Array

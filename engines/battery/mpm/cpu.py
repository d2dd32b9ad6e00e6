"""Many particles on the CPU: the twin of ``mpm.cu``, pieces of the electrodes on all cores.

What is summed over modes is in the precision asked for, which LLVM makes vectors of; a particle's Newton step and what
there is one of are float64 and rounded when stored. Sums go over pieces in order, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from engines.backend.compile.digest import digest
from engines.battery.mpm import cpu_graded, cpu_kernels, cpu_particles
from engines.battery.mpm.cpu_graded import Shells
from engines.battery.mpm.cpu_kernels import PIECE, Clock, Particles, Protocol, Trace, Work, run_steps
from engines.battery.mpm.many_particles import ManyParticles
from engines.battery.particles.series import roots
from engines.battery.protocol import instructions
from engines.battery.setup import curves
from engines.battery.step import cpu_graded as cpu_shells
from engines.battery.step import graded, many_particle_rows, particle_rows
from engines.battery.step.many_particle_rows import TOLERANCE, Sum
from engines.battery.step.particle_rows import MODES

PARTICLE_SECONDS = 60e-9
"""[s] of one core for what a parallel loop does with a particle, which is entered several times in a step."""

SHELLS_SECONDS = 6e-6
"""[s] the same, of a particle whose diffusivity varies."""


def _compiled(sources: int) -> Callable[..., None]:
    """The kernel; ``sources`` is a digest of the code of other files that is compiled into it."""

    @njit(nogil=True, cache=True)
    def advance(particles, shells, work, cell, protocol, trace, clock):
        """As ``run_particles`` in mpm.cu; cell: (CellRow,)"""
        if sources >= 0:
            run_steps(particles, shells, work, cell, protocol, trace, clock)

    return advance


SOURCES = (
    cpu_kernels, cpu_particles, cpu_graded, cpu_shells, graded, many_particle_rows, particle_rows, instructions, curves,
)  # fmt: skip
advance = _compiled(digest(*SOURCES))


class CpuManyParticles(ManyParticles):
    """Many particles on the CPU."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._particles = Particles(
            self.state, self.coefficients, self.scratch, self.shares, roots(MODES) ** 2, self.constants, self.tables,
            self.thermal_voltage, self.n, self.stride,
        )  # fmt: skip
        pieces = -(-self.n // PIECE)
        psi, sums = np.zeros(2, self.dtype), np.empty((2 * pieces, len(Sum)))
        self._work = Work(psi, np.zeros(2), sums, TOLERANCE[self.dtype.name])
        self._no_trace = np.empty((0, 2), self.dtype)
        self._geometry = None
        if self.varying:
            self._geometry = Shells(graded.geometry(), self.laws.reshape(2, -1).astype(np.float64))

    def advance(self, first_step: int, steps: int, trace: Any = None, every: int = 1) -> None:
        with self.backend.cores_for((SHELLS_SECONDS if self.varying else PARTICLE_SECONDS) * self.n):
            advance(
                self._particles._replace(state=self.state), self._geometry, self._work, self.cell,
                Protocol(self.instructions, self.drive, float(self.factor)),
                Trace(self._no_trace if trace is None else trace, every),
                Clock(first_step * self.dt, self.dt, steps),
            )  # fmt: skip

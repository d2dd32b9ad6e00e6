"""Energies and forces of bonds in Numba, when somebody looks: a bond of a whole row of particles at a time.

In float64 whatever the step is in. The loops along a row have neither branches nor calls, so that LLVM makes vectors of
them; a bond that is gone counts with a weight of 0.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from engines.backend.compile.digest import digest
from engines.peridynamics.lattice import cpu_arguments


@njit(nogil=True, error_model="numpy")
def _weights(out, held, bit, weight):
    """out: (n), the weight of a bond of each particle; held: (n) words, ``bit`` of which says whether it holds."""
    for x in range(len(out)):
        out[x] = weight if (held[x] >> bit) & np.uint32(1) else 0.0


@njit(nogil=True, error_model="numpy")
def _paired(out, factors, length):
    """For bonds that differ from particle to particle: factors, (n), are over the length."""
    for x in range(len(out)):
        out[x] = length * np.float64(factors[x]) if out[x] > 0 else 0.0


@njit(nogil=True, error_model="numpy")
def _softened(out, stretches, begun, bit, damage):
    """Less what softening took of the weight of bonds that are stretched."""
    for x in range(len(out)):
        taken = np.float64(damage[x]) if (begun[x] >> bit) & np.uint32(1) else 0.0
        out[x] *= 1.0 - taken if stretches[x] > 0 else 1.0


@njit(nogil=True, error_model="numpy")
def _stretches_2d(u, v, u_there, v_there, a, b, per_square, e, f, stretches):
    for x in range(len(u)):
        e[x] = np.float64(u_there[x]) - np.float64(u[x])
        f[x] = np.float64(v_there[x]) - np.float64(v[x])
        q = e[x] * (2 * a + e[x]) + f[x] * (2 * b + f[x])
        p = q * per_square
        stretches[x] = p / (math.sqrt(abs(1.0 + p)) + 1.0)


@njit(nogil=True, error_model="numpy")
def _stretches_3d(u, v, w, u_there, v_there, w_there, offset, per_square, e, f, g, stretches):
    a, b, c = offset
    for x in range(len(u)):
        e[x] = np.float64(u_there[x]) - np.float64(u[x])
        f[x] = np.float64(v_there[x]) - np.float64(v[x])
        g[x] = np.float64(w_there[x]) - np.float64(w[x])
        q = e[x] * (2 * a + e[x]) + f[x] * (2 * b + f[x]) + g[x] * (2 * c + g[x])
        p = q * per_square
        stretches[x] = p / (math.sqrt(abs(1.0 + p)) + 1.0)


@njit(nogil=True, error_model="numpy")
def _energies(out, pulls, weights, stretches, length):
    """Adds w |ξ| s² and makes ``pulls`` w s/((1 + s)|ξ|), the force over ξ + η."""
    for x in range(len(out)):
        s = stretches[x]
        stretched = s > -1.0  # ends of a bond that is gone may lie on each other
        pulls[x] = weights[x] * s / ((1.0 + s if stretched else 1.0) * length)
        out[x] += weights[x] * length * s * s


@njit(nogil=True, error_model="numpy")
def _forces(out, pulls, offset, e):
    for x in range(len(out)):
        out[x] += pulls[x] * (offset + e[x])


def _compiled(sources: int) -> Any:
    """``measure``; ``sources`` is a digest of the other files' code in it, for Numba's cache."""

    @njit(cache=True, nogil=True, parallel=True, error_model="numpy")
    def measure(u, energy, kick, particles, bonds, place, pairs, softening, stiffness):
        """energy: (size), ¼ K Σ k |ξ| s² over the bonds of each place; kick: (d, size), K Σ k s n over its mass.

        The other arguments as ``advance`` has them in ``cpu_kernels.py``; stiffness K in float64. Per particle u and
        words are read once from memory, energy and kick written: 2D float32 24 bytes, 3D 44 (m = 3).
        """
        words, soft, damage, softens = particles.words, softening.soft, softening.damage, softening.softening
        offsets, steps, lengths, weights = bonds.offsets, bonds.steps, bonds.lengths, bonds.weights
        general, factor_of, light_of = pairs.general, pairs.factor_of, pairs.light_of
        nx, ny, nz, pitch, room, base, _ = place
        size, d = u.shape[1] if sources >= 0 else 0, len(u)
        for line in prange(ny * nz):
            first = base + (line // ny * room + line % ny) * pitch
            last = first + nx
            total, weight, stretches, pulls = np.zeros(nx), np.empty(nx), np.empty(nx), np.empty(nx)
            moved, sums = np.empty((3, nx)), np.zeros((3, nx))
            for bit in range(len(steps)):
                there, at = first + steps[bit], bit // 32 * size
                bond, square = np.uint32(bit % 32), 1 / lengths[bit] ** 2
                a, b, c = float(offsets[bit, 0]), float(offsets[bit, 1]), float(offsets[bit, 2])
                _weights(weight, words[at + first : at + last], bond, weights[bit])
                if general:
                    _paired(weight, factor_of[bit, first:last], lengths[bit])
                if d == 2:
                    _stretches_2d(
                        u[0, first:last], u[1, first:last], u[0, there : there + nx], u[1, there : there + nx], a, b,
                        square, moved[0], moved[1], stretches,
                    )  # fmt: skip
                else:
                    _stretches_3d(
                        u[0, first:last], u[1, first:last], u[2, first:last], u[0, there : there + nx],
                        u[1, there : there + nx], u[2, there : there + nx], (a, b, c), square, moved[0], moved[1],
                        moved[2], stretches,
                    )  # fmt: skip
                if softens:
                    _softened(weight, stretches, soft[at + first : at + last], bond, damage[bit, first:last])
                _energies(total, pulls, weight, stretches, lengths[bit])
                for k in range(d):
                    _forces(sums[k], pulls, float(offsets[bit, k]), moved[k])
            for x in range(nx):
                light = np.float64(light_of[0, first + x]) if general else 1.0
                energy[first + x] = 0.25 * stiffness * total[x]
                for k in range(d):
                    kick[k, first + x] = stiffness * light * sums[k, x]

    return measure


measure = _compiled(digest(cpu_arguments))

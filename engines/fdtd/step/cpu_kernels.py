"""What a step on the CPU takes beside the sweep (curl/sweep.py): sources, lines of plane waves, energy."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import numba as nb


@nb.njit(cache=True, nogil=True)
def inject(values, places, weights, slots, signals):
    """values[places] += weights · signals[slots], in order; a place may come several times."""
    for n in range(places.size):
        values[places[n]] += weights[n] * signals[slots[n]]


@nb.njit(cache=True, nogil=True)
def line_electric(line_e, line_h, inverse, b, c, psi, cb):
    """A plane wave on its own line of nodes: E ← E − cb ∂H, nodes 1 … n − 1; node 0 is the source's."""
    for m in range(1, line_e.size - 1):
        difference = line_h[m] - line_h[m - 1]
        psi[m] = b[m] * psi[m] + c[m] * difference
        line_e[m] -= cb * (difference * inverse[m] + psi[m])


@nb.njit(cache=True, nogil=True)
def line_magnetic(line_e, line_h, inverse, b, c, psi, db):
    for m in range(line_h.size - 1):
        difference = line_e[m + 1] - line_e[m]
        psi[m] = b[m] * psi[m] + c[m] * difference
        line_h[m] -= db * (difference * inverse[m] + psi[m])


@nb.njit(cache=True, nogil=True, parallel=True)
def energy_sums(e, h, ids_e, ids_h, permittivity, permeability, counts, weights, sums):
    """sums: (nz + 1, 2) of ε E² and μ H²; weights: (6, longest) part of a cell at nodes of x, y, z, then at halves."""
    nx, ny, nz = counts[0], counts[1], counts[2]
    for k in nb.prange(nz + 1):
        electric, magnetic = 0.0, 0.0
        for j in range(ny + 1):
            for i in range(nx + 1):
                wx, wy, wz = weights[0, i], weights[1, j], weights[2, k]
                vx, vy, vz = weights[3, i], weights[4, j], weights[5, k]
                hx, hy, hz = i < nx, j < ny, k < nz
                mu = permeability[0]
                if hx:
                    electric += permittivity[ids_e[0, k, j, i]] * vx * wy * wz * e[0, k, j, i] ** 2
                if hy:
                    electric += permittivity[ids_e[1, k, j, i]] * wx * vy * wz * e[1, k, j, i] ** 2
                if hz:
                    electric += permittivity[ids_e[2, k, j, i]] * wx * wy * vz * e[2, k, j, i] ** 2
                if hy and hz:
                    if ids_h is not None:
                        mu = permeability[ids_h[0, k, j, i]]
                    magnetic += mu * wx * vy * vz * h[0, k, j, i] ** 2
                if hx and hz:
                    if ids_h is not None:
                        mu = permeability[ids_h[1, k, j, i]]
                    magnetic += mu * vx * wy * vz * h[1, k, j, i] ** 2
                if hx and hy:
                    if ids_h is not None:
                        mu = permeability[ids_h[2, k, j, i]]
                    magnetic += mu * vx * vy * wz * h[2, k, j, i] ** 2
        sums[k, 0] = electric
        sums[k, 1] = magnetic

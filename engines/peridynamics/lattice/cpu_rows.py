"""The end of a step on the CPU, alike for bond-based and state-based forces: a row of particles (one SIMD vector along
x) at a time. Kernels that use this close over a digest of it."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from numba import njit

from engines.backend.vector_math import any_lane, load_like, load_row, splat, store_row


@njit(nogil=True)
def over_family(scratch, row, zero, bonds):
    """The sum of the rows of ``scratch`` from ``row`` on, in mirror orbits: eights, fours and twos of ``bonds``."""
    total = zero
    for _ in range(bonds.eights):
        near = (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0)) + (
            load_row(scratch, row + 2, 0) + load_row(scratch, row + 3, 0)
        )
        far = (load_row(scratch, row + 4, 0) + load_row(scratch, row + 5, 0)) + (
            load_row(scratch, row + 6, 0) + load_row(scratch, row + 7, 0)
        )
        total = total + (near + far)
        row += 8
    for _ in range(bonds.fours):
        total = total + (
            (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0))
            + (load_row(scratch, row + 2, 0) + load_row(scratch, row + 3, 0))
        )
        row += 4
    for _ in range(bonds.twos):
        total = total + (load_row(scratch, row, 0) + load_row(scratch, row + 1, 0))
        row += 2
    return total


@njit(nogil=True, forceinline=True)
def move_row(u, out, v, i, table, kick, decay, rows, particles, bonds, stiffness, pairs):
    """Moves the particles of a row from i on by the forces of their bonds: v' = decay v + kick (K a + pushes) and
    u' = u + v', a the sum of the rows of ``rows.scratch`` over the mass.

    table: (kinds, 4, d) as in ``bonds.cu``; rows, particles, bonds, pairs: as in ``cpu_arguments.py``, of which only
    the orbits of bonds and the masses of pairs count. u and v are read, out and v written once; ``work`` where a load
    acts, ``damped`` if decay is not 1.
    """
    scratch, pulls, before, general, light_of = rows.scratch, rows.pulls, rows.before, pairs.general, pairs.light_of
    number = len(scratch) // len(u)
    for k in range(len(u)):
        velocity = load_row(v, k, i)
        total = over_family(scratch, k * number, splat(velocity, 0.0), bonds)
        store_row(pulls, k, 0, total)
        store_row(before, k, 0, velocity)
        per_mass = total * load_row(light_of, 0, i) if general else total
        velocity = velocity * decay
        if particles.touching:
            velocity = velocity + load_row(particles.pushes, k, i) * kick
        velocity = velocity + per_mass * stiffness * kick
        store_row(v, k, i, velocity)
        store_row(out, k, i, load_row(u, k, i) + velocity)
    kind = particles.kind
    loads = any_lane(load_like(load_row(u, 0, i), kind, i) != 0)
    if loads:
        for lane in range(before.shape[1]):
            here = i + lane
            if kind[here]:
                light = light_of[0, here] if general else light_of[0, 0]
                _load(u, out, v, here, lane, table[kind[here]], kick, rows, particles, stiffness, light)
    if decay != 1:
        share = 0.5 * (1 - float(decay)) / (1 + float(decay))
        for lane in range(before.shape[1]):
            here, total_square = i + lane, 0.0
            for k in range(len(u)):
                if not loads or table[kind[here], 1, k] == 0:  # not held
                    total_square += (float(before[k, lane]) + float(v[k, here])) ** 2
            particles.damped[here] += share * total_square / (float(light_of[0, here]) if general else 1.0)


@njit(nogil=True)
def _load(u, out, v, i, lane, given, kick, rows, particles, stiffness, light):
    """What a load makes of particle i, in ``lane`` of its row, after its free step; given: (4, d); light: 1 over its
    mass."""
    for k in range(len(u)):
        before = rows.before[k, lane]
        if given[1, k] != 0:
            v[k, i] = given[3, k]
            out[k, i] = given[2, k]
            force = (v[k, i] - before) / light - stiffness * rows.pulls[k, lane]
            if particles.touching:
                force -= particles.pushes[k, i] / light
        else:
            v[k, i] += kick * light * given[0, k]
            out[k, i] = u[k, i] + v[k, i]
            force = given[0, k]
        particles.work[i] += 0.5 * float(force) * (float(before) + float(v[k, i]))

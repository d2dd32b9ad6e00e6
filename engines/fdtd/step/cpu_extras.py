"""What a step needs on the CPU only where a problem has it: the energy of poles, absorbers that fade the fields,
and off-diagonal terms of permittivities."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import numba as nb


@nb.njit(cache=True, nogil=True, parallel=True)
def pole_energy(e, ids, spans, states, beta, stored, counts, weights, sums):
    """sums: (nz + 1,) of Σ stored (Y + βE)² (dispersion.py) over the edges, weights as for ``energy_sums``."""
    slots = beta.shape[0]
    for k in nb.prange(e.shape[1]):
        total = 0.0
        for c in range(3):
            if c == 2 and k == counts[2]:
                continue
            for j in range(e.shape[2]):
                if c == 1 and j == counts[1]:
                    continue
                first, last, start = spans[c, k, j, 0], spans[c, k, j, 1], 4 * int(spans[c, k, j, 2])
                last = min(last, counts[0] if c == 0 else counts[0] + 1)
                for i in range(first, last):
                    weight = (
                        weights[3 if c == 0 else 0, i] * weights[4 if c == 1 else 1, j] * weights[5 if c == 2 else 2, k]
                    )
                    number = ids[c, k, j, i]
                    for state in range(states.shape[0]):
                        slot = state if state < slots else state - slots
                        at = states[state, start + i - first] + beta[slot, number] * e[c, k, j, i]
                        total += weight * stored[state, number] * at**2
        sums[k] = total


@nb.njit(cache=True, nogil=True, parallel=True)
def fade(field, along, component, low, high, n, nodes, halves, magnetic):
    """A component times the factors of the absorbers of one axis: at nodes 0 … low and n − high … n (or the halves)."""
    at_halves = (along == component) != magnetic
    factors = halves if at_halves else nodes
    values = field[component]
    for k in nb.prange(values.shape[0]):
        if along == 2:
            if k <= low or k >= n - high:
                values[k] *= factors[k]
        elif along == 1:
            for j in range(values.shape[1]):
                if j <= low or j >= n - high:
                    values[k, j] *= factors[j]
        else:
            for j in range(values.shape[1]):
                for i in range(low + 1):
                    values[k, j, i] *= factors[i]
                for i in range(n - high, n + 1):
                    values[k, j, i] *= factors[i]


@nb.njit(cache=True, nogil=True, parallel=True)
def couple(e, h, targets, places, weights):
    """Off-diagonal terms (tensor.py): e[targets] += Σ weights · h[places]; places, weights: (width, targets)."""
    for n in nb.prange(targets.size):
        total = e.dtype.type(0)
        for m in range(places.shape[0]):
            total += weights[m, n] * h[places[m, n]]
        e[targets[n]] += total

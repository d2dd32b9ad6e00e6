"""Modes of a waveguide's cross-section on Yee's grid, and how much of a field is in one.

With fields that vary as ``e^{i(ωt − κs)}`` from node to node along a guide, Yee's equations for E and η₀H across
become, with W = 2 sin(ωΔt/2)/(cΔt) for ω/c and K = 2 sin(κ/2)/Δ for the wave number,

    K E_a =  W μ H_b + D_a ε⁻¹ (D_a H_b − D_b H_a)/W        K H_b = W ε E_a − D_b μ⁻¹ (D_a E_b − D_b E_a)/W
    K E_b = −W μ H_a + D_b ε⁻¹ (D_a H_b − D_b H_a)/W        K H_a = −W ε E_b − D_a μ⁻¹ (D_a E_b − D_b E_a)/W

(a, b, s right-handed; D differences of the grid): an eigenproblem for K² in E alone, full-vector, whose modes are those
of the three-dimensional grid itself (Zhu and Brown, doi 10.1364/OE.10.000853).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from engines.api import Array
from engines.api.errors import ProblemError
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.media.materials import Media
from engines.fdtd.sources.incident import Range
from engines.fdtd.sources.sheets import ModeLaunch, Profile, carrier_of

MORE = 4
"""Modes looked for beyond the one wanted: enough to say how many are guided in most guides."""
SMALL = 300
"""Up to so many unknowns all eigenvalues are found at once."""


@dataclass(frozen=True)
class Mode:
    """One mode that travels along +s; its fields are real for a lossless guide.

    effective_index: κ c/(ωΔ); kappa: phase per cell along s; e_a, h_b: (n_a, n_b + 1); e_b, h_a: (n_a + 1, n_b), with
    η₀H; E_a stands at the halves of a and the nodes of b of the window. The largest E across is 1. The axes a, b
    follow s in turn (y, z for x).
    """

    effective_index: float
    kappa: float
    e_a: Array
    e_b: Array
    h_a: Array
    h_b: Array


@dataclass(frozen=True)
class CrossSection:
    """A window of the plane across ``axis``: ε and μ at the places of each component; 0 where E is held at zero.

    inverse_a, inverse_b: (at nodes, at halves) one over the distance of a difference [1/length unit]; wraps: a, b
    periodic; cladding: largest ε on the sides that are no faces of the grid, 0 without any; cell_a, cell_b: widths of
    the cells; spacing: along ``axis`` [length unit]
    """

    axis: int
    spacing: float
    eps: tuple[Array, Array, Array]
    mu: tuple[Array, Array, Array]
    inverse_a: tuple[Array, Array]
    inverse_b: tuple[Array, Array]
    wraps: tuple[bool, bool]
    cladding: float
    cell_a: Array
    cell_b: Array


def cross_section(
    yee: Yee, axes: Sequence[Axis], media: Media, axis: int, node: int, box: Sequence[Range]
) -> CrossSection:
    """Of the plane at ``node`` of ``axis``, between nodes ``box[a]`` and ``box[b]``; E is zero around the window where
    that is not a face of the grid."""
    a, b = (axis + 1) % 3, (axis + 2) % 3

    def window(table: Array, ids: Array | None, component: int, along_half: bool) -> Array:
        values = np.broadcast_to(table[0], yee.shape) if ids is None else table[ids[component]]
        plane = np.moveaxis(values, (2 - axis, 2 - a, 2 - b), (0, 1, 2))[node - (1 if along_half and node else 0)]
        return np.array(plane[box[a][0] : box[a][1] + 1, box[b][0] : box[b][1] + 1], float)

    eps_table = np.where(media.cb > 0, media.permittivity, 0.0)
    eps = [window(eps_table, media.ids_e, c, c == axis) for c in (a, b, axis)]
    # H across stands half a cell from the plane, H along on it
    mu = [window(media.permeability, media.ids_h, c, c != axis) for c in (a, b, axis)]
    eps = [eps[0][:-1], eps[1][:, :-1], eps[2]]
    mu = [mu[0][:, :-1], mu[1][:-1], mu[2][:-1, :-1]]
    open_sides = []
    for place, d in enumerate((a, b)):
        for end, face in ((0, 0), (-1, axes[d].n)):
            if axes[d].wraps or box[d][end] == face:
                continue
            for number, part in enumerate(eps):
                if number != place:
                    edge = [slice(None), slice(None)]
                    edge[place] = slice(end, None) if end else slice(0, 1)
                    open_sides.append(float(part[tuple(edge)].max(initial=0.0)))
                    part[tuple(edge)] = 0.0
    cladding = max(open_sides, default=0.0)
    inverse = [
        (
            axes[d].inverse_e[box[d][0] : box[d][1] + 1] / yee.smallest,
            axes[d].inverse_h[box[d][0] : box[d][1]] / yee.smallest,
        )
        for d in (a, b)
    ]
    nodes = yee.nodes(axis)
    here = min(node, len(nodes) - 2)
    return CrossSection(
        axis, float(nodes[here + 1] - nodes[here]), (eps[0], eps[1], eps[2]), (mu[0], mu[1], mu[2]), inverse[0],
        inverse[1], (axes[a].wraps, axes[b].wraps), cladding,
        np.diff(yee.nodes(a)[box[a][0] : box[a][1] + 1]), np.diff(yee.nodes(b)[box[b][0] : box[b][1] + 1]),
    )  # fmt: skip


def modes(section: CrossSection, omega: float, dt: float, most: int) -> list[Mode]:
    """Up to ``most`` guided modes at ω [rad/time unit], by falling effective index.

    Guided are those that are slower than light in what touches the window's open sides; within walls alone, all that
    travel.
    """
    w = 2 * np.sin(omega * dt / 2) / (SPEED_OF_LIGHT * dt)
    electric, magnetic, free = _operators(section, w)
    system = (electric @ magnetic)[free][:, free].tocsc()
    largest = max(float(part.max()) for part in section.eps) * max(float(part.max()) for part in section.mu)
    if largest <= 0:
        return []
    squared, vectors = _largest(system, min(most, system.shape[0]), 1.01 * w**2 * largest)
    real = np.abs(squared.imag) < 1e-6 * w**2 * largest
    travels = (squared.real > section.cladding * w**2 * (1 + 1e-9)) & (squared.real * section.spacing**2 < 4)
    found = []
    for n in sorted(np.flatnonzero(real & travels), key=lambda n: -squared[n].real):
        wave_number = float(np.sqrt(squared[n].real))
        e = np.zeros(electric.shape[0], complex)
        e[free] = vectors[:, n]
        e = (e / e[np.abs(e).argmax()]).real
        parts = _unfolded(section, e, magnetic @ e / wave_number)
        kappa = 2 * np.arcsin(wave_number * section.spacing / 2)
        found.append(Mode(float(kappa * SPEED_OF_LIGHT / (omega * section.spacing)), float(kappa), *parts))
    return found


def _largest(system: Any, count: int, shift: float) -> tuple[Array, Array]:
    """The ``count`` largest eigenvalues and their vectors; none is above ``shift``."""
    if system.shape[0] <= max(4 * count, SMALL):
        values, vectors = np.linalg.eig(system.toarray())
        order = np.argsort(-values.real)[:count]
        return values[order], vectors[:, order]
    # a fixed start, so that the same guide gives the same fields
    start = np.random.default_rng(1).random(system.shape[0])
    try:
        values, vectors = scipy.sparse.linalg.eigs(system, count, sigma=shift, v0=start)
        return values, vectors
    except scipy.sparse.linalg.ArpackNoConvergence as error:
        return error.eigenvalues, error.eigenvectors


def _operators(section: CrossSection, w: float) -> tuple[Any, Any, Array]:
    """K E = P η₀H and K η₀H = Q E for (E_a, E_b) and (H_a, H_b), each as one vector; where E is not held at zero."""
    wrap_a, wrap_b = section.wraps
    forward_a, back_a = _differences(section.inverse_a, wrap_a)
    forward_b, back_b = _differences(section.inverse_b, wrap_b)
    halves_a, halves_b = scipy.sparse.eye(forward_a.shape[0]), scipy.sparse.eye(forward_b.shape[0])
    nodes_a, nodes_b = scipy.sparse.eye(forward_a.shape[1]), scipy.sparse.eye(forward_b.shape[1])
    size_a, size_b = forward_a.shape[1], forward_b.shape[1]
    # a periodic axis has its last node once
    eps_a, eps_b, eps_s, mu_a, mu_b, mu_s = (part[:size_a, :size_b].reshape(-1) for part in (*section.eps, *section.mu))
    over_eps = scipy.sparse.diags(np.divide(1.0, eps_s, out=np.zeros_like(eps_s), where=eps_s > 0))
    gradient = scipy.sparse.vstack([scipy.sparse.kron(forward_a, nodes_b), scipy.sparse.kron(nodes_a, forward_b)])
    curl_h = scipy.sparse.hstack([-scipy.sparse.kron(nodes_a, back_b), scipy.sparse.kron(back_a, nodes_b)])
    turned_mu = scipy.sparse.bmat([[None, scipy.sparse.diags(w * mu_b)], [scipy.sparse.diags(-w * mu_a), None]])
    electric = (turned_mu + gradient @ over_eps @ curl_h / w).tocsr()
    gradient = scipy.sparse.vstack([scipy.sparse.kron(back_a, halves_b), scipy.sparse.kron(halves_a, back_b)])
    curl_e = scipy.sparse.hstack([-scipy.sparse.kron(halves_a, forward_b), scipy.sparse.kron(forward_a, halves_b)])
    turned_eps = scipy.sparse.bmat([[None, scipy.sparse.diags(-w * eps_b)], [scipy.sparse.diags(w * eps_a), None]])
    magnetic = (turned_eps - gradient @ scipy.sparse.diags(1 / mu_s) @ curl_e / w).tocsr()
    return electric, magnetic, np.flatnonzero(np.concatenate([eps_a, eps_b]) > 0)


def _differences(inverse: tuple[Array, Array], wraps: bool) -> tuple[Any, Any]:
    """(from nodes to halves, from halves to nodes) as sparse matrices; beyond a wall stands zero."""
    at_nodes, at_halves = inverse
    n = len(at_halves)
    forward: Any = (scipy.sparse.eye(n, n + 1, 1) - scipy.sparse.eye(n, n + 1)).tolil()
    back: Any = (scipy.sparse.eye(n + 1, n) - scipy.sparse.eye(n + 1, n, -1)).tolil()
    if wraps:
        forward[n - 1, 0] += 1.0
        back[0, n - 1] -= 1.0
        forward, back, at_nodes = forward[:, :n], back[:n], at_nodes[:n]
    return scipy.sparse.diags(at_halves) @ forward.tocsr(), scipy.sparse.diags(at_nodes) @ back.tocsr()


def _unfolded(section: CrossSection, e: Array, h: Array) -> tuple[Array, Array, Array, Array]:
    """E_a, E_b, H_a, H_b over the window, with both ends of periodic axes."""
    wrap_a, wrap_b = section.wraps
    na, nb = len(section.cell_a), len(section.cell_b)
    shape_a, shape_b = (na, nb + 1 - wrap_b), (na + 1 - wrap_a, nb)
    size = shape_a[0] * shape_a[1]
    e_a, e_b = e[:size].reshape(shape_a), e[size:].reshape(shape_b)
    h_a, h_b = h[: shape_b[0] * shape_b[1]].reshape(shape_b), h[shape_b[0] * shape_b[1] :].reshape(shape_a)
    if wrap_b:
        e_a, h_b = (np.concatenate([part, part[:, :1]], axis=1) for part in (e_a, h_b))
    if wrap_a:
        e_b, h_a = (np.concatenate([part, part[:1]], axis=0) for part in (e_b, h_a))
    return e_a, e_b, h_a, h_b


def power(section: CrossSection, e_a: Array, e_b: Array, h_a: Array, h_b: Array) -> complex:
    """Σ (E_a η₀H_b* − E_b η₀H_a*) over the window [V²]; half of it over η₀ is the power along s."""
    around_a, around_b = _around(section.cell_a), _around(section.cell_b)
    first = section.cell_a @ (e_a * np.conj(h_b)) @ around_b
    return complex(first - around_a @ (e_b * np.conj(h_a)) @ section.cell_b)


def overlap(
    section: CrossSection, mode: Mode, e_a: Array, e_b: Array, h_a: Array, h_b: Array
) -> tuple[complex, complex]:
    """How much of a field is this mode, travelling along +s and along −s (complex amplitudes).

    The field is given in the plane of the nodes, where a mode is (e, h) or (e, −h): what was recorded of H half a cell
    or half a step away has its phase there, ``e^{±iκ/2}`` and ``e^{±iωΔt/2}``, taken off.
    """
    norm = power(section, mode.e_a, mode.e_b, mode.h_a, mode.h_b)
    by_e = power(section, e_a, e_b, mode.h_a, mode.h_b) / norm
    by_h = np.conj(power(section, mode.e_a, mode.e_b, h_a, h_b)) / norm
    return (by_e + by_h) / 2, (by_e - by_h) / 2


def _around(cells: Array) -> Array:
    """Of each node, the half cells beside it."""
    return 0.5 * (np.concatenate([cells, [0.0]]) + np.concatenate([[0.0], cells]))


def mode_profile(
    yee: Yee, axes: Sequence[Axis], media: Media, launch: ModeLaunch, node: int, box: Sequence[Range], dt: float,
    what: str,
) -> Profile:  # fmt: skip
    """Fields of a mode over its window. Raises ProblemError where the guide has none of this number."""
    omega = carrier_of(launch.waveform, what)
    section = cross_section(yee, axes, media, launch.axis, node, box)
    found = modes(section, omega, dt, launch.number + MORE)
    if len(found) < launch.number:
        wavelength = 2 * np.pi * SPEED_OF_LIGHT / omega
        many = f"only {len(found)} guided mode{'s' if len(found) > 1 else ''}" if found else "no guided mode"
        raise ProblemError(
            f"{what} asks for mode {launch.number}, and its cross-section has {many} at a wavelength of "
            f"{wavelength:.4g}: choose another number or wavelength, or place it across the guide."
        )
    mode = found[launch.number - 1]
    a, b = (launch.axis + 1) % 3, (launch.axis + 2) % 3
    scale, turned = launch.amplitude, launch.amplitude * (1 if launch.forward else -1)
    fields = {
        (True, a): scale * mode.e_a, (True, b): scale * mode.e_b,
        (False, a): turned * mode.h_a, (False, b): turned * mode.h_b,
    }  # fmt: skip
    if a > b:
        fields = {key: np.ascontiguousarray(values.T) for key, values in fields.items()}
    complete = {key: values.astype(complex) for key, values in fields.items()}
    return Profile(complete, mode.kappa / (2 * omega))

"""Materials as ids and tables.

Each cell has one material. An edge of E takes the mean of ε and σ of the four cells around it, a face of H the mean of
1/μ of the two cells beside it: interfaces along cell walls are then of second order. Edges near other interfaces may
have an effective permittivity instead (:mod:`smoothing`). The mixtures that occur get numbers of their own, so an edge
costs the kernels one byte, or two where there are more than 256. Number 0 is the perfect conductor, ``E = 0``: also
edges on PEC faces and places that do not exist. A mixture has the poles of its materials with the mean of their
strengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.backend.threads import usable_cores
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, VACUUM_IMPEDANCE, Yee
from engines.fdtd.media import mixing
from engines.fdtd.media.dispersion import Dispersion, Pole, make_dispersion, make_slots
from engines.fdtd.media.graded import Grade, grade_edges
from engines.fdtd.media.mixing import MOST_IDS
from engines.fdtd.media.smoothing.tensor import Coupling, NodeTerms

MOST = 256
"""Materials of a problem with vacuum: a cell has a byte."""
BYTE_IDS = 256
"""Mixtures that ids of 8 bits name."""
BANDS_PER_THREAD = 4

Triple = tuple[float, float, float]
Three = tuple[bool, bool, bool]


@dataclass(frozen=True)
class Medium:
    """ε_r, μ_r, σ [S/length unit] and σ* [Ω/length unit]; a perfect conductor needs none of them.

    With ``poles`` ε_r is the permittivity far above them, ε_∞.
    permittivities, conductivities: for the fields along x, y and z, instead of ``permittivity`` and ``conductivity``
    grade: ε_r and σ by the place, of which ``permittivity`` and ``conductivity`` are then the largest
    """

    permittivity: float = 1.0
    permeability: float = 1.0
    conductivity: float = 0.0
    magnetic_loss: float = 0.0
    perfect_conductor: bool = False
    poles: tuple[Pole, ...] = ()
    permittivities: Triple | None = None
    conductivities: Triple | None = None
    grade: Grade | None = None

    def along(self, axis: int) -> tuple[float, float]:
        """ε_r and σ for the field along an axis."""
        return (
            self.permittivity if self.permittivities is None else self.permittivities[axis],
            self.conductivity if self.conductivities is None else self.conductivities[axis],
        )

    @property
    def index(self) -> float:
        """Of refraction by ε_∞, for the slowest of polarizations."""
        return float(np.sqrt(max(self.along(axis)[0] for axis in range(3)) * self.permeability))

    @property
    def least_index(self) -> float:
        """For the fastest of polarizations, which limits the step."""
        least = min(self.along(axis)[0] for axis in range(3)) if self.grade is None else self.grade.least
        return float(np.sqrt(least * self.permeability))

    @property
    def lossless(self) -> bool:
        """A dielectric."""
        return not self.perfect_conductor and not self.poles and all(self.along(axis)[1] == 0 for axis in range(3))

    @property
    def smooth(self) -> bool:
        """A dielectric whose interfaces can be smoothed."""
        return self.lossless and self.grade is None

    def index_at(self, omega: Array) -> Array:
        """n + ik (n,) at angular frequencies [1/time], for fields ∝ exp(−iωt); σ and σ* left out."""
        permittivity = self.index**2 / self.permeability + sum(pole.susceptibility(omega) for pole in self.poles)
        return np.asarray(np.sqrt(np.broadcast_to(permittivity, omega.shape) * self.permeability + 0j))

    def largest_index(self, omega: float) -> tuple[float, float]:
        """(n, k): the largest of Re and Im of ``index_at(ω') ω'/ω`` up to ``omega`` [1/time]: by what the shortest
        wavelength 2πc/(nω) and the least skin depth c/(kω) come out."""
        below = np.linspace(1 / 64, 1, 64)
        index = self.index_at(omega * below) * below
        return float(index.real.max()), float(index.imag.max())


@dataclass(frozen=True)
class SmoothedEdges:
    """Edges with a permittivity of their own and no loss.

    places: (n,) int64 in (3, nz + 1, ny + 1, row), each once; permittivity: (n,) float64; nodes: off-diagonal terms
    """

    places: Array
    permittivity: Array
    nodes: NodeTerms | None = None


@dataclass(frozen=True)
class Media:
    """Ids and coefficients: ``E ← ca E + cb curl H``, ``H ← da H − db curl E`` with lengths in the smallest spacing.

    ids_e, ids_h: (3, nz + 1, ny + 1, row), both uint8, or uint16 where one of them has more than 256 mixtures; ids_h is
    None where all of space has the same μ and σ*
    ca, cb: (256 or more,) float64, and so da, db; permittivity, permeability: the same, for the energy
    """

    ids_e: Array
    ids_h: Array | None
    ca: Array
    cb: Array
    da: Array
    db: Array
    permittivity: Array
    permeability: Array
    dispersion: Dispersion | None = None
    coupling: Coupling | None = None

    @property
    def wide(self) -> bool:
        """Whether ids have 16 bits."""
        return bool(self.ids_e.dtype == np.uint16)


def make_media(
    yee: Yee, axes: Sequence[Axis], cells: Array, media: Sequence[Medium], dt: float,
    smoothed: SmoothedEdges | None = None,
) -> Media:  # fmt: skip
    """cells: (nz, ny, nx) uint8 numbers in ``media``. Raises ProblemError for more mixtures than ids can name.

    Takes the ids (three or six per cell) and 1 MB per thread and band.
    """
    courant = SPEED_OF_LIGHT * dt / yee.smallest
    # σΔt/ε₀ and σ*Δt/μ₀, without a unit
    eps, sigma = np.moveaxis(np.array([[m.along(axis) for axis in range(3)] for m in media]), 2, 0)
    lossy = VACUUM_IMPEDANCE * SPEED_OF_LIGHT * dt
    loss = sigma * lossy
    inverse_mu = np.array([1.0 / m.permeability for m in media])
    magnetic = np.array([m.magnetic_loss for m in media]) / VACUUM_IMPEDANCE * SPEED_OF_LIGHT * dt
    perfect = np.array([m.perfect_conductor for m in media])
    wraps, walls = np.array([axis.wraps for axis in axes]), np.array([axis.walls for axis in axes])

    codes = occurring_codes(cells, perfect, wraps, walls)
    parts = (codes[:, None] >> np.array([24, 16, 8, 0])) & 255  # (codes, 4) materials
    there = set(np.unique(parts).tolist())
    poles = [m.poles if number in there and not m.perfect_conductor else () for number, m in enumerate(media)]
    slots = make_slots(poles, dt)
    strengths = np.array([slots.strengths(each) for each in poles])
    largest = strengths.max(axis=0)
    shares = (strengths / largest)[parts].mean(axis=1)
    mixed = [
        np.column_stack([eps[parts, c].mean(axis=1), loss[parts, c].mean(axis=1), shares]).round(12) for c in range(3)
    ]
    values, value_of = np.zeros(0), np.zeros(0, np.int64)
    if smoothed is not None:
        values, value_of = np.unique(smoothed.permittivity, return_inverse=True)
    columns = 2 + slots.count
    lossless = np.zeros((len(values), columns))
    lossless[:, 0] = values
    kinds, number = np.unique(np.concatenate([np.zeros((1, columns)), *mixed, lossless]), axis=0, return_inverse=True)
    numbers = number.reshape(-1)[1:]
    _check(len(kinds))

    count = len(media)
    two = np.stack(np.unravel_index(np.arange(count**2), (count,) * 2))
    magnetic_rows = np.stack([inverse_mu[two].mean(axis=0), magnetic[two].mean(axis=0)], axis=1).round(12)
    magnetic_kinds, magnetic_number = np.unique(magnetic_rows, axis=0, return_inverse=True)

    dtype = np.uint8 if max(len(kinds), len(magnetic_kinds)) <= BYTE_IDS else np.uint16
    ids_e = np.zeros((3, *yee.shape), dtype)
    ids_h = np.zeros((3, *yee.shape), dtype) if len(magnetic_kinds) > 1 else None
    if codes.size:
        of_codes = numbers[: 3 * codes.size].reshape(3, -1).astype(dtype)
        mixing.number_edges(cells.shape[0] + 1, cells, perfect, wraps, walls, codes, of_codes, ids_e)
    if ids_h is not None:
        mixing.number_faces(cells.shape[0] + 1, cells, magnetic_number.reshape(-1).astype(dtype), count, wraps, ids_h)
    grades = {n: (m.grade, m.along(0)) for n, m in enumerate(media) if m.grade is not None and not m.perfect_conductor}
    if grades:
        kinds, ids_e = grade_edges(yee, wraps, cells, grades, kinds, ids_e, lossy)
        dtype = np.uint8 if max(len(kinds), len(magnetic_kinds)) <= BYTE_IDS else np.uint16
        ids_e, ids_h = ids_e.astype(dtype, copy=False), None if ids_h is None else ids_h.astype(dtype, copy=False)
    if smoothed is not None:
        ids_e.reshape(-1)[smoothed.places] = numbers[3 * codes.size :][value_of].astype(dtype)

    room = MOST_IDS if grades else BYTE_IDS  # for what is painted on these has as many values as edges
    permittivity, lost, *betas = (_padded(column, room=room) for column in kinds.T)
    beta = np.array(betas).reshape(-1, len(permittivity))
    beta *= (slots.beta * largest)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        divisor = permittivity + lost / 2 + beta.sum(axis=0)
        ca = np.where(permittivity > 0, (permittivity - lost / 2 + slots.sign @ beta) / divisor, 0.0)
        cb = np.where(permittivity > 0, courant / divisor, 0.0)

    inverse, magnetic_lost = _padded(magnetic_kinds[:, 0], 1.0), _padded(magnetic_kinds[:, 1])
    magnetic_half = magnetic_lost * inverse / 2
    da, db = (1 - magnetic_half) / (1 + magnetic_half), courant * inverse / (1 + magnetic_half)
    dispersion = make_dispersion(slots, beta / courant, courant, ids_e) if slots.count else None
    return Media(ids_e, ids_h, ca, cb, da, db, permittivity, 1.0 / inverse, dispersion)


def with_coupling(
    yee: Yee, axes: Sequence[Axis], media: Media, smoothed: SmoothedEdges, dt: float,
    parts: Three = (True, True, True),
) -> Media:  # fmt: skip
    """``media`` with the off-diagonal terms of smoothed edges, but for those that have got a loss (a port's).

    parts: which components of E along x, y, z there are
    """
    if smoothed.nodes is None or sum(parts) < 2 or not smoothed.nodes.terms.any():
        return media
    plain = (media.ca == 1) & (media.cb > 0)
    if media.dispersion is not None:
        plain[: media.dispersion.beta.shape[1]] &= ~media.dispersion.beta.any(axis=0)
    inverse = np.where(plain, 1 / np.where(media.permittivity > 0, media.permittivity, 1.0), 0.0)
    courant = SPEED_OF_LIGHT * dt / yee.smallest
    coupling = Coupling(yee, axes, smoothed.nodes, media.ids_e, inverse, parts, courant)
    return replace(media, coupling=coupling) if len(coupling.targets) else media


def expected_id_bytes(media: Sequence[Medium], smoothing: bool) -> int:
    """Of an id, before the grid is looked at: 2 if more than 256 mixtures can occur."""
    count = sum(not medium.perfect_conductor for medium in media)
    mixtures = comb(count + 3, 4) * (3 if any(medium.permittivities for medium in media) else 1)
    graded = any(medium.grade for medium in media)
    return 2 if graded or (smoothing and count > 1) or mixtures >= BYTE_IDS else 1


def occurring_codes(cells: Array, perfect: Array, wraps: Array, walls: Array) -> Array:
    """(n,) int64, ascending: the mixtures of four cells around edges (:mod:`mixing`). Raises ProblemError."""
    bands = BANDS_PER_THREAD * usable_cores()
    sets = np.full((bands, mixing.SET_SIZE), mixing.BLOCKED, np.int64)
    counts = np.zeros(bands, np.int64)
    mixing.occurring(bands, cells, perfect, wraps, walls, bands, sets, counts)
    found = np.unique(sets)
    codes = found[found != mixing.BLOCKED]
    _check(max(codes.size + 1, int(counts.max()) + 1))
    return codes


def _check(mixtures: int) -> None:
    if mixtures > MOST_IDS:
        raise ProblemError(
            f"The materials meet along edges in more than {MOST_IDS:,} mixtures: use fewer materials, larger "
            "objects, or no smoothing."
        )


def _padded(values: Array, rest: float = 0.0, room: int = BYTE_IDS) -> Array:
    """With room for mixtures that ports and painting add; tables that ids of 8 bits name stay as long as these."""
    size = BYTE_IDS if len(values) <= BYTE_IDS else min(len(values) + room, MOST_IDS)
    table = np.full(size, rest)
    table[: len(values)] = values
    return table


def widened(media: Media) -> Media:
    """The same with ids of 16 bits and room for more mixtures of E. Raises ProblemError if there is none."""
    more = min(BYTE_IDS, MOST_IDS - len(media.ca))
    _check(MOST_IDS + (more <= 0))
    ca, cb, permittivity = (np.append(table, np.zeros(more)) for table in (media.ca, media.cb, media.permittivity))
    dispersion = media.dispersion
    if dispersion is not None:
        dispersion = replace(dispersion, beta=np.pad(dispersion.beta, ((0, 0), (0, more))))
    ids_h = None if media.ids_h is None else media.ids_h.astype(np.uint16)
    return replace(
        media, ids_e=media.ids_e.astype(np.uint16), ids_h=ids_h, ca=ca, cb=cb, permittivity=permittivity,
        dispersion=dispersion,
    )  # fmt: skip

"""A problem of irregular points, checked and ready to build: bonds, material, loads."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from engines.api import Array, FieldInfo, Finding
from engines.backend.base import Backend
from engines.errors import ProblemError
from engines.geometry.particles import Particles
from engines.peridynamics.body import chosen, cut_of
from engines.peridynamics.cloud.body import CloudBody, cloud_body
from engines.peridynamics.cloud.family import CloudFamily, cloud_family
from engines.peridynamics.cloud.solver import Cloud, bytes_of_cloud, make_cloud_solver
from engines.peridynamics.family import WORD, family
from engines.peridynamics.loads import Loads, loads_on
from engines.peridynamics.material import POISSON, Lattice
from engines.peridynamics.measures import SPLIT, Watched
from engines.peridynamics.parameters import PeridynamicParameters, PointBody, Stress
from engines.peridynamics.scales import Scales
from engines.peridynamics.simulation import PeridynamicSimulation
from engines.peridynamics.solver import decay_of

PRECISIONS = {"fp32": "float32", "fp64": "float64"}
MEMORY_SHARE = 0.9
"""The part of a device's memory that a problem may take; the rest is the system's and the viewers'."""
MOST_COLUMNS = 1024
"""Bonds of a particle."""


def body_of(parameters: PeridynamicParameters) -> CloudBody:
    """The same object for the same body. Raises ProblemError."""
    if not isinstance(parameters.body, PointBody):
        raise TypeError(f"a body of points, not a {parameters.body.kind}")
    return cloud_body(parameters.body, parameters.bonds.spacing, parameters.bonds.reach)


def geometry_of(parameters: PeridynamicParameters) -> Particles:
    """The same object for the same body. Raises ProblemError."""
    return body_of(parameters).filled.geometry


@lru_cache(maxsize=2)
def _family(body: CloudBody, precision: str, calibrated: bool) -> CloudFamily:
    return cloud_family(body, precision, calibrated)


def words_of(kin: CloudFamily, body: CloudBody, parameters: PeridynamicParameters) -> tuple[Array, Array]:
    """words, breakable: (words, size) uint32: the bonds that no notch cuts, and those that may break."""
    n = len(kin.order)
    words, breakable = (np.zeros((kin.words, kin.size), np.uint32) for _ in range(2))
    cuts = [cut_of(notch, body.filled) for notch in parameters.notches]
    points = body.points[kin.order] / body.spacing - 0.5  # as cuts have them
    near = np.zeros((len(cuts), kin.size), bool)
    for number, cut in enumerate(cuts):
        near[number, :n] = np.abs(cut.height(points)) <= body.reach + 1
    safe = np.zeros(kin.size, bool)
    for region in parameters.unbreakable:
        safe[:n] |= chosen(region, body.filled)[kin.order]
    for column in range(int(kin.counts.max())):
        mine, at = kin.column(column)
        other = kin.neighbours[at]
        holds = np.ones(len(mine), bool)
        for number, cut in enumerate(cuts):
            some = np.flatnonzero(near[number, mine])
            # a bond is asked for from the same end, whichever particle asks: both have the same answer
            ends = np.sort(np.stack([mine[some], other[some]]), axis=0)
            holds[some] &= ~cut.crosses(points[ends[0]], points[ends[1]])
        bit = np.uint32(1 << column % WORD)
        words[column // WORD, mine[holds]] |= bit
        breakable[column // WORD, mine[holds & ~safe[mine] & ~safe[other]]] |= bit
    return words, breakable


class CloudSetup:
    """A problem checked and ready to build. Raises ProblemError."""

    def __init__(self, parameters: PeridynamicParameters, backend: Backend) -> None:
        given = parameters.body
        if not isinstance(given, PointBody):
            raise TypeError(f"a body of points, not a {given.kind}")
        self.parameters, self.backend = parameters, backend
        self.precision = PRECISIONS[parameters.numerics.precision]
        self.body = body = body_of(parameters)
        self.family = kin = _family(body, self.precision, given.correction == "energy")
        if kin.counts.max() > MOST_COLUMNS:
            raise ProblemError(
                f"A particle has {kin.counts.max():,} neighbours: use a smaller horizon, or points at more "
                "even distances."
            )
        d, material = body.dimensions, parameters.material
        spacing = body.spacing * 1e-3
        # the continuum's numbers depend on the horizon alone: those of a lattice with three spacings in it
        self.continuum = Lattice(
            family(d, 3), given.formulation, material.young * 1e9, material.density, material.fracture_energy,
            body.horizon * 1e-3 / 3, given.thickness * 1e-3 if d == 2 else body.horizon * 1e-3 / 3,
        )  # fmt: skip
        self.volume = spacing**d * (given.thickness * 1e-3 if d == 2 else 1.0)
        self.memory = bytes_of_cloud(kin, np.dtype(self.precision).itemsize)
        available = backend.info.memory_bytes
        if available and self.memory > MEMORY_SHARE * available:
            raise ProblemError(
                f"This body needs {self.memory / 2**30:,.1f} GB, and {backend.info.name} has "
                f"{available / 2**30:,.1f} GB: use fewer points."
            )
        value_bytes = np.dtype(self.precision).itemsize
        self.bytes_per_step = len(kin.order) * ((5 * d + 8) * value_bytes + 4 * kin.words + 1) + 4 * kin.bonds
        self.limit = math.sqrt(2 / (self.stiffness(1.0) * kin.largest))
        self.step = self._chosen_step()
        self.loads = self._loads(spacing)
        axis = "xyz".index(parameters.growth[1])
        if axis >= d:
            raise ProblemError("A crack in a plate does not grow along z: choose x or y.")
        self.along = body.points[:, axis] * (1 if parameters.growth[0] == "+" else -1)
        self.findings = self._findings()

    def stiffness(self, step: float) -> float:
        """``dt² c V/(ρ h)`` of the mean volume and distance, without the scale of the weights."""
        density = self.parameters.material.density
        return step**2 * self.continuum.continuum_micromodulus * self.volume / (density * self.body.spacing * 1e-3)

    def _chosen_step(self) -> float:
        numerics = self.parameters.numerics
        if numerics.step is None:
            return numerics.safety * self.limit
        step = numerics.step * 1e-6
        if step > self.limit * (1 + 1e-12):
            raise ProblemError(
                f"The time step of {numerics.step:g} us is above the stable limit of these points: "
                f"use at most {np.floor(self.limit * 1e10) / 1e4:g} us.",
                ("numerics", "step"),
            )
        return step

    def _loads(self, spacing: float) -> Loads:
        """A stress acts on a layer whose thickness is not quite the mean distance: the force is that on the side."""
        axes = {"left": 0, "right": 0, "bottom": 1, "top": 1, "front": 2, "back": 2}
        loads = []
        for load in self.parameters.loads:
            if isinstance(load, Stress) and axes[load.side] < self.body.dimensions:
                factor = self.body.spacing / float(self.body.layer[axes[load.side]])
                load = load.model_copy(update={"stress": tuple(factor * value for value in load.stress)})
            loads.append(load)
        return loads_on(self.body.filled, loads, self.step, spacing, self.parameters.material.density)

    def _findings(self) -> tuple[Finding, ...]:
        kin, body, formulation = self.family, self.body, self.continuum.formulation
        n = len(kin.order)
        said = (
            f"{n:,} points, {body.spacing:.3g} mm apart on average, with {kin.bonds / n:.0f} bonds each; Poisson's "
            f"ratio is {POISSON[formulation]:.4g} ({formulation}); bonds break at a stretch of "
            f"{self.continuum.critical_stretch:.3g}; surfaces and corners are stiffened up to "
            f"{kin.corrections[1]:.3g} times."
        )
        found = [Finding(said, "info")]
        lone = int((kin.counts[:n] <= body.dimensions).sum())
        if lone:
            found.append(Finding(f"{lone:,} points have {body.dimensions} bonds or fewer and may come loose."))
        if not self.parameters.loads:
            found.append(Finding("Nothing loads the body: it will stay as it is."))
        return tuple(found)

    def cloud(self) -> Cloud:
        """The points and bonds as a device has them."""
        kin, n = self.family, len(self.family.order)
        words, breakable = words_of(kin, self.body, self.parameters)
        kind = np.zeros(kin.size, np.uint8)
        kind[:n] = self.loads.kind[kin.order]
        places = np.empty(n, np.int32)
        places[kin.order] = np.arange(n, dtype=np.int32)
        return Cloud(
            places, kin.counts.astype(float), kind,
            Scales(self.body.spacing * 1e-3, self.step, self.parameters.material.density * self.volume),
            kin, words, breakable, self.stiffness(self.step) * kin.scale,
            (1 + self.continuum.critical_stretch) ** 2 - 1,
        )  # fmt: skip

    def build(self, moving: Callable[[], None]) -> PeridynamicSimulation:
        made = self.cloud()
        moving()
        kin = self.continuum.family
        return PeridynamicSimulation(
            self.backend,
            self.body.filled.geometry,
            make_cloud_solver(self.backend, made, self.precision),
            self.loads,
            self.parameters.numerics.integrator == "velocity Verlet",
            Watched(
                self.along,
                SPLIT * kin.crossing / kin.bonds,
                self.body.horizon,
                self.continuum.rayleigh_speed,
                self.volume,
            ),
            self._fields(),
            decay_of(self.parameters.numerics.damping, self.step),
        )

    def _fields(self) -> tuple[FieldInfo, ...]:
        """Ranges are those of bonds at the critical stretch."""
        continuum, stretch = self.continuum, self.continuum.critical_stretch
        moved = 0.5 * stretch * float(np.ptp(self.body.points, axis=0).max()) * 1e-3
        for load in self.parameters.loads:
            if not isinstance(load, Stress) and load.kind == "displacement":
                moved = max(moved, *(abs(value or 0.0) * 1e-3 for value in (load.x, load.y, load.z)))
        wave, share = math.sqrt(continuum.young / continuum.density), continuum.family.crossing / continuum.family.bonds
        density = 0.5 * continuum.young * stretch**2
        return (
            FieldInfo("damage", "Damage", "", "cell", (0.0, _rounded(1.4 * share))),
            FieldInfo("displacement", "Displacement", "um", "cell", (0.0, _rounded(moved * 1e6))),
            FieldInfo("velocity", "Velocity", "m/s", "cell", (0.0, _rounded(stretch * wave * 2))),
            FieldInfo("energy", "Energy density", "J/m³", "cell", (0.0, _rounded(density)), "inferno"),
        )


def _rounded(value: float) -> float:
    return float(f"{value:.2g}")

"""A problem of irregular points, checked and ready to build: bonds, material, loads."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from engines.api import Array, Finding
from engines.api.charts import Fact
from engines.api.errors import ProblemError
from engines.backend.twins import pick
from engines.geometry.particles import Particles
from engines.peridynamics.body.cutting import drawn_cut_of
from engines.peridynamics.body.regions import chosen
from engines.peridynamics.cloud.body import CloudBody, cloud_body
from engines.peridynamics.cloud.density import mean_distance, unevenness
from engines.peridynamics.cloud.family import CloudFamily, cloud_family
from engines.peridynamics.cloud.mixing import mixed_family
from engines.peridynamics.cloud.solver import POINT_SOLVER, Cloud, CloudSolver, bytes_of_cloud
from engines.peridynamics.lattice.family import WORD, family
from engines.peridynamics.loading.loads import Loads, loads_on
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.mixture import mixed
from engines.peridynamics.parameters import PeridynamicParameters, PointBody, Stress
from engines.peridynamics.setup.base import Setup
from engines.peridynamics.setup.pace import Kind
from engines.peridynamics.step.scales import Scales
from engines.peridynamics.watch.energies import SPLIT, Watched

MOST_COLUMNS = 1024
"""Bonds of a particle."""


REGULAR = 0.02
"""Unevenness of the points' distances up to which they break as a lattice does."""
SPREAD = 1.35
"""Volumes and places of points may disagree by this factor of a length; surfaces alone make 1.12 of it where
bodies are ten points thick."""


@lru_cache(maxsize=2)
def _apart(body: CloudBody) -> float:
    return mean_distance(body.points)


def body_of(parameters: PeridynamicParameters) -> CloudBody:
    """The same object for the same body. Raises ProblemError."""
    if not isinstance(parameters.body, PointBody):
        raise TypeError(f"a body of points, not a {parameters.body.kind}")
    return cloud_body(parameters.body, parameters.bonds.spacing, parameters.bonds.reach)


def geometry_of(parameters: PeridynamicParameters) -> Particles:
    """The same object for the same body. Raises ProblemError."""
    return body_of(parameters).filled.geometry


@lru_cache(maxsize=2)
def _uneven(body: CloudBody) -> float:
    return unevenness(body.points)


@lru_cache(maxsize=2)
def _family(body: CloudBody, precision: str, calibrated: bool) -> CloudFamily:
    return cloud_family(body, precision, calibrated)


def words_of(kin: CloudFamily, body: CloudBody, parameters: PeridynamicParameters) -> tuple[Array, Array]:
    """words, breakable: (words, size) uint32: the bonds that no notch cuts, and those that may break."""
    n = len(kin.order)
    words, breakable = (np.zeros((kin.words, kin.size), np.uint32) for _ in range(2))
    cuts = [drawn_cut_of(notch, body.filled.frame) for notch in parameters.notches]
    points = body.points[kin.order] / body.spacing - 0.5  # as cuts have them
    near = np.zeros((len(cuts), kin.size), bool)
    for number, cut in enumerate(cuts):
        near[number, :n] = cut.near(points, body.reach + 1)
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


class CloudSetup(Setup):
    """Irregular points: bond-based and brittle."""

    stands_for = "set of points"

    def _discretise(self) -> None:
        parameters, given = self.parameters, self.parameters.body
        if not isinstance(given, PointBody):
            raise TypeError(f"a body of points, not a {given.kind}")
        _check_plain(parameters)
        self.points = points = body_of(parameters)
        self.body = points.filled
        kin = _family(points, self.precision, given.correction == "energy")
        if kin.counts.max() > MOST_COLUMNS:
            raise ProblemError(
                f"A particle has {kin.counts.max():,} neighbours: use a smaller horizon, or points at more "
                "even distances."
            )
        d, material = points.dimensions, parameters.material
        self.spacing = spacing = points.spacing * 1e-3
        # the continuum's numbers depend on the horizon alone: those of a lattice with three spacings in it
        self.lattice = Lattice(
            family(d, 3), given.formulation if d == 2 else "3D", material.young * 1e9, material.density,
            material.fracture_energy, points.horizon * 1e-3 / 3,
            given.thickness * 1e-3 if d == 2 else points.horizon * 1e-3 / 3,
        )  # fmt: skip
        self.volume = spacing**d * (given.thickness * 1e-3 if d == 2 else 1.0)
        self.mixed, self.blend = mixed(parameters, self.body, self.lattice), None
        if self.mixed:
            kin, self.blend = mixed_family(kin, self.mixed.mixture)
        self.family = kin
        listed = self.blend is not None and pick(self.backend, cpu=True, cuda=False)
        self.memory = bytes_of_cloud(kin, self.value_bytes, self.blend is not None, listed)
        self.memory += self._bytes_beside(kin.size, kin.words)
        values = 5 * d + 8 + (self.blend is not None)
        self.bytes_per_step = len(kin.order) * (values * self.value_bytes + 4 * kin.words + 1) + 4 * kin.bonds
        self.bonds = kin.bonds
        self.limit = math.sqrt(2 / (self.stiffness(1.0) * kin.largest))

    def stiffness(self, step: float) -> float:
        """``dt² c V/(ρ h)`` of the first material, the mean volume and distance, without the scale of the weights."""
        density = self.parameters.material.density
        return step**2 * self.lattice.continuum_micromodulus * self.volume / (density * self.spacing)

    @property
    def kind(self) -> Kind:
        return "irregular"

    @property
    def watched_volume(self) -> float:
        return self.volume

    def _loads(self) -> Loads:
        """A stress acts on a layer whose thickness is not quite the mean distance: the force is that on the side."""
        axes = {"left": 0, "right": 0, "bottom": 1, "top": 1, "front": 2, "back": 2}
        loads = []
        for load in self.parameters.loads:
            if isinstance(load, Stress) and axes[load.side] < self.points.dimensions:
                factor = self.points.spacing / float(self.points.layer[axes[load.side]])
                load = load.model_copy(update={"stress": tuple(factor * value for value in load.stress)})
            loads.append(load)
        density, volume = self.lattice.density, self.volume
        return loads_on(self.body, loads, self.step, self.spacing, density, volume, self._heaviness)

    @property
    def facts(self) -> tuple[Fact, ...]:
        kin, points = self.family, self.points
        return (
            Fact("Horizon", points.horizon, "mm"),
            Fact("Mean distance of points", points.spacing, "mm"),
            Fact("Bonds of a point, mean", kin.bonds / len(kin.order), ""),
            Fact("Critical stretch of a bond", self.lattice.critical_stretch, ""),
            Fact("Poisson's ratio", self.lattice.poisson_ratio, ""),
            Fact("Surfaces are stiffened up to", kin.corrections[1], ""),
            *self._of_waves,
        )

    def _more_findings(self) -> list[Finding]:
        kin, d = self.family, self.points.dimensions
        lone = int((kin.counts[: len(kin.order)] <= d).sum())
        found = (
            [Finding(f"{lone:,} points have {d} bonds or fewer and may come loose.", place=("bonds",))] if lone else []
        )
        found += [replace(each, place=("body", "file")) for each in self.points.findings]
        apart, stands_for = _apart(self.points), self.points.spacing
        if apart and not 1 / SPREAD < apart / stands_for < SPREAD:
            found.append(
                Finding(
                    f"Points lie about {apart:.2g} mm apart, and each stands for {stands_for:.2g} mm of the body: "
                    "change the volumes in the file, or, where it has none, the spacing.",
                    place=("body",),
                )
            )
        groups = self.body.groups
        if groups is not None and len(groups.present) > 1 and not self.parameters.materials:
            found.append(
                Finding(
                    f"The file tells groups {groups.told}, and the body is of one material: if they are to differ, add "
                    "materials whose region is a group.",
                    "info",
                    ("materials",),
                )
            )
        if _uneven(self.points) > REGULAR:
            found += _irregular(self.parameters.material.fracture_energy)
        return found

    @property
    def watched(self) -> Watched:
        kin = self.lattice.family
        threshold = SPLIT * kin.crossing / kin.bonds
        return Watched(
            self.axis, self.backward, self.along, threshold, self.points.horizon, self.lattice.rayleigh_speed,
            self.volume,
        )  # fmt: skip

    def cloud(self) -> Cloud:
        """The points and bonds as a device has them."""
        kin, n = self.family, len(self.family.order)
        words, breakable = words_of(kin, self.points, self.parameters)
        kind = np.zeros(kin.size, np.uint8)
        kind[:n] = self.loads.kind[kin.order]
        places = np.empty(n, np.int32)
        places[kin.order] = np.arange(n, dtype=np.int32)
        return Cloud(
            places, kin.counts.astype(float), kind,
            Scales(self.spacing, self.step, self.parameters.material.density * self.volume),
            kin, words, breakable, self.stiffness(self.step) * kin.scale,
            (1 + self.lattice.critical_stretch) ** 2 - 1, self.blend,
        )  # fmt: skip

    def _solver(self) -> CloudSolver:
        return POINT_SOLVER.open(self.backend, self.cloud(), self.precision)


def _irregular(energy: float) -> list[Finding]:
    """What is known of cracks among irregular points, whatever the correction (the engine's README)."""
    return [
        Finding(
            "The points are irregular, and cracks go by their places: in a plate of glass whose crack branches at 21 "
            "to 23 µs on lattices, it branched at 22 to 40 µs in 10 of 18 sets of points that differ by chance, and "
            "not at all in the others, before it was through. Look at several sets, or at a lattice, before a branch "
            "or its lack is taken for the material's.",
            "info",
            ("body", "file"),
        ),
        Finding(
            "A slow crack takes about 1.5 to 1.9 times the fracture energy among such points with a horizon of three "
            f"of their distances in a plane, {1.5 * energy:.3g} to {1.9 * energy:.3g} J/m², for they hold it up; one "
            "that runs takes less.",
            "info",
            ("material", "fracture_energy"),
        ),
    ]


def _check_plain(parameters: PeridynamicParameters) -> None:
    """Raises ProblemError for what is not made for points."""
    bonds, lattice = parameters.bonds, "is for bodies on a lattice: choose one, or"
    softening = f"Softening {lattice} the brittle law."
    if parameters.material.law.kind != "brittle":
        raise ProblemError(softening, ("material", "law"))
    for number, each in enumerate(parameters.materials):
        if each.law.kind != "brittle":
            raise ProblemError(softening, ("materials", number, "law"))
    if parameters.penetrators or parameters.contact.kind != "none":
        raise ProblemError(f"Contact {lattice} take penetrators and contact away.", ("penetrators",))
    if bonds.theory != "bond-based":
        raise ProblemError(f"State-based theory {lattice} bond-based theory.", ("bonds", "theory"))
    if bonds.weighted or bonds.crack != "continuum":
        raise ProblemError(
            f"What weighs bonds {lattice} constant influence, whole volumes and no surface correction.", ("bonds",)
        )

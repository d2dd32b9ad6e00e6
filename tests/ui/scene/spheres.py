"""Particles and fields with known answers, and an engine that fills spheres from the outside."""

from __future__ import annotations

import numpy as np

from engines.api import Array, Engine, Estimate, FieldInfo, KernelTiming, KernelTraffic, SimulationInfo
from engines.cardiac.parameters import CardiacParameters
from engines.geometry.particles import Particles, paired_rows
from tests.ui.doubles import FakeServices
from tests.ui.wave import Stepped
from workbench.project.document import Document
from workbench.project.project import Project

SHELLS = 20
INSIDE = FieldInfo("inside", "Stoichiometry", "1", "point", (0.0, 1.0), components=SHELLS)
SURFACE = FieldInfo("surface", "At the surface", "1", "point", (0.0, 1.0), "inferno")
ARRIVAL = FieldInfo("arrival", "Arrival", "s", "cell", (0.0, 10.0), components=SHELLS, missing=-1.0)


def info(particles: Particles, *fields: FieldInfo) -> SimulationInfo:
    return SimulationInfo(particles, 0.1, "s", fields or (INSIDE, SURFACE), (), (), None)


def ten() -> Particles:
    """Five pairs."""
    choose = np.random.default_rng(3)
    return paired_rows(choose.uniform(4, 6, 5), choose.uniform(3, 5, 5))


def touching(n: int, seed: int = 0) -> Particles:
    """Spheres of many sizes, each put against one of the others, none in another."""
    choose = np.random.default_rng(seed)
    positions, radii = [np.zeros(3)], [1.0]
    while len(radii) < n:
        other, radius = choose.integers(len(radii)), choose.uniform(0.2, 1.0)
        away = choose.normal(size=3)
        place = positions[other] + (radii[other] + radius) * away / np.linalg.norm(away)
        if (np.linalg.norm(np.array(positions) - place, axis=1) >= np.array(radii) + radius - 1e-9).all():
            positions.append(place)
            radii.append(radius)
    return Particles(np.array(positions), np.array(radii))


class Soak(Stepped):
    """1 at the surface, and from there inwards, deeper with time."""

    def __init__(self, particles: Particles) -> None:
        self.geometry, self.dt, self.step = particles, 0.1, 0
        self.fields = (INSIDE, SURFACE)
        self.traffic = (KernelTraffic("soak", 80 * particles.n_cells, 80 * particles.n_cells, 10 * particles.n_cells),)

    def _inside(self) -> Array:
        radius = (np.arange(SHELLS) + 0.5) / SHELLS
        depth = (1 - radius)[None] * self.geometry.radii[:, None]
        return np.exp(-depth / (0.5 + 1.5 * self.time / (self.time + 10))).astype(np.float32)

    def gather(self, name, handle):
        return self.field(name)[handle.elements]

    def field(self, name):
        return self._inside() if name == "inside" else self._inside()[:, -1]

    def drain_timings(self):
        return (KernelTiming("soak", 1, 1e-4),)


class SoakEngine(Engine):
    id, title, summary, time_unit = "soak", "Soak", "Spheres that fill", "s"
    Parameters = CardiacParameters
    geometry_type = None

    def default_parameters(self, geometry):
        return CardiacParameters(regions=[], stimuli=[])

    def estimate(self, problem, backend):
        return Estimate(10**6, 160 * problem.geometry.n_cells, 0.1, 0.2, 1e-3)

    def build(self, problem, backend, progress=lambda *_: None):
        return Soak(problem.geometry)


class SoakServices(FakeServices):
    """Every preset is ``particles``."""

    def __init__(self, particles: Particles) -> None:
        super().__init__()
        self.engine, self.particles = SoakEngine(), particles

    def document(self, title="Soak", shape=()):
        parameters = self.engine.default_parameters(None)
        return Document(Project(title=title, engine="soak"), self.engine, parameters, self.particles)

    def locate(self, document, position):
        return int(self.particles.nearest(np.array(position))[0])

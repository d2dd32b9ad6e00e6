"""The parameters' materials as media, in the units of the grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import METRES, SECONDS, Yee
from engines.fdtd.media.dispersion import Pole
from engines.fdtd.media.graded import make_grade
from engines.fdtd.media.materials import Medium
from engines.fdtd.media.solids.shapes import Filling, reached
from engines.fdtd.parameters import FdtdParameters, Material
from engines.fdtd.parameters.anisotropy import Anisotropy
from engines.fdtd.parameters.dispersion import Debye, Drude, Lorentz, PoleSetting
from engines.fdtd.parameters.library import PUBLISHED

POINTS = 100_000
"""At which materials that differ from place to place are looked at before they are on the grid."""


def make_medium(material: Material, length_unit: str, number: int = 0) -> Medium:
    """number: of the material among the parameters' (from 0). Raises ProblemError."""
    metre = METRES[length_unit]
    permittivity, conductivity, poles = material.permittivity, material.conductivity, tuple(material.poles)
    if material.library != "own":
        published = PUBLISHED[material.library]
        permittivity, conductivity, poles = published.permittivity, 0.0, published.poles
    apart = material.anisotropy if material.library == "own" else Anisotropy()
    x, y, z = apart.conductivity
    grade = None
    if material.by_place.by_formulas and material.library == "own" and not material.perfect_conductor:
        if apart.by_component:
            raise ProblemError(
                f"'{material.name}' differs from place to place, and along x, y and z: let it do one of them.",
                ("materials", number, "by_place", "by_formulas"),
            )
        grade = make_grade(material.by_place.lines, number, permittivity, conductivity, length_unit, metre)
    return Medium(
        permittivity, material.permeability, conductivity * metre, material.magnetic_loss * metre,
        material.perfect_conductor, tuple(make_pole(pole, length_unit) for pole in poles),
        permittivities=apart.permittivity if apart.by_component else None,
        conductivities=(x * metre, y * metre, z * metre) if apart.by_component else None, grade=grade,
    )  # fmt: skip


def make_pole(pole: PoleSetting, length_unit: str) -> Pole:
    """With angular frequencies in the unit of time."""
    tera = 2 * math.pi * 1e12 * SECONDS[length_unit]
    if isinstance(pole, Drude):
        return Pole("drude", (pole.plasma * tera) ** 2, pole.damping * tera)
    if isinstance(pole, Lorentz):
        resonance = pole.resonance * tera
        return Pole("lorentz", pole.strength * resonance**2, pole.damping * tera, resonance)
    assert isinstance(pole, Debye)
    return Pole("debye", pole.strength, SECONDS[length_unit] / (pole.relaxation * 1e-12))


def media_of(parameters: FdtdParameters) -> tuple[Medium, ...]:
    """Vacuum and the materials."""
    unit = parameters.grid.length_unit
    return (Medium(), *(make_medium(material, unit, n) for n, material in enumerate(parameters.materials)))


def staircase_findings(parameters: FdtdParameters, media: Sequence[Medium]) -> tuple[Finding, ...]:
    """One sentence for each object that smoothing leaves out as its material differs from place to place."""
    graded = {m.name for m, medium in zip(parameters.materials, media[1:], strict=True) if medium.grade is not None}
    return tuple(
        Finding(
            f"Object {number} ({item.kind}) is of '{item.material}', which differs from place to place: its surface is "
            "not smoothed but has stairs, which count where the index jumps there. Use smaller cells.",
            "info",
            ("objects", number - 1),
        )
        for number, item in enumerate(parameters.objects, 1)
        if parameters.numerics.smoothing and item.material in graded and (item.kind != "box" or item.turn.angle)
    )


def with_ranges(media: Sequence[Medium], fillings: Sequence[Filling], yee: Yee) -> tuple[Medium, ...]:
    """``media`` with the numbers of those that differ from place to place, of points on the grid within objects; later
    objects that lie over them count, too. Raises ProblemError for what no material has there."""
    seen: dict[int, list[Array]] = {}
    most = int(POINTS ** (1 / max(1, len(yee.varying))))
    for _, number, solid in fillings:
        grade = media[number].grade
        parts = reached([yee.halves(axis) for axis in range(3)], solid)
        if grade is None or any(part.start >= part.stop for part in parts):
            continue
        x, y, z = (
            yee.halves(axis)[np.unique(np.linspace(part.start, part.stop - 1, most).round().astype(int))]
            for axis, part in enumerate(parts)
        )
        k, j, i = np.nonzero(solid.on_grid(x, y, z, None))
        if len(k):
            there = grade.at(x[i], y[j], z[k])
            seen.setdefault(number, []).append(np.stack([there.min(axis=1), there.max(axis=1)]))
    found = list(media)
    for number, values in seen.items():
        medium, ends = media[number], np.array(values)
        assert medium.grade is not None
        least, (eps, sigma) = ends[:, 0, 0].min(), ends[:, 1].max(axis=0)
        grade = replace(medium.grade, least=float(least))
        found[number] = replace(medium, permittivity=float(eps), conductivity=float(sigma), grade=grade)
    return tuple(found)

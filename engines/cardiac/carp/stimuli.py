"""Stimuli of an openCARP file: ``stim[…]`` and the older ``stimulus[…]``, currents through the membrane alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.cardiac.carp.lines import Parameters
from engines.cardiac.parameters import Box, Site, Sphere, Stimulus
from engines.geometry.readers.carp import read_points
from engines.reading import guarded

MILLIMETRES = 1e-3
"""openCARP's lengths are in µm."""
SLACK = 1e-6
"""Of a box [mm], so that vertices on its faces are in it."""
NEW, BEFORE = "stim", "stimulus"
"""Both names of openCARP's lists of stimuli."""
OLD = {
    "crct.type": "stimtype", "pulse.strength": "strength", "ptcl.start": "start", "ptcl.duration": "duration",
    "ptcl.npls": "npls", "ptcl.bcl": "bcl", "elec.vtx_file": "vtx_file",
}  # fmt: skip
"""What ``stimulus[…]`` calls a parameter of ``stim[…]``."""
USUAL_SIDE = 100.0
USUAL_RADIUS = 100.0
USUAL_PULSE = 1.0
TIMES, OTHERS = ("ptcl.stimlist",), ("crct.total_current", "pulse.shape", "pulse.bias", "crct.balance")
MOST_PULSES = 100_000


@dataclass(frozen=True)
class Electrodes:
    """Where vertex lists and the points that they number are: ``files`` by the names that the file has for them."""

    points: Path
    files: Mapping[str, Path]

    @cached_property
    def coordinates(self) -> Array:
        """(n, 3) [µm], read when a stimulus asks for them."""
        return read_points(self.points)


def vertex_files(file: Parameters) -> list[str]:
    """The lists of vertices that stimuli stand on, as the file names them, with their suffix."""
    found = [file.text(_called(group, "elec.vtx_file")) for group in _groups(file, _family(file))]
    return [_with_suffix(name) for name in dict.fromkeys(found) if name]


def stimuli_of(file: Parameters, ratio: float, electrodes: Electrodes, told: list[str]) -> list[Stimulus]:
    """``ratio``: membrane area per volume [1/mm]; what does not map is added to ``told``. Raises ProblemError."""
    found: list[Stimulus] = []
    family = _family(file)
    if family == NEW and _has_any(file, BEFORE):
        told.append(f"of both families of stimuli openCARP takes {NEW}[]: {BEFORE}[] is left out")
    for group in _groups(file, family):
        stimulus = _stimulus(file, group, ratio, electrodes, told)
        if stimulus is not None:
            taken = stimulus.name in {each.name for each in found}
            found.append(stimulus.model_copy(update={"name": group}) if taken else stimulus)
    return found


def _family(file: Parameters) -> str:
    """The one that counts: openCARP takes the older names where the newer ones stimulate nothing (``sim_utils.cc``)."""
    return NEW if _has_any(file, NEW) or not _has_any(file, BEFORE) else BEFORE


def _has_any(file: Parameters, family: str) -> bool:
    """Whether one of a family is of another kind than 0, or has a strength."""
    names = ("crct.type", "pulse.strength")
    return any(file.number(_called(group, name)) for group in _groups(file, family) for name in names)


def _groups(file: Parameters, family: str) -> list[str]:
    return [f"{family}[{number}]" for number in file.indices(family, "num_stim")]


def _called(group: str, name: str) -> str:
    """What a parameter of ``stim[…]`` is called in a group."""
    return f"{group}.{OLD.get(name, name) if group.startswith(BEFORE) else name}"


def _stimulus(file: Parameters, group: str, ratio: float, electrodes: Electrodes, told: list[str]) -> Stimulus | None:
    called = partial(_called, group)
    kind, strength = file.number(called("crct.type")), file.number(called("pulse.strength"))
    name = file.text(called("name"))[:80] or group
    listed = [each for each in TIMES if file.text(called(each))]
    listed += [
        each for each in OTHERS if file.number(called(each), 0.0 if each != "crct.balance" else -1.0) not in (0, -1)
    ]
    if kind != 0 or strength < 0 or listed:
        why = f"its type is {kind:g}" if kind != 0 else "its strength is below zero" if strength < 0 else listed[0]
        told.append(f"the stimulus {group} is left out ({why}): here currents flow into cells, at times by a period")
        return None
    site = _site(file, group, electrodes, told)
    if strength == 0 or site is None:
        return None
    duration, pulses = file.number(called("ptcl.duration"), USUAL_PULSE), file.number(called("ptcl.npls"), 1.0)
    period = file.number(called("ptcl.bcl"), 1000.0)
    start = file.number(called("ptcl.start"))
    if not (duration > 0 and period > 0 and start >= 0 and 0 <= pulses <= MOST_PULSES):
        raise ProblemError(f"The stimulus {group} has a time below zero, or too many pulses: correct it.")
    if file.entry(called("ptcl.duration")) is None:
        told.append(f"{group} says no duration: it is {USUAL_PULSE:g} ms")
    if group.startswith(BEFORE):
        told.append(f"pulses of {BEFORE}[] are truncated exponentials in openCARP: here they are square, as of {NEW}[]")
    amplitude = 10 * strength * ratio  # µA/cm² of membrane, 1/mm = 10/cm
    return Stimulus(
        name=name, site=site, start=start, duration=duration, amplitude=amplitude, pulses=max(1, round(pulses)),
        period=period,
    )  # fmt: skip


def _site(file: Parameters, group: str, electrodes: Electrodes, told: list[str]) -> Site | None:
    name = file.text(_called(group, "elec.vtx_file"))
    if name:
        return _around(_with_suffix(name), group, electrodes, told)
    if group.startswith(BEFORE):
        low = np.array([file.number(f"{group}.{axis}0") for axis in "xyz"])
        size = np.array([file.number(f"{group}.{axis}d", USUAL_SIDE) for axis in "xyz"])
        if file.number(f"{group}.ctr_def"):
            low = low - size / 2
        return _box(low, low + size)
    first, last = (np.array(file.place(f"{group}.elec.{name}")) for name in ("p0", "p1"))
    shape, radius = file.number(f"{group}.elec.geom_type", 2.0), file.number(f"{group}.elec.radius", USUAL_RADIUS)
    if shape == 1 and radius > 0:
        x, y, z = (first * MILLIMETRES).tolist()
        return Sphere(center=(x, y, z), radius=radius * MILLIMETRES)
    if shape == 3:
        told.append(f"the electrode of {group} is a cylinder: a box around it stands in its place")
        return _box(np.minimum(first, last) - radius, np.maximum(first, last) + radius)
    return _box(first, last)


def _around(name: str, group: str, electrodes: Electrodes, told: list[str]) -> Site | None:
    """The box around listed vertices, and how many others it holds."""
    path = electrodes.files.get(name)
    if path is None or not path.is_file():
        told.append(f"the stimulus {group} is left out: its list of vertices '{Path(name).name[:80]}' is not there")
        return None
    points = electrodes.coordinates
    chosen = read_vertices(path)
    if chosen.max() >= len(points):
        raise ProblemError(f"'{path.name}' names a vertex {chosen.max()}, and the mesh has {len(points):,} from 0 on.")
    low, high = points[chosen].min(axis=0), points[chosen].max(axis=0)
    inside = int(((points >= low) & (points <= high)).all(axis=1).sum())
    count = len(np.unique(chosen))
    if inside > count:
        told.append(f"the stimulus {group} is the box around its {count:,} listed vertices, which holds {inside:,}")
    return _box(low, high)


@guarded("cannot be read as a list of vertices: export it again as .vtx.")
def read_vertices(path: Path) -> Array:
    """(n,) int64, of openCARP's ``.vtx``: a count, ``intra`` or ``extra``, a number a line. Raises ProblemError."""
    words = path.read_text("utf-8", errors="replace").split()
    rest = words[1:]
    if rest and rest[0] in ("intra", "extra"):
        rest = rest[1:]
    if not words or not all(word.isdecimal() and len(word) < 12 for word in (words[0], *rest)):
        raise ProblemError(f"'{path.name}' is no list of vertices: a count, 'intra' or 'extra', then a number a line.")
    if len(rest) != int(words[0]) or not rest:
        raise ProblemError(f"'{path.name}' promises {words[0]} vertices and has {len(rest):,}: export it again.")
    return np.array(rest, np.int64)


def _box(low: Array, high: Array) -> Box:
    lower, upper = np.minimum(low, high) * MILLIMETRES - SLACK, np.maximum(low, high) * MILLIMETRES + SLACK
    return Box.model_validate({"lower": lower.tolist(), "upper": upper.tolist()})


def _with_suffix(name: str) -> str:
    return name if name.endswith(".vtx") else f"{name}.vtx"

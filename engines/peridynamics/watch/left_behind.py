"""What a crack has left behind: its path, when its tip was where, and the bonds that each particle has lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engines.api import Array, Lines
from engines.api.abilities import Axes

_ENDS: Axes = {"segment": "", "end": "", "component": np.array(list("xyz"))}
_PASSED: Axes = {"time": "crack/time of the tip"}
_PARTICLES: Axes = {"particle": ""}
CRACK_AXES: Mapping[str, Axes] = {
    "crack/path": _ENDS, "crack/displacement of the path": _ENDS, "crack/time of the tip": _PASSED,
    "crack/position of the tip": _PASSED, "bonds/particle": {**_PARTICLES, "component": _ENDS["component"]},
    "bonds/uncut": _PARTICLES, "bonds/broken": _PARTICLES,
}  # fmt: skip
"""What :func:`crack_results` are over."""


def crack_results(
    path: Lines, passed: Sequence[tuple[float, float]], time_unit: str, centers: Array, whole: Array, gone: Array
) -> dict[str, Array]:
    """Arrays by ``group/quantity [unit]``.

    passed: (time, position [mm]) each time the tip was farther. centers: (n, 3) [mm] of the particles before they
    moved, whole: (n,) bonds of each in the uncut body, gone: (n,) the part of them that does not hold, notches' too.
    """
    times = np.array(passed, float).reshape(-1, 2)
    moved = np.zeros_like(path.segments) if path.displacements is None else path.displacements
    return {
        "crack/path [mm]": path.segments,
        "crack/displacement of the path [mm]": moved,
        f"crack/time of the tip [{time_unit}]": times[:, 0],
        "crack/position of the tip [mm]": times[:, 1],
        "bonds/particle [mm]": np.asarray(centers, float),
        "bonds/uncut [1]": np.asarray(whole, np.int32),
        "bonds/broken [1]": np.rint(np.asarray(whole, float) * gone).astype(np.int32),
    }

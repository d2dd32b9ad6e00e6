"""What a crack has left behind: its path, when its tip was where, and the bonds that each particle has lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array, Lines


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

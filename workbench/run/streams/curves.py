"""The curves that a run has drawn, in a file beside its state."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from engines.api import Array
from engines.reading import foreign_file, opened_npz, read_npz
from workbench.storage.atomic import write_atomically
from workbench.storage.zips import write_npz

Curves = Mapping[tuple[str, ...], tuple[Array, Array]]
"""Times and values, by (series,) or (probe, field)."""
SUFFIX = ".curves"


Places = Mapping[str, Sequence[float]]
"""Where probes are, by their names."""


def write_curves(path: Path, curves: Curves, places: Places = MappingProxyType({})) -> None:
    """Raises StorageError."""
    keys = list(curves)
    told = {name: list(place) for name, place in places.items()}
    named: dict[str, Any] = {"names": np.array(json.dumps(keys)), "places": np.array(json.dumps(told))}
    for place, key in enumerate(keys):
        named[f"{place} 0"], named[f"{place} 1"] = curves[key]
    write_atomically(path, lambda stream: write_npz(stream, named))


def read_curves(
    path: Path,
    until: float = math.inf,
    places: Places | None = None,
    there: Callable[[Sequence[float], Sequence[float]], bool] = operator.eq,
) -> Curves:
    """What was drawn up to the time ``until``, without that of probes that are not in ``places`` now, or elsewhere
    (None: all of it). ``there`` says whether two places are one. Raises ProblemError."""
    with foreign_file(f"The curves '{path}' are damaged."), opened_npz(path) as archive:
        keys = [tuple(map(str, key)) for key in json.loads(str(read_npz(archive, "names.npy")))]
        before = {} if places is None else json.loads(str(read_npz(archive, "places.npy")))
        stay = {name for name in before if places and name in places and there(before[name], list(places[name]))}
        found = {}
        for place, key in enumerate(keys):
            if len(key) > 1 and places is not None and key[0] not in stay:
                continue
            times, values = read_npz(archive, f"{place} 0.npy"), read_npz(archive, f"{place} 1.npy")
            found[key] = times, values
        return drawn_until(until, found)


def drawn_until(time: float, curves: Curves) -> Curves:
    known = {key: times <= time * (1 + 1e-9) for key, (times, _) in curves.items()}
    return {key: (times[known[key]], values[known[key]]) for key, (times, values) in curves.items()}

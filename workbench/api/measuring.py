"""Kernels measured on this machine: the studies of the Kernel Lab."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engines.api import registry
from workbench.api.names import Named
from workbench.api.notebook import Listed
from workbench.api.runs.progress import Progress, shown
from workbench.api.runs.starting import opened_backend
from workbench.bench.lab import Lab, chosen_studies


def studies() -> Named[str]:
    """Titles of the studies of the Kernel Lab, by the names that :func:`study` takes."""
    found = {one.id: one.title for engine in registry.engines().values() for one in engine.studies()}
    return Named("study", found, found.__getitem__)


def study(
    name: str,
    *,
    cases: Sequence[str] = (),
    device: str = "auto",
    quick: bool = False,
    progress: bool | Progress = False,
) -> Listed[Any]:
    """Measure the variants of a study, each compared with the float64 reference before it is timed.

    ``cases``: names of sizes, which are all measured (none: what suits the device); ``quick``: of each variant one
    launch shape and fewer repetitions, and without ``cases`` one size. Of each: ``title``, ``case``, ``seconds`` a
    launch (median), ``bytes_per_second``, ``fraction`` of the measured ceiling, ``error``, and ``refused``: why there
    is no figure. Raises ProblemError that lists what there is.
    """
    chosen = chosen_studies(list(registry.engines().values()), [name], cases)
    parts = [replace(one, cases=[case]) for one in chosen for case in one.cases] if cases else chosen
    with opened_backend(device) as backend, shown(progress) as show:
        return Listed(Lab(backend, quick=quick, progress=show).run(parts))

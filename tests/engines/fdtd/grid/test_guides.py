"""A guide near and below its cut-off between absorbing layers: what is said, and that it is so."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.yee import SPEED_OF_LIGHT
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.verification.runs import results_of

WIDTH, CELLS, LAYER, BEHIND = 1.0, 20, 10, 11.5
WALLS = {"y_low": "PEC", "y_high": "PEC", "layer": LAYER}


def guide(ahead: float, **changes) -> FdtdParameters:
    """A plane between conductors with a source and a trace half a width from it, ``ahead`` of which is a layer."""
    at = LAYER / CELLS + BEHIND
    length = 2 * at + 0.5 + ahead - BEHIND
    given = {
        "grid": {"dimensions": "2D", "cells_x": round(length * CELLS), "cells_y": CELLS, "size_x": length,
                 "size_y": WIDTH},
        "faces": WALLS,
        "objects": [],
        "sources": [{"kind": "dipole", "place": (at, 0.5, 0.0), "axis": "z",
                     "signal": {"kind": "pulse", "wavelength": 2.0, "cycles": 1.5}}],
        "monitors": [{"kind": "trace", "place": (at + 0.5, 0.5, 0.0), "every": 2}],
        "numerics": {"precision": "fp64"},
    }  # fmt: skip
    return FdtdParameters.model_validate({**given, **changes})


def told(parameters: FdtdParameters) -> list:
    found = FdtdEngine().estimate(Problem(parameters), CpuBackend()).findings
    return [each for each in found if "fade instead of travelling" in each.message]


@pytest.mark.slow
def test_what_a_layer_does_below_cut_off():
    """Short less long; what rings at the cut-off is weighed down at the end."""
    spectra, until, relative = [], 3000.0, np.array([0.9, 0.95, 0.98, 1.02, 1.1])
    for ahead in (0.1, 8.0):
        found = results_of(guide(ahead), CpuBackend(), until)
        t, field = found["trace/time of E"], found["trace/Ez"]
        late = np.cos(np.pi * (np.clip(2 * t / until, 1, 2) - 1) / 2) ** 2
        spectra.append(np.exp(1j * np.pi * SPEED_OF_LIGHT / WIDTH * relative[:, None] * t) @ (field * late))
    wrong = np.abs(spectra[0] / spectra[1] - 1)
    assert wrong[:-1] == pytest.approx((0.022, 0.063, 0.18, 0.023), rel=0.1)
    assert wrong[-1] < 1e-3


def test_guides_are_told_of():
    (said,) = told(guide(0.1))
    assert "below 149.9 THz" in said.message
    assert said.place == ("faces", "x_high")
    assert said.severity == "info"
    slow = {"kind": "continuous", "wavelength": 2.4}
    source = {"kind": "dipole", "place": (6.0, 0.5, 0.0), "axis": "z"}
    (said,) = told(guide(0.1, sources=[{**source, "signal": slow}]))
    assert said.severity == "warning"
    fast = {"kind": "continuous", "wavelength": 1.0}
    assert not told(guide(0.1, sources=[{**source, "signal": fast}]))


@pytest.mark.parametrize(
    "changes",
    [
        {"faces": {**WALLS, "y_high": "PMC"}},  # that has a lower one, which nobody computes
        {"faces": {"x_low": "PEC", "x_high": "PEC", "y_low": "PEC", "y_high": "PEC"}},  # a cavity
        {"sources": [{"kind": "dipole", "place": (6.0, 0.5, 0.0), "axis": "y"}]},  # a wave between plates
    ],
)
def test_what_is_no_guide_is_not(changes):
    assert not told(guide(0.1, **changes))

"""Cells that are too large for the waves: which, how small is small enough, and that this does."""

import re

import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import Box, FdtdParameters, GridSetting, Material, PlaneMonitor, Pulse, WaveSource
from engines.fdtd.parameters.monitors import Frequencies

ENGINE, BACKEND = FdtdEngine(), CpuBackend()


@pytest.mark.parametrize("wavelength", [0.5483, 0.5, 0.4567, 0.6])
def test_what_is_asked_for_is_small_enough(wavelength):
    """It said "at most 0.05 µm" of cells of 0.05 µm; across the wave, which is in the glass the shortest."""
    signal = Pulse(wavelength=wavelength, cycles=1.5)
    parameters = FdtdParameters(
        grid=GridSetting(dimensions="2D", cells_x=300, cells_y=40, size_x=4.5, size_y=4.0),
        materials=[Material(permittivity=2.25)], objects=[Box(low=(2, -9, -9), high=(2.3, 9, 9))],
        sources=[WaveSource(signal=signal)], monitors=[],
    )  # fmt: skip
    with pytest.raises(ProblemError, match=r"shortest wavelength, 0\.\d+ µm in an object, .* cells along y: ") as error:
        ENGINE.estimate(Problem(parameters), BACKEND)
    largest = float(re.search(r"at most ([\d.]+) µm", str(error.value))[1])
    parameters.grid.size_y = 40 * largest
    ENGINE.estimate(Problem(parameters), BACKEND)
    parameters.grid.size_y = 40 * largest * 1.01
    with pytest.raises(ProblemError, match="use cells of at most"):
        ENGINE.estimate(Problem(parameters), BACKEND)


def test_a_plane_at_wavelengths_that_no_source_has_is_told_so():
    plane = PlaneMonitor(
        name="through", position=3.2, measures="transmission", frequencies=Frequencies(first=9, last=12)
    )
    parameters = FdtdParameters(
        grid=GridSetting(dimensions="1D", cells_x=400, size_x=4.0), objects=[],
        sources=[WaveSource(signal=Pulse(wavelength=0.4, cycles=12))], monitors=[plane],
    )  # fmt: skip
    with pytest.raises(ProblemError, match=r"Nothing comes to 'through' .* have nothing at its wavelengths"):
        ENGINE.build(Problem(parameters), BACKEND)

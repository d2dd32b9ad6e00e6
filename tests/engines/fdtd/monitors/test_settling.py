"""What a run says at its end: spectra that have not settled, and R + T that cannot be."""

from __future__ import annotations

import re

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import (
    Box,
    BoxMonitor,
    Ending,
    Faces,
    FdtdParameters,
    Frequencies,
    Gaussian,
    GridSetting,
    Material,
    PlaneMonitor,
    PointSource,
    Pulse,
    WaveSource,
)
from tests.cuda_on_host import COMPILER, HostCudaBackend
from workbench.export.chart_tables import chart_text

LINE = GridSetting(dimensions="1D", cells_x=170, size_x=4.0)
BAND = Frequencies(first=0.9, last=1.2, count=7)
SLAB = Box(low=(1.8, -9, -9), high=(2.2, 9, 9))


@pytest.fixture(
    scope="module",
    params=["cpu", pytest.param("cuda", marks=pytest.mark.skipif(COMPILER is None, reason="no C++ compiler"))],
)
def backend(request):
    return CpuBackend() if request.param == "cpu" else HostCudaBackend()


def slab(backend, permittivity=2.25, conductivity=0.0, planes=(), ending=None):
    both = [
        PlaneMonitor(name="R", position=0.6, measures="reflection", frequencies=BAND),
        PlaneMonitor(name="T", position=3.2, measures="transmission", frequencies=BAND),
    ]
    parameters = FdtdParameters(
        grid=LINE, materials=[Material(permittivity=permittivity, conductivity=conductivity)], objects=[SLAB],
        sources=[WaveSource(signal=Pulse(wavelength=1.0, cycles=1.5))], monitors=[*both, *planes],
        ending=ending or Ending(),
    )  # fmt: skip
    return FdtdEngine().build(Problem(parameters), backend)


def test_planes_one_behind_the_other_have_a_t_each(backend):
    """The same power crosses both: neither T is another for the plane behind it, and R + T is of two planes alone."""
    one = slab(backend)
    behind = PlaneMonitor(name="behind", position=3.3, measures="transmission", frequencies=BAND)
    two = slab(backend, planes=[behind])
    for simulation in (one, two):
        until(simulation, 100.0)
    single, found = one.results(), two.results()
    for name in ("T", "behind"):  # all over the largest of what comes to either plane, 2e-5 more
        np.testing.assert_allclose(found[f"balance/T, {name}"], single["balance/T"], rtol=1e-4)
    assert [curve.title for curve in two.chart("balance").curves] == ["R", "T, T", "T, behind"]
    assert not {"balance/T", "balance/R + T", "balance/A"} & set(found)
    (info,) = (info for info in two.charts if info.name == "balance")
    assert dict(info.words)["T, behind"] == "Transmission, behind"
    assert messages(two) == []


def test_what_parts_of_the_pulse_have_too_little_is_told_before_the_run(backend):
    """The wavelengths that R and T leave out are as many as was said, and the button's range has none of them."""
    band = Frequencies(first=0.6, last=2.0, count=57)
    plane = PlaneMonitor(name="T", position=3.2, measures="transmission", frequencies=band)
    parameters = FdtdParameters(
        grid=LINE, objects=[SLAB], sources=[WaveSource(signal=Pulse(wavelength=1.0, cycles=1.5))], monitors=[plane]
    )

    def told():
        findings = FdtdEngine().estimate(Problem(parameters), backend).findings
        return [each for each in findings if "nothing will be shown" in each.message]

    (found,) = told()
    simulation = FdtdEngine().build(Problem(parameters), backend)
    until(simulation, 100.0)
    missing = int(np.isnan(simulation.results()["balance/T"]).sum())
    assert missing > 3
    assert f"nothing will be shown at {missing} of 57 wavelengths" in found.message
    for (_, _, _, end), value in found.remedy.changes.items():
        setattr(band, end, value)
    assert told() == []
    plane.measures = "power"
    band.first, band.last = 0.6, 2.0
    assert told() == [], "power is shown wherever there is some"


def messages(simulation) -> list[str]:
    return [finding.message for finding in simulation.noticed()]


def until(simulation, time: float) -> None:
    simulation.advance(round(time / simulation.dt) - simulation.step)


def test_spectra_that_have_not_settled_are_told_until_they_have():
    """The pulse lasts 45 fs and crosses the line in 14: at 40 fs it is under way; a slab of n = 1.5 keeps 4 % of E in
    each reflection, so that after 100 fs nothing is left."""
    simulation = slab(CpuBackend())
    until(simulation, 5.0)  # the field grows: all of it is there, and no more than that
    (*_, growing) = messages(simulation)
    assert ": the sources are not over, and 100 % of the largest field energy" in growing
    assert "wrong by about 100 %." in growing
    until(simulation, 35.0)
    (*_, early) = messages(simulation)
    assert "Spectra have not settled: the sources are not over" in early
    until(simulation, 100.0)
    assert messages(simulation) == []
    energies = simulation.chart("balance").curves[2].y
    assert np.abs(energies - 1).max() < 2e-3


@pytest.mark.parametrize(
    ("ending", "advice", "changes"),
    [
        ({}, "switch on the end at decay", {("ending", "at_decay"): True}),
        ({"at_decay": True}, "take the end away that is set", {}),
        ({"at_decay": True, "part": 0.01}, "let it end at 1e-05 of the largest energy", {("ending", "part"): 1e-5}),
    ],
)
def test_the_advice_of_spectra_that_have_not_settled_is_none_that_is_followed_already(ending, advice, changes):
    simulation = slab(CpuBackend(), ending=Ending(**ending))
    until(simulation, 35.0)
    (told,) = [each for each in simulation.noticed() if "not settled" in each.message]
    assert f"Run longer, or {advice}" in told.message
    assert (dict(told.remedy.changes), told.remedy.without_end) == (changes, True)


def test_r_and_t_are_nothing_until_the_pulse_is_over_and_come_with_a_word_until_they_settle(backend):
    """What a plane of R has is less the whole incident wave from the start, so that R is 1 and T 0 before any pulse."""
    simulation = slab(backend, permittivity=16.0)

    def seen():
        data = simulation.chart("balance")
        finite = [np.isfinite(curve.y).any() for curve in data.curves]
        assert np.isfinite(simulation.results()["balance/R"]).any() == finite[0]
        return finite, data.note

    nothing = [False] * 4
    for time in (0.0, 20.0, 44.0):
        until(simulation, time)
        assert seen() == (nothing, "Not yet: the pulse lasts until 45.03 fs.")
        assert chart_text(simulation.charts[0], simulation.chart("balance")).startswith("# Not yet: ")
    until(simulation, 60.0)
    shown, note = seen()
    assert shown == [True] * 4
    assert re.fullmatch(r"Not settled: [\d.]+ % of the field energy is left\.", note)
    assert simulation.chart("source spectrum").note == "", "which is known before"
    assert simulation.chart("monitor_1_energy").note == note
    until(simulation, 400.0)
    assert seen() == ([True] * 4, "")


def test_a_slab_that_rings_on_is_told_with_what_is_left(backend):
    """n = 4: at 60 fs light is still going to and fro in it; both R + T and the energy say so."""
    simulation = slab(backend, permittivity=16.0)
    until(simulation, 60.0)
    balance, settled = messages(simulation)
    assert "% of the largest field energy is still in the grid" in settled
    assert balance.startswith("R + T is ")
    assert "nothing here absorbs" in balance


def test_a_run_that_goes_on_says_what_an_unbroken_one_says(backend):
    """Also where the largest energy was seen before the checkpoint, after which nobody looks at it any more."""
    whole, other = (slab(backend, permittivity=16.0) for _ in range(2))
    until(whole, 58.0)
    other.restore(whole.state())
    for each in (whole, other):
        until(each, 60.0)
    assert len(messages(whole)) == 2
    assert messages(other) == messages(whole)


def test_what_absorbs_may_have_less_than_one():
    simulation = slab(CpuBackend(), conductivity=2000.0)
    until(simulation, 100.0)
    assert simulation.chart("balance").curves[2].y.max() < 0.9
    assert messages(simulation) == []


def test_a_charge_that_stays_is_no_field_that_rings():
    """A Gaussian current without a carrier leaves charges, whose static energy stays in the grid."""
    grid = GridSetting(dimensions="2D", cells_x=50, cells_y=50, size_x=2.5, size_y=2.5)
    parameters = FdtdParameters(
        grid=grid, objects=[],
        sources=[PointSource(place=(1.25, 1.25, 2.0), axis="y", signal=Gaussian(wavelength=0.6))],
        monitors=[BoxMonitor(low=(0.8, 0.8, 0), high=(1.7, 1.7, 4), frequencies=BAND)], faces=Faces(),
    )  # fmt: skip
    simulation = FdtdEngine().build(Problem(parameters), CpuBackend())
    until(simulation, 40.0)
    energies = simulation.observe()
    assert energies["electric"] > 1e3 * energies["magnetic"] > 0
    assert messages(simulation) == []

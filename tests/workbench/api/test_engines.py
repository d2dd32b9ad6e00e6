"""A problem of each engine from a script: what comes out, from its own script too, and where it stands."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import workbench as wb
from engines.api import registry
from tests.workbench.api.test_script import made

CHEAP = {
    "battery": ("one_particle", 1.0, ()),
    "cardiac": ("small_slab", 0.2, ("voltage", "calcium", "activation")),
    "fdtd": ("fdtd_slab", 1.0, ("Ez", "E", "Hx", "H", "material")),
    "peridynamics": ("crack_branching", 0.1, ("damage", "velocity", "energy", "von_mises")),
    "spiking": ("cuba_4000", 1.0, ("voltage", "g_e")),
    "stencil": ("sine_mode", 0.01, ("u", "source")),
}
"""A problem of each engine, how far it is run, and fields that stand in arrays of the device."""

REFUSED = {"battery": "stoichiometry", "spiking": "activity"}
"""Fields that are made on the host, of several arrays."""


@pytest.fixture(scope="module", params=sorted(CHEAP))
def ran(request) -> Iterator[tuple[wb.Project, wb.Run, tuple[str, ...]]]:
    preset, until, on_device = CHEAP[request.param]
    project = wb.open(preset)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wb.WorkbenchWarning)
        with project.run(until=until, device="cpu") as run:
            yield project, run, on_device


def test_each_engine_has_a_problem_here():
    assert set(CHEAP) == set(registry.engines())


def test_the_problem_that_its_script_makes_runs_to_the_same_answer(ran):
    project, run, _ = ran
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wb.WorkbenchWarning)
        with made(wb.script(project, of_defaults=True)).run(until=run.time, device="cpu") as other:
            assert other.step == run.step
            for info in run.fields:
                assert other.field(info.name).tobytes() == run.field(info.name).tobytes(), info.name


def test_fields_can_stay_on_the_device_and_those_that_cannot_say_so(ran):
    project, run, on_device = ran
    for name in on_device:
        host, array = np.asarray(run.field(name)), run.field(name, on_device=True)
        assert array.shape == host.shape
        np.testing.assert_allclose(array, host, rtol=2e-6, atol=1e-6 * np.nan_to_num(np.abs(host)).max())
    if project.engine in REFUSED:
        with pytest.raises(wb.ProblemError, match="leave out on_device"):
            run.field(REFUSED[project.engine], on_device=True)


def test_its_series_are_curves_and_its_charts_are_there(ran):
    project, run, _ = ran
    assert all(len(curve) for name, curve in run.curves.items() if "/" not in name)
    assert set(run.charts) == {chart.name for chart in run._runner.info.charts}
    assert run.charts or project.engine == "stencil"
    for info in run._runner.info.charts:
        names = [curve.name for curve in run.charts[info.name]]
        assert names == [*info.series, *info.lines] if info.series else all(names), info.name

"""A measured discharge: the numbers that made it are found again, and what cannot be fitted is told."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters
from engines.battery.tools.fitting import FitParameters, FitToDischarge, Number

CELL = {
    "protocol": ["Discharge at 1C for 20 minutes", "Rest for 5 minutes", "Discharge at 2C until 2.5 V"],
    "numerics": {"step": 10.0, "precision": "fp64"},
}
TRUE = {"negative_diffusivity": 2.1e-14, "contact_resistance": 0.013}
LOOKED_FOR = [
    Number(name="negative_diffusivity", low=1e-14, high=1e-13),
    Number(name="contact_resistance", low=0.0, high=0.05),
]


@pytest.fixture(scope="module")
def backend():
    opened = CpuBackend()
    yield opened
    opened.close()


def battery(**changed):
    return BatteryParameters.model_validate(CELL | changed)


@pytest.fixture(scope="module")
def measured(backend, tmp_path_factory):
    """Written of the engine's own run of a cell with other numbers."""
    changes = [{"parameter": name, "value": value} for name, value in TRUE.items()]
    simulation = BatteryEngine().build(Problem(battery(changes=changes)), backend)
    rows = []
    while not simulation.finished:
        simulation.advance(3)
        rows.append((simulation.time, simulation.observe()["voltage"]))
    simulation.close()
    path = tmp_path_factory.mktemp("measured") / "discharge.csv"
    path.write_text("time [s],voltage [V]\n" + "".join(f"{time},{voltage}\n" for time, voltage in rows[:-1]))
    return path


def test_the_numbers_of_the_cell_that_was_measured_are_found(measured, backend):
    asked = FitParameters(measured=str(measured), numbers=LOOKED_FOR, candidates=7)
    problem = Problem(battery(changes=[{"parameter": "negative_particle_radius", "value": 5.86e-6}]))
    result = FitToDischarge().run(problem, asked, backend)
    found = {change.parameter: change.value for change in result.parameters.changes}
    assert found.pop("negative_particle_radius") == 5.86e-6
    assert found == pytest.approx(TRUE, rel=2e-3)
    rms = next(fact.value for fact in result.facts if fact.title == "Root mean square")
    assert rms < 0.05  # mV
    measured_curve, fit = result.charts[0][1].curves
    assert np.abs(fit.y - measured_curve.y).max() < 2e-4


def test_a_range_without_the_number_is_told(measured, backend):
    asked = FitParameters(measured=str(measured), numbers=[Number(name="contact_resistance", low=0.03, high=0.05)])
    assert (
        "stopped at an end of its range: widen it" in FitToDischarge().run(Problem(battery()), asked, backend).message
    )


def test_what_cannot_be_fitted_is_told(measured, backend, tmp_path):
    tool = FitToDischarge()
    with pytest.raises(ProblemError, match="model SPM or SPMe instead of MPM"):
        tool.defaults(Problem(battery(model="MPM")))
    with pytest.raises(ProblemError, match="measured voltage has no file"):
        tool.run(Problem(battery()), FitParameters(), backend)
    with pytest.raises(ProblemError, match="let the second be larger"):
        tool.outlook(Problem(battery()), FitParameters(numbers=[Number(low=2.0, high=1.0)]))
    with pytest.raises(ProblemError, match="is there twice"):
        tool.outlook(Problem(battery()), FitParameters(numbers=[Number(), Number()]))


def test_a_time_that_is_a_date_is_refused(backend, tmp_path):
    """Seconds since 1970, as data loggers write them: 203 GiB would have been asked for."""
    path = tmp_path / "logged.csv"
    path.write_text("time,voltage\n1700000000,4.1\n1700000010,4.0\n")
    with pytest.raises(
        ProblemError, match=r"goes on to 1\.7e\+09 s, which is 1\.7e\+08 time steps: count its time from"
    ):
        FitToDischarge().run(Problem(battery()), FitParameters(measured=str(path), numbers=LOOKED_FOR), backend)


def test_points_after_the_end_of_the_protocol_are_told(measured, backend, tmp_path):
    asked = FitParameters(measured=str(measured), numbers=LOOKED_FOR[:1], candidates=3, zooms=1)
    assert "after the end of the protocol" not in FitToDischarge().run(Problem(battery()), asked, backend).message
    lines = measured.read_text().splitlines()
    last, rests = float(lines[-1].split(",")[0]), len(lines)
    longer = tmp_path / "longer.csv"
    longer.write_text("\n".join([*lines, *(f"{last + 100 * k},3.0" for k in range(1, rests))]))
    told = FitToDischarge().run(Problem(battery()), asked.model_copy(update={"measured": str(longer)}), backend).message
    assert "of the points come after the end of the protocol at" in told

"""What is known of each case before its run: the findings of an estimate, without what only times it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.backend import open_backend
from engines.backend.pace import unmeasured
from tests.workbench.sweep.plans import plan_of
from workbench.project.presets import open_named
from workbench.sweep.workers import run_sweep


def test_a_case_is_built_to_be_run_and_not_to_be_timed(monkeypatch):
    """Where whole numbers were varied each case was built twice and tried for a tenth of a second, ten times as long as
    it ran, which stood in its wall time too."""
    document = open_named("heat_on_a_plate")
    built, engine = [], type(document.engine)
    build = engine.build

    def counted(self, problem, *others):
        built.append(problem.parameters.grid.cells_x)
        return build(self, problem, *others)

    monkeypatch.setattr(engine, "build", counted)
    plan = plan_of(document, ("grid.cells_x", "16,24,32"), until=0.01)
    rows = list(run_sweep(plan, open_backend("cpu")))
    assert built == [16, 24, 32]
    assert [row.error for row in rows] == [""] * 3


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("heat_on_a_plate", {"equation.source": 0.02}),
        ("typed_fisher", {}),
        ("small_slab", {"tissue.sigma_il": 0.04}),
        ("fdtd_slab", {"grid.cells_x": 210}),
        ("cuba_4000", {"numerics.step": 0.4}),
        ("plate_with_a_hole", {}),
        ("one_particle", {}),
        ("hundred_cycles", {}),
        ("voltage_losses", {}),
        ("pack_cooling", {}),
    ],
)
def test_what_is_noticed_does_not_hang_on_how_long_a_step_takes(preset, changes):
    document = open_named(preset)
    for name, value in changes.items():
        document.parameters = plan_of(document, (name, str(value))).parameters((value,))
    problem, backend = document.complete_problem(), open_backend("cpu")
    with unmeasured():
        found = document.engine.estimate(problem, backend)
    whole = document.engine.estimate(problem, backend)
    assert replace(found, seconds_per_simulated_unit=None) == replace(whole, seconds_per_simulated_unit=None)
    assert not changes or any(each.severity == "warning" for each in found.findings)

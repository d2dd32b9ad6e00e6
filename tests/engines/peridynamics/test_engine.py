"""The engine as the application uses it: energies, checkpoints, what is refused, crack branching."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.watch.energies import LOOKED_WITH

ENGINE = PeridynamicsEngine()
SMALL = {
    "body": {"kind": "plate", "size_x": 40, "size_y": 16},
    "bonds": {"spacing": 1.0},
    "notches": [{"start": (0, 8), "end": (20, 8)}],
    "material": {"fracture_energy": 10.0},
    "loads": [
        {"kind": "stress", "side": "top", "stress": (0, 6, 0)},
        {"kind": "stress", "side": "bottom", "stress": (0, -6, 0)},
    ],
}


def problem(**changes) -> Problem:
    return Problem(PeridynamicParameters.model_validate({**SMALL, **changes}))


def test_what_is_looked_with_fits_into_the_memory_that_is_set_aside(cpu):
    """An estimate that leaves it out lets a body begin that has no room for its energies. Beside it: 20 kB of the
    simulation's own."""
    given = problem(body={"kind": "plate", "size_x": 300, "size_y": 100}, numerics={"damping": 1e4})
    run = ENGINE.build(given, cpu)
    for _ in range(2):  # first, kernels are compiled
        run.advance(1)
        tracemalloc.start()
        run.observe()
        for name in ("damage", "energy", "displacement", "velocity"):
            run._values(name)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    size = run._solver.body.size
    assert 4 * size < most <= LOOKED_WITH * 4 * size + 20_000


@pytest.mark.parametrize("damping", [0.0, 1e4])
def test_energy_is_balanced_while_the_crack_runs(cpu, damping):
    """VERIFICATION asks for 0.1 % of the work. At the default step it is 0.003 %: the balance of velocity Verlet with
    bonds that break is exact but for bonds that turn or are not linear any more, and rounding."""
    run = ENGINE.build(problem(numerics={"damping": damping}), cpu)
    worst = 0.0
    for _ in range(8):
        run.advance(12)
        seen = run.observe()
        worst = max(worst, seen["imbalance"])
    assert seen["bonds"] > 100
    assert seen["tip"] > 23
    assert seen["broken"] > 0.01 * seen["work"]
    assert worst <= 0.003
    assert (seen["damped"] > 0.05 * seen["work"]) == (damping > 0)
    run.close()


def test_a_restored_run_goes_on_bit_for_bit(device):
    run = ENGINE.build(problem(), device)
    run.advance(60)
    run.observe()
    state = {name: np.array(values) for name, values in run.state().items()}
    again = ENGINE.build(problem(), device)
    again.restore(state)
    for one in (run, again):
        one.advance(5)
    for info in run.fields:
        assert np.array_equal(run.field(info.name), again.field(info.name), equal_nan=True), info.name
    assert run.observe() == again.observe()


def test_materials_influence_and_surfaces_reach_the_kernels(cpu):
    """A stiffer, heavier half: sound crosses it by its own speed, and energy is balanced."""
    changes = {
        "bonds": {"spacing": 1.0, "influence": "triangular", "partial_volumes": True, "surface_correction": True},
        "materials": [
            {"young": 144, "density": 4880, "region": {"kind": "box", "low": (20, 0, 0), "high": (40, 16, 0)}}
        ],
        "interfaces": [{"fracture_energy": 0.1}],
        "notches": [],
        "numerics": {"safety": 0.3},
    }
    run = ENGINE.build(problem(**changes), cpu)
    run.advance(100)
    seen = run.observe()
    assert seen["bonds"] > 0  # of the weak interface alone
    assert seen["imbalance"] < 0.3
    broken = run.geometry.positions[run.field("damage") > 0, 0]
    assert broken.min() > 16
    assert broken.max() < 24


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"bonds": {"spacing": 1.0, "reach": 1}}, "use 2 or 3"),
        ({"numerics": {"step": 5.0}}, "use at most"),
        ({"notches": [{"start": (1, 1), "end": (1, 1)}]}, "begins where it ends"),
        ({"unbreakable": [{"kind": "box", "low": (90, 0, 0), "high": (95, 5, 0)}]}, "holds no particle"),
        ({"loads": [{"kind": "velocity"}, {"kind": "velocity"}]}, "not overlap"),
        ({"body": {"kind": "plate", "size_x": 1, "size_y": 1}}, "smaller spacing"),
        ({"interfaces": [{}]}, "add a material"),
        ({"materials": [{}], "interfaces": [{"second": 2}]}, "the last one is 1"),
    ],
)
def test_what_cannot_run_is_refused(cpu, changes, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.build(problem(**changes), cpu)


@pytest.mark.slow
def test_crack_branching(cpu):
    """VERIFICATION: growth from 8.4 us, branched at 22.0 us and x = 68.2 mm; mirror-symmetric to the last bit.

    Growth: the tip is a horizon beyond the notch. At 22.0 us the tip is within two spacings of 68.2 mm and there are
    two arms. 5 %: how a start is told differs by as much.
    """
    run = ENGINE.build(Problem(PeridynamicParameters.model_validate({"numerics": {"step": 0.05}})), cpu)
    positions = run.geometry.positions
    growth = None
    while run.time < 22.0 - 1e-9:
        run.advance(2)
        damaged = positions[run.field("damage") >= 0.35]
        if growth is None and damaged[:, 0].max() > 51.0:
            growth = run.time
    assert growth == pytest.approx(8.4, rel=0.05)
    assert damaged[:, 0].max() == pytest.approx(68.2, abs=2 / 3)
    at_tip = damaged[damaged[:, 0] > damaged[:, 0].max() - 1.0, 1]
    assert np.ptp(at_tip) > 2.0
    run.advance(460)
    for name in ("damage", "displacement", "velocity", "energy"):
        plane = run.field(name).reshape(120, 300)
        assert (plane == plane[::-1]).all(), name

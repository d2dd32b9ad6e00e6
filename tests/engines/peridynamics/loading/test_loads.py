"""What acts and what is measured: histories, forces, supports, gauges, tables from files."""

from pathlib import Path

import numpy as np
import pytest
from pydantic import TypeAdapter

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.loading.histories import share, share_integral
from engines.peridynamics.parameters import Load, PeridynamicParameters
from engines.peridynamics.parameters.loading.histories import History
from engines.tables.files import read_table

ENGINE = PeridynamicsEngine()
BAR = {
    "body": {"kind": "plate", "size_x": 24, "size_y": 8},
    "bonds": {"spacing": 1.0},
    "notches": [],
    "unbreakable": [],
    "material": {"fracture_energy": 1e6},
    "numerics": {"precision": "fp64", "integrator": "Euler-Cromer"},
}


def problem(**changes):
    return Problem(PeridynamicParameters.model_validate({**BAR, **changes}))


def built(backend, **changes):
    return ENGINE.build(problem(**changes), backend)


def history(given):
    return TypeAdapter(History).validate_python(given)


@pytest.fixture
def table(tmp_path):
    """A history in a file: begins before 0, stops at 1.5 from 30 us on."""
    path = tmp_path / "history.csv"
    path.write_text("time; value\n# pulled twice\n-5; 0\n10; 1\n\n15; 0.5\n30; 1.5\n", "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("given", "time", "value"),
    [
        ({"kind": "sudden"}, 0.0, 1.0),
        ({"kind": "smooth step", "rise": 20}, 10.0, 0.5),
        ({"kind": "ramp", "rise": 20}, 5.0, 0.25),
        ({"kind": "ramp", "rise": 20}, 25.0, 1.0),
        ({"kind": "constant rate", "time": 20}, 40.0, 2.0),
        ({"kind": "sine", "period": 16, "cycles": 2}, 20.0, 1.0),
        ({"kind": "sine", "period": 16, "cycles": 2}, 36.0, 0.0),
        ({"kind": "half-sine pulse", "duration": 12}, 6.0, 1.0),
        ({"kind": "half-sine pulse", "duration": 12}, 18.0, 0.0),
        ({"kind": "file"}, 20.0, 0.5 + 1 / 3),
        ({"kind": "file"}, 35.0, 1.5),
    ],
)
def test_histories_and_their_integrals(given, time, value, table):
    """The integral is that of the trapezoids of 40,000 points: 1e-7 of its length."""
    one = history({**given, "path": table} if given["kind"] == "file" else given)
    assert share(one, np.array([time * 1e-6]))[0] == pytest.approx(value, abs=1e-12)
    times = np.linspace(0, 40e-6, 40_001)
    values = share(one, times)
    trapezoids = np.concatenate([[0], np.cumsum((values[1:] + values[:-1]) / 2)]) * times[1]
    assert np.abs(share_integral(one, times) - trapezoids).max() <= 1e-7 * times[-1]


TYPED = [
    ({"kind": "sudden"}, ["f = 1"]),
    ({"kind": "smooth step", "rise": 20}, ["x = min(t/20, 1)", "f = x**3*(10 - 15*x + 6*x**2)"]),
    ({"kind": "ramp", "rise": 20}, ["f = min(t/20, 1)"]),
    ({"kind": "constant rate", "time": 30}, ["f = t/30"]),
    ({"kind": "sine", "period": 16}, ["turn = 2*pi", "f = sin(turn*t/16)  # without end"]),
    ({"kind": "half-sine pulse", "duration": 12}, ["f = sin(pi*t/12) if t < 12 else 0"]),
]


@pytest.mark.parametrize(("given", "lines"), TYPED)
def test_a_typed_history_is_the_built_in_one_to_rounding(given, lines):
    """And its integral, whichever times are asked for, in whatever order; kinks are where panels end."""
    right, mine = history(given), history({"kind": "formula", "lines": lines})
    times = np.random.default_rng(1).random(500) * 70e-6
    np.testing.assert_allclose(share(mine, times), share(right, times), rtol=1e-12, atol=1e-14)
    whole = share_integral(mine, times)
    np.testing.assert_allclose(whole, share_integral(right, times), rtol=1e-12, atol=1e-18)
    again = history({"kind": "formula", "lines": [*lines, "", "# the same"]})
    parts = [share_integral(again, part) for part in np.split(np.sort(times), [10, 11, 300])]
    np.testing.assert_array_equal(np.concatenate(parts), whole[times.argsort()])


@pytest.mark.parametrize("load", [
    {"kind": "force", "region": {"kind": "side", "side": "right"}, "force": (200.0, 0, 0)},
    {"kind": "velocity", "region": {"kind": "side", "side": "right"}, "x": 2.0, "y": None},
])  # fmt: skip
def test_a_body_moves_alike_under_a_typed_history(device, load):
    """To some roundings of fp64, after 60 steps."""
    given, lines = TYPED[2]
    moved = []
    for each in (given, {"kind": "formula", "lines": lines}):
        run = built(device, loads=[{**load, "history": each}])
        run.advance(60)
        moved.append(np.asarray(run.state()["u"]))
    assert np.abs(moved[0]).max() > 0
    np.testing.assert_allclose(moved[1], moved[0], rtol=0, atol=1e-11 * np.abs(moved[0]).max())


@pytest.mark.parametrize(("lines", "sentence"), [
    (["f = 1/t"], "no finite number at t = 0 us"),
    (["f = min(x, 1)"], "Line 1 uses 'x', which is not known.*: there are t, pi"),
    (["g = t"], "no line says what the history is"),
])  # fmt: skip
def test_a_history_that_cannot_be_read_is_told(cpu, lines, sentence):
    load = {"kind": "force", "force": (1.0, 0, 0), "history": {"kind": "formula", "lines": lines}}
    with pytest.raises(ProblemError, match=sentence) as refused:
        built(cpu, loads=[load])
    assert refused.value.place[:3] == ("loads", 0, "history")


def test_a_history_is_that_of_the_file_when_the_run_was_made(cpu, table):
    """Runs of a project do not change when its file does; 3 us are 8/15 of the way from −5 to 10 us."""
    file = {"kind": "file", "path": table}
    run = built(cpu, loads=[{"kind": "stress", "side": "right", "stress": (1, 0, 0), "history": file}])
    Path(table).unlink()
    assert run._loads.share(0, np.array([3e-6]))[0] == pytest.approx(8 / 15, rel=1e-12)
    run.advance(3)
    assert run.observe()["force_1_x"] > 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0,0\n1,x\n", "Row 2 of the history 'a.csv' is not 2 numbers: write time and value"),
        ("time,value\nt,v\n", "Row 2 of .* is not 2 numbers"),
        ("0,0\n1,2,3\n", "Row 2 of .* is not 2 numbers"),
        ("0,0\n2,1\n2,3\n", "Row 3 of .* is not beyond the row before"),
        ("0,0\n", "has 1 rows of numbers: it needs 2"),
    ],
)
def test_a_bad_table_names_its_row(tmp_path, text, sentence):
    path = tmp_path / "a.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(ProblemError, match=sentence):
        read_table(str(path), "history", ("time", "value"))


@pytest.mark.parametrize(
    "text",
    [
        "time [ms],value\n0,0\n0.01,1\n",
        "t;share\n0;0\n10;1,0\n",
        "force [N],value,time [s]\n7,0,0\n8,1,1e-5\n",
        "# made by hand\n0 0\n10 1\n",
    ],
)
def test_a_history_is_read_in_the_units_of_its_headings(tmp_path, text):
    """Milliseconds were taken for microseconds without a word."""
    path = tmp_path / "a.csv"
    path.write_text(text, "utf-8")
    np.testing.assert_allclose(read_table(str(path), "history", ("time", "value"), ("us", "")), [[0, 0], [10, 1]])


def test_a_history_over_something_else_than_time(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("distance [mm],value\n0,0\n1,1\n", "utf-8")
    with pytest.raises(ProblemError, match="is in a unit of another kind than 'time \\[us\\]'"):
        read_table(str(path), "history", ("time", "value"), ("us", ""))


def test_loads_of_older_projects_have_their_rise():
    loads = TypeAdapter(list[Load]).validate_python(
        [{"kind": "stress", "rise": 0.0}, {"kind": "velocity", "rise": 7.0}, {"kind": "displacement", "rise": 3.0}]
    )
    assert [load.history.kind for load in loads] == ["sudden", "smooth step", "smooth step"]
    assert [getattr(load.history, "rise", None) for load in loads] == [None, 7.0, 3.0]


@pytest.mark.parametrize("density", [2440.0, 6100.0])
def test_forces_change_momentum_as_they_say(device, density):
    """A free bar with a force, a stress and gravity: its momentum is the sum of all forces times time, to rounding. The
    right half may be of a heavier material; energy is balanced to 1e-7 of the work: nothing breaks,
    and bonds hardly turn."""
    right = {"kind": "box", "low": (12, 0, 0), "high": (24, 8, 0)}
    run = built(
        device,
        materials=[{"region": right, "young": 72.0, "density": density, "fracture_energy": 1e6}],
        loads=[
            {"kind": "force", "region": {"kind": "box", "low": (3, 2, 0), "high": (9, 6, 0)}, "force": (3, -2, 0)},
            {"kind": "stress", "side": "left", "stress": (-0.5, 0, 0)},
            {"kind": "gravity", "acceleration": (0, -1e4, 0)},
        ],
    )
    run.advance(30)
    seen = run.observe()
    mass = 24e-3 * 8e-3 * 1e-3 * 0.5 * (2440.0 + density)
    wanted = np.array([3 - 0.5e6 * 8e-6, -2 - 1e4 * mass]) * 30 * run.dt * 1e-6
    v = device.to_host(run._solver.arrays["v"])
    masses = np.broadcast_to(run._solver.mass, v.shape[1]) * run._solver.body.scales.mass
    momentum = (v * masses).sum(axis=1) * run._solver.body.scales.velocity
    assert momentum == pytest.approx(wanted, rel=1e-9)
    assert seen["force_1_x"] == pytest.approx(3, rel=1e-12)
    assert seen["force_2_x"] == pytest.approx(-4, rel=1e-12)
    assert seen["force_3_y"] == pytest.approx(-1e4 * mass, rel=1e-12)
    assert seen["imbalance"] <= 1e-5  # %


PUSHED_TOO = [
    {"kind": "gravity", "acceleration": (1e6, -1e7, 0), "history": {"kind": "ramp", "rise": 3}},
    {"kind": "stress", "side": "left", "stress": (5, 2, 0)},
]


@pytest.mark.parametrize("more", [[], PUSHED_TOO], ids=["free ones pushed", "held ones pushed too"])
def test_supports_give_what_momentum_lacks(device, more):
    """Every step: momentum now = momentum before + (force of the support + loads) dt, to rounding in fp64."""
    run = built(
        device,
        loads=[
            {"kind": "velocity", "region": {"kind": "side", "side": "left", "rows": 2}, "x": -2.0, "y": 0.0,
             "history": {"kind": "half-sine pulse", "duration": 2}},
            {"kind": "force", "region": {"kind": "side", "side": "right", "rows": 1}, "force": (60, 10, 0),
             "history": {"kind": "ramp", "rise": 1}},
            *more,
        ],
    )  # fmt: skip
    loads = range(1, 3 + len(more))
    scales, forces, momenta = run._solver.body.scales, [], []
    for _ in range(12):
        seen = run.observe()
        forces.append([sum(seen[f"force_{load}_{axis}"] for load in loads) for axis in "xy"])
        run.advance(1)
        momenta.append(device.to_host(run._solver.arrays["v"]).sum(axis=1) * scales.velocity * scales.mass)
    given = np.cumsum(forces, axis=0) * run.dt * 1e-6
    assert np.abs(momenta - given).max() <= 1e-12 * np.abs(given).max() * 100
    assert seen["displacement_1_x"] < 0 < seen["displacement_2_x"]


@pytest.mark.parametrize(
    ("held", "stress", "told"),
    [
        ({"x": 0.0}, (10, 0, 0), True),
        ({"x": 0.0}, (10, 5, 0), False),  # the part along y moves them
        ({"x": 0.0, "y": 0.0}, (10, 5, 0), True),
        ({"y": 0.0}, (10, 0, 0), False),
    ],
)
def test_a_load_on_nothing_but_what_is_held_is_told(cpu, held, stress, told):
    """It did nothing without a word."""
    hold = {"kind": "displacement", "region": {"kind": "side", "side": "right", "rows": 2}, "y": None, **held}
    loads = [{**hold, "history": {"kind": "ramp"}}, {"kind": "stress", "side": "right", "stress": stress}]
    found = ENGINE.estimate(problem(loads=loads), cpu).findings
    borne = [each for each in found if "pushes only particles that are held along it" in each.message]
    assert [each.place for each in borne] == [("loads", 1)] * told


def test_what_is_observed_is_not_read_back_whole(on_host, monkeypatch):
    """While a run is followed, no field leaves the device."""
    run = built(
        on_host,
        loads=[{"kind": "velocity"}, {"kind": "velocity", "region": {"kind": "side", "side": "bottom"}, "y": -1.0}],
        measuring={"gauges": [{"kind": "opening", "first": (12, 2, 0), "second": (12, 6, 0)}]},
    )
    sizes = []
    to_host = on_host.to_host
    monkeypatch.setattr(on_host, "to_host", lambda values: sizes.append(values.size) or to_host(values))
    monkeypatch.setattr(on_host, "gather", lambda *_: pytest.fail("a field was read"))
    run.advance(5)
    seen = run.observe()
    assert sizes
    assert max(sizes) < 20
    assert {info.name for info in run.series} == set(seen)


def test_gauges_read_their_particles(cpu):
    run = built(
        cpu,
        loads=[{"kind": "force", "force": (2, 9, 0)}],
        measuring={
            "gauges": [
                {"kind": "opening", "name": "CMOD", "first": (3.5, 1.5, 0), "second": (3.5, 6.5, 0), "axis": "y"},
                {"kind": "point", "name": "middle", "point": (12, 4, 0), "axis": "x"},
                {"kind": "mean", "name": "end", "region": {"kind": "side", "side": "right"}, "axis": "x"},
            ]
        },
    )
    run.advance(20)
    seen = run.observe()
    u = run._solver.arrays["u"][:, run._solver.body.places] * run._solver.body.scales.length * 1e6
    u = u.reshape(2, 8, 24)
    assert seen["CMOD"] == pytest.approx(u[1, 6, 3] - u[1, 1, 3], rel=1e-12)
    assert seen["middle"] == pytest.approx(u[0, 3:5, 11:13].mean(), rel=1e-12)  # four particles are equally near
    assert seen["end"] == pytest.approx(u[0, :, -1].mean(), rel=1e-12)


def test_load_and_displacement_with_the_experiments(cpu, tmp_path):
    band = tmp_path / "band.csv"
    band.write_text("x,low,high\n0,0,0\n1,90,110\n", "utf-8")
    run = built(
        cpu,
        loads=[
            {"kind": "displacement", "region": {"kind": "side", "side": "bottom"}, "y": 0.0},
            {"kind": "displacement", "y": -0.001, "history": {"kind": "half-sine pulse", "duration": 4}},
        ],
        measuring={"curve": {"band": str(band)}},
    )
    for _ in range(10):
        run.advance(4)
        seen = run.observe()
        run.observe()
    chart = run.chart("load_displacement")
    assert [curve.title for curve in chart.curves] == ["Calculated", "Experiments"]
    assert chart.curves[1].high.tolist() == [0, 110]
    assert chart.curves[1].told == int(chart.curves[0].x[-1] > 0.5)  # the experiment where the calculation is now
    x, force = chart.curves[0].x, chart.curves[0].y
    assert len(x) == 11  # each step once, and the beginning
    assert x.max() > 0.5  # a push counts as positive in its own direction
    assert force.max() == seen["peak"]
    assert x[force.argmax()] == seen["peak_at"]
    assert run.results()["peak/force [N]"] == seen["peak"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"loads": [{"kind": "force", "force": (0, 0, 0)}]}, "A force is zero"),
        ({"loads": [{"kind": "gravity", "acceleration": (0, 0, 1)}]}, "Gravity is zero"),
        ({"loads": [{"kind": "displacement", "y": 1.0, "history": {"kind": "sudden"}}]}, "give it a history"),
        ({"loads": [{"kind": "force", "history": {"kind": "file"}}]}, "The history has no file"),
        ({"measuring": {"gauges": [{"kind": "point", "point": (40, 4, 0)}]}}, "mm beside the body"),
        ({"measuring": {"gauges": [{"kind": "point", "axis": "z"}]}}, "choose x or y"),
        ({"measuring": {"gauges": [{"kind": "point"}, {"kind": "point"}]}}, "Two gauges are called"),
        ({"measuring": {"gauges": [{"kind": "point", "name": "tip"}]}}, "cannot be called 'tip'"),
        ({"measuring": {"gauges": [{"kind": "point", "name": "force_1_y"}]}}, "cannot be called 'force_1_y'"),
        (
            {"measuring": {"gauges": [{"kind": "point", "name": "displacement_2_y"}]}},
            "cannot be called 'displacement_2",
        ),
        ({"measuring": {"curve": {"over": "CMOD"}}}, "no gauge 'CMOD' .* add one"),
        ({"measuring": {"curve": {"load": 3}}}, "that of load 3, and there are 2"),
        ({"measuring": {"curve": {"band": "/nowhere.csv"}}}, "cannot be read"),
    ],
)
def test_what_cannot_be_is_refused_before_it_runs(cpu, changes, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.estimate(Problem(PeridynamicParameters.model_validate({**BAR, **changes})), cpu)


UP, DOWN = (
    {"kind": "stress", "side": side, "stress": [0, value, 0]} for side, value in (("top", 3.0), ("bottom", -2.0))
)


@pytest.mark.parametrize(
    ("loads", "along"),
    [
        ([UP, DOWN], "y"),
        ([UP], "y"),
        ([UP, {**DOWN, "stress": [0, -3, 0]}], ""),
        ([UP, {**DOWN, "stress": [1, -3, 0]}], "x"),
        ([{**UP, "history": {"kind": "sine", "period": 20}}], "y"),
        ([UP, {**DOWN, "history": {"kind": "ramp"}}], ""),  # what they are together changes
        ([UP, {"kind": "displacement", "region": {"kind": "side", "side": "bottom"}, "y": 0.0}], ""),
        ([UP, {"kind": "displacement", "region": {"kind": "side", "side": "bottom"}, "x": 0.0, "y": None}], "y"),
        ([{"kind": "gravity"}], ""),
    ],
)
def test_loads_that_push_a_body_on_are_told(cpu, loads, along):
    parameters = PeridynamicParameters.model_validate({**BAR, "loads": loads})
    told = [each for each in ENGINE.estimate(Problem(parameters), cpu).findings if "as a whole" in each.message]
    assert [f"along {along}, where nothing holds it" in each.message for each in told] == [True] * bool(along)
    assert all(each.remedy is not None for each in told)

"""Clicks that stimulate and scar that is painted while a tissue runs, on the CPU and on a GPU emulated on the host."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.api import Dab, Problem, Selection
from engines.api.errors import ProblemError
from engines.cardiac.diffusion.cpu import CpuDiffusion
from engines.cardiac.diffusion.packing import packed_places
from engines.cardiac.diffusion.reference import reference_operator
from engines.cardiac.diffusion.sliced import SlicedMatrix
from engines.cardiac.diffusion.weights import assemble
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import Box, CardiacParameters, Numerics, RegionSetting, Stimulus
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.stimulus.protocol import Protocol, Pulse
from engines.cardiac.stimulus.touch import TouchProtocol
from engines.cardiac.tissue.operator import diffusion_tensors, tissue_operator
from engines.cardiac.watch.conduction import ONE_BEAT, between
from engines.cardiac.watch.cpu import REFRACTORY
from engines.cardiac.watch.maps import FirstActivation, maps_fields
from engines.geometry.meshes.box import box_mesh
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER

ENGINE = CardiacEngine()
AMOUNT = 50_000.0
DT = 0.02
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


@pytest.fixture(scope="module")
def on_host():
    backend = HostCudaBackend()
    yield backend
    backend.close()


@pytest.fixture(params=["cpu", pytest.param("on_host", marks=needs_compiler)])
def backend(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def mesh():
    return box_mesh((6, 4, 3), (3.0, 2.0, 1.5), jitter=0.2, seed=4, fibre=(1.0, 2.0, 0.5))


def parameters(precision="fp64", stimuli=(), step=DT, **settings) -> CardiacParameters:
    return CardiacParameters(
        cell_model="Mitchell-Schaeffer 2003",
        stimuli=list(stimuli),
        numerics=Numerics(step=step, precision=precision, initial_state="published"),
        **settings,
    )


def build(mesh, backend, **settings):
    return ENGINE.build(Problem(parameters(**settings), mesh), backend)


def within(mesh, place, radius):
    return np.linalg.norm(mesh.centroids - np.array(place), axis=1) <= radius


def matrix_of(simulation) -> SlicedMatrix:
    """What the device holds."""
    diffusion = simulation._stepper._diffusion
    matrix = diffusion._matrix
    if isinstance(diffusion, CpuDiffusion):
        weights = np.array(matrix.weights)
    else:
        places = packed_places(matrix.starts, np.arange(len(matrix.columns)), diffusion.group)
        weights = np.array(diffusion._arrays[-1])[places]
    return SlicedMatrix(matrix.n_rows, matrix.starts, matrix.columns, weights)


# Stimulating.


def test_a_click_starts_a_wave(backend, mesh):
    simulation = build(mesh, backend)
    simulation.advance(10)
    place = (0.5, 1.0, 0.75)
    said = simulation.paint(Dab("stimulus", place, 0.6, AMOUNT))
    reached = within(mesh, place, 0.6)
    expected = f"Stimulus at (0.5, 1.0, 0.8) mm, 0.6 mm radius, {reached.sum()} cells, t = 0.2 ms."
    assert said == expected
    before = simulation.field("voltage")
    simulation.advance(1)
    risen = simulation.field("voltage") - before
    # a step of 50,000 µA/cm³ is 0.71 mV; diffusion and the cells' own currents at rest are a hundredth of that
    assert np.abs(risen[reached] - AMOUNT * 1e-3 / 1.4 * DT).max() < 0.02
    assert np.abs(risen[~reached]).max() < 0.02
    simulation.advance(400)
    activation = simulation.field("activation")
    assert (activation[reached] > 0.2).all()
    assert (activation > 0).sum() > 3 * reached.sum(), "the wave has left the ball"


def test_both_devices_do_the_same(cpu, on_host, mesh):
    """fp64: other sums of the same numbers, amplified on the upstroke as in the test of the engine."""
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    ones = [build(mesh, backend) for backend in (cpu, on_host)]
    for one in ones:
        one.paint(Dab("scar", (1.5, 1.0, 0.7), 0.5, 0.0))
        one.paint(Dab("stimulus", (0.3, 1.0, 0.7), 0.5, AMOUNT))
        one.advance(100)
        one.paint(Dab("scar", (2.0, 1.0, 0.7), 0.4, 0.25))
        one.paint(Dab("scar", (1.2, 1.0, 0.7), 0.3, 0.0, erase=True))
        one.advance(100)
    for name in ("voltage", "activation", "scar"):
        assert np.abs(ones[0].field(name) - ones[1].field(name)).max() < 1e-5, name


def test_a_pulse_lasts_two_milliseconds_and_its_bit_is_used_again(cpu, mesh):
    simulation = build(mesh, cpu)
    protocol = simulation._stepper._protocol
    simulation.paint(Dab("stimulus", (0, 0, 0), 0.8, AMOUNT))
    simulation.paint(Dab("stimulus", (3, 2, 1), 0.8, AMOUNT))
    assert [protocol.currents(step) is None for step in (0, 99, 100)] == [False, False, True]
    assert len(protocol.currents(0)) == 2
    simulation.advance(100)
    simulation.paint(Dab("stimulus", (3, 0, 0), 0.8, AMOUNT))
    assert len(protocol.currents(100)) == 2
    mask = np.array(simulation._tissue.stimulus_mask)[: mesh.n_cells]
    order = tissue_operator(mesh, parameters()).order
    np.testing.assert_array_equal(np.sort(order[mask & 1 > 0]), np.flatnonzero(within(mesh, (3, 0, 0), 0.8)))


def test_pulses_beyond_the_free_bits_are_refused():
    plan = TouchProtocol(Protocol(np.zeros(1, np.uint32), [Pulse(1.0, 0, 1, 1, 1)] * 30))
    assert [plan.add(5.0, 7, 3) for _ in range(2)] == [30, 31]
    with pytest.raises(ProblemError, match="2 pulses are on at once: wait"):
        plan.add(5.0, 9, 3)
    assert plan.add(5.0, 10, 3) == 30
    with pytest.raises(ProblemError, match="All 32 stimuli"):
        TouchProtocol(Protocol(np.zeros(1, np.uint32), [Pulse(1.0, 0, 1, 1, 1)] * 32)).add(5.0, 0, 1)


def test_a_click_that_is_smaller_than_a_cell_reaches_the_nearest(cpu, mesh):
    simulation = build(mesh, cpu)
    assert ", 1 cells, " in simulation.paint(Dab("stimulus", (1.0, 1.0, 0.5), 1e-4, AMOUNT))
    with pytest.raises(ProblemError, match="current above zero"):
        simulation.paint(Dab("stimulus", (1.0, 1.0, 0.5), 1.0, 0.0))


# Scar: the operator.


def test_without_conductivity_the_tissue_around_is_that_of_a_mesh_with_a_hole(backend, mesh):
    """Rows against the dense operator of the mesh without those cells, to the rounding of sums of 16 rates."""
    simulation = build(mesh, backend)
    place = (1.4, 0.9, 0.8)
    simulation.paint(Dab("scar", place, 0.5, 0.0))
    dead = within(mesh, place, 0.5)
    np.testing.assert_array_equal(simulation.field("scar"), dead.astype(np.float32))
    operator = tissue_operator(mesh, parameters())
    there = matrix_of(simulation).to_csr().toarray()
    rank = np.argsort(operator.order)
    ours = there[np.ix_(rank, rank)]  # in the mesh's numbering
    alive = np.flatnonzero(~dead)
    rest = mesh.take_cells(alive)
    expected = reference_operator(rest, diffusion_tensors(rest, parameters()))
    assert (simulation._touched._scar._shares == 1).all(), "no gradient is limited here, so that both must agree"
    assert np.abs(ours[np.ix_(alive, alive)] - expected).max() < 1e-11 * np.abs(expected).max()
    assert (ours[dead] == 0).all()
    assert (ours[:, dead] == 0).all()


def test_reduced_conductivity_is_that_of_scaled_tensors(cpu, mesh):
    simulation = build(mesh, cpu)
    place = (1.4, 0.9, 0.8)
    simulation.paint(Dab("scar", place, 0.6, 0.3))
    operator = tissue_operator(mesh, parameters())
    ordered = mesh.take_cells(operator.order)
    factor = np.where(within(ordered, place, 0.6), np.float32(0.3), 1.0)[:, None, None]
    expected = assemble(ordered, diffusion_tensors(ordered, parameters()) * factor, energy_limit=np.inf)
    assert (simulation._touched._scar._shares == 1).all()
    difference = (matrix_of(simulation).to_csr() - expected.matrix.to_csr()).toarray()
    assert np.abs(difference).max() < 1e-11 * np.abs(expected.matrix.diagonal()).max()


def test_what_leaves_one_cell_enters_the_other(cpu, mesh):
    """Volume-weighted column sums vanish to the rounding of what they sum, also where gradients are weakened."""
    random = np.random.default_rng(8)
    mesh = replace(mesh, fibres=random.standard_normal((mesh.n_cells, 3)).astype(np.float32))
    simulation = build(mesh, cpu, step=0.01)
    before = matrix_of(simulation)
    untouched = tissue_operator(mesh, parameters()).correction
    for left in (0.0, 0.02, 0.0, 0.5, 0.001):
        place = tuple(random.uniform((0, 0, 0), (3.0, 2.0, 1.5)))
        simulation.paint(Dab("scar", place, 0.45, left))
    assert (simulation._touched._scar._shares < untouched).any(), "the limiter must have been met"
    matrix = matrix_of(simulation).to_csr()
    volumes = mesh.volumes[tissue_operator(mesh, parameters()).order]
    assert np.abs(volumes @ matrix).max() < 1e-14 * (volumes @ abs(matrix)).max()
    assert matrix_of(simulation).absolute_row_sums().max() <= 1 / 0.01, "the step in use bears every row"
    simulation.paint(Dab("scar", (1.5, 1.0, 0.8), 9.0, 0.0, erase=True))
    after = matrix_of(simulation)
    assert (after.columns == before.columns).all()
    assert (after.weights == before.weights).all(), "erasing gives the tissue back bit for bit"
    assert (simulation.field("scar") == 0).all()


# Scar: the step.


@pytest.fixture(scope="module")
def regular():
    """Without jitter all cells are alike, and rows beside a scar are steeper than any of the sound tissue."""
    return box_mesh((6, 4, 3), (3.0, 2.0, 1.5))


STEEP = Dab("scar", (1.5, 1.0, 0.75), 0.4, 0.0)


def at_scale(mesh, backend, scale, substeps=1):
    given = parameters().model_copy(update={"conductivity_scale": scale})
    given.numerics.diffusion_substeps = substeps
    return ENGINE.build(Problem(given, mesh), backend)


def test_painted_rows_may_be_as_steep_as_the_step_in_use_bears(backend, regular):
    sound = tissue_operator(regular, parameters()).stable_step
    simulation = at_scale(regular, backend, 1.0)
    simulation.paint(STEEP)
    painted = 1 / matrix_of(simulation).absolute_row_sums().max()
    assert painted < 0.999 * sound, "the case must be one"
    assert simulation._stable_step == painted
    with pytest.raises(ProblemError, match="set by painted scar"):
        simulation.set_control("conductivity_scale", 1.001 * painted / DT)
    simulation.set_control("conductivity_scale", 0.999 * painted / DT)
    noise = np.random.default_rng(2).uniform(-90, 40, regular.n_cells)
    matrix = matrix_of(simulation).to_csr()
    for _ in range(300):
        noise = noise + 0.999 * painted * (matrix @ noise)
    assert np.abs(noise).max() <= 90, "no mode grows at the largest step"
    simulation.paint(replace(STEEP, erase=True))
    assert simulation._stable_step == sound
    simulation.set_control("conductivity_scale", 0.999 * sound / DT)


def test_scar_is_refused_where_scale_and_parts_of_the_step_leave_no_room(cpu, regular):
    scale = 0.9999 * tissue_operator(regular, parameters()).stable_step / DT
    full = at_scale(regular, cpu, scale)
    before = matrix_of(full).weights.copy()
    with pytest.raises(ProblemError, match="smaller time step there"):
        full.paint(STEEP)
    assert (matrix_of(full).weights == before).all()
    halved = at_scale(regular, cpu, scale, substeps=2)
    halved.paint(STEEP)
    assert halved._stable_step == 2 / matrix_of(halved).absolute_row_sums().max()


def test_a_checkpoint_brings_its_limit_and_is_refused_above_it(cpu, regular):
    simulation = at_scale(regular, cpu, 1.0)
    sound, begun = simulation._stable_step, simulation.state()
    simulation.paint(STEEP)
    limit, kept = simulation._stable_step, simulation.state()
    simulation.restore(begun)
    assert simulation._stable_step == sound
    simulation.advance(3)
    simulation.set_control("conductivity_scale", 0.9999 * sound / DT)
    with pytest.raises(ProblemError, match="lower the conductivity scale"):
        simulation.restore(kept)
    assert (simulation.step, simulation.field("scar").max(), simulation._stable_step) == (3, 0, sound)
    simulation.set_control("conductivity_scale", 1.0)
    simulation.restore(kept)
    assert simulation._stable_step == limit


# Scar: the wave.


@pytest.fixture(scope="module")
def sheet():
    return box_mesh((16, 12, 1), (8.0, 6.0, 0.5), jitter=0.1, seed=1)


def plane_wave(sheet, backend, *dabs, **settings):
    edge = Stimulus(name="edge", site=Box(lower=(0, 0, 0), upper=(0.6, 9, 9)), duration=1.0)
    simulation = build(sheet, backend, precision="fp32", stimuli=[edge], step=0.05, **settings)
    for dab in dabs:
        simulation.paint(dab)
    simulation.advance(1500)
    return simulation


def test_a_wave_goes_around_a_scar_and_does_not_pass_a_wall_of_it(cpu, sheet):
    free = plane_wave(sheet, cpu).field("activation")
    lower = [Dab("scar", (4.0, y, 0.25), 0.8, 0.0) for y in np.arange(0.0, 4.1, 0.5)]
    around = plane_wave(sheet, cpu, *lower)
    scar, activation = around.field("scar") == 1, around.field("activation")
    assert (activation[scar] == -1).all()
    behind = within(sheet, (5.5, 0.5, 0.25), 0.7)
    beside = within(sheet, (5.5, 5.5, 0.25), 0.7)
    assert (activation[~scar] >= 0).all(), "the wave gets around"
    # some 5 mm of detour at 0.3 mm/ms, and a pause behind the corner, where the front spreads from a narrow gap
    assert (activation[behind] - free[behind]).min() > 5.0
    assert np.abs(activation[beside] - free[beside]).max() < 2.5
    assert np.abs(around.field("voltage")[scar] - around.field("voltage")[scar].mean()).max() < 1e-3
    handle = around.select(_cells(scar))
    assert np.isnan(around.gather("voltage", handle)).all(), "viewers see no voltage where nothing conducts"

    wall = [*lower, Dab("scar", (4.0, 5.0, 0.25), 0.8, 0.0), Dab("scar", (4.0, 6.0, 0.25), 0.8, 0.0)]
    blocked = plane_wave(sheet, cpu, *wall).field("activation")
    far = sheet.centroids[:, 0] > 5.0
    assert (blocked[far] == -1).all()
    assert (blocked[sheet.centroids[:, 0] < 3.0] >= 0).all()


def _cells(mask):
    return Selection(np.flatnonzero(mask).astype(np.int32))


def test_no_stimulus_reaches_a_scar_until_it_is_erased(cpu, mesh):
    corner = Stimulus(name="corner", site=Box(upper=(1.0, 1.0, 1.0)), start=0.0, duration=100.0, period=100.0)
    simulation = build(mesh, cpu, stimuli=[corner])
    simulation.paint(Dab("scar", (0, 0, 0), 3.0, 0.0))
    simulation.paint(Dab("stimulus", (0, 0, 0), 1.0, AMOUNT))
    rest = simulation.field("voltage").copy()
    simulation.advance(50)
    assert np.abs(simulation.field("voltage") - rest)[within(mesh, (0, 0, 0), 2.9)].max() < 0.5
    simulation.paint(Dab("scar", (0, 0, 0), 3.0, 0.0, erase=True))
    simulation.advance(20)
    assert (simulation.field("voltage") - rest)[within(mesh, (0, 0, 0), 0.9)].min() > 5


# State.


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_a_checkpoint_with_paint_and_pulses_continues_bit_for_bit(backend, mesh, precision):
    simulation = build(mesh, backend, precision=precision)
    first = {name: np.array(value) for name, value in simulation.state().items()}
    simulation.paint(Dab("stimulus", (0.3, 1.0, 0.7), 0.6, AMOUNT))
    simulation.paint(Dab("scar", (1.5, 1.0, 0.7), 0.5, 0.0))
    simulation.paint(Dab("scar", (2.2, 1.0, 0.7), 0.5, 0.01))
    simulation.advance(40)
    simulation.paint(Dab("stimulus", (0.3, 0.2, 0.7), 0.5, AMOUNT))
    simulation.advance(20)
    kept = {name: np.array(value) for name, value in simulation.state().items()}
    simulation.advance(80)
    expected = simulation.state()
    resumed = build(mesh, backend, precision=precision)
    resumed.paint(Dab("scar", (0.5, 1.0, 0.7), 0.5, 0.0))  # of another past
    resumed.paint(Dab("stimulus", (2.5, 1.0, 0.7), 0.5, AMOUNT))
    for one in (resumed, simulation):
        one.restore(kept)
        assert (np.array(matrix_of(one).weights) == matrix_of(simulation).weights).all()
        one.advance(80)
        for name, value in one.state().items():
            np.testing.assert_array_equal(value, expected[name], err_msg=name)
    old = {name: value for name, value in first.items() if not name.startswith(("touch", "scar"))}
    for begun in (first, old):  # a checkpoint from before there were brushes is one without paint
        resumed.restore(begun)
        assert (resumed.field("scar") == 0).all()
        before = resumed.field("voltage").copy()
        resumed.advance(1)
        assert np.abs(resumed.field("voltage") - before).max() < 0.05, "no pulse is left"


def test_a_checkpoint_knows_the_conductivity_that_was_set_during_the_run(backend, mesh):
    simulation = build(mesh, backend)
    begun = {name: np.array(value) for name, value in simulation.state().items()}
    simulation.paint(Dab("stimulus", (0.3, 1.0, 0.7), 0.6, AMOUNT))
    simulation.advance(20)
    simulation.set_control("conductivity_scale", 0.5)
    kept = {name: np.array(value) for name, value in simulation.state().items()}
    simulation.advance(60)
    expected = simulation.state()
    resumed = build(mesh, backend)
    resumed.restore(kept)
    resumed.advance(60)
    for name, value in resumed.state().items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)
    unchanged = {name: value for name, value in begun.items() if name != "conductivity_scale"}
    resumed.restore(unchanged)  # of an earlier version, which leaves it as it is
    assert resumed.state()["conductivity_scale"] == 0.5


# Measuring.


def test_the_velocity_between_two_cells(cpu, sheet):
    simulation = plane_wave(sheet, cpu)
    first, second = (int(sheet.nearest([place])[0]) for place in ((2.0, 3.0, 0.25), (6.0, 3.0, 0.25)))
    told = simulation.measure(first, second)
    facts = {fact.title: (fact.value, fact.unit) for fact in told.facts}
    distance = float(np.linalg.norm(sheet.centroids[second] - sheet.centroids[first]))
    times = simulation.field("activation")[[first, second]]
    assert told.title == "Between two points, as each was first activated"
    assert facts["Distance"] == (pytest.approx(distance), "mm")
    assert facts["From first to second"] == (pytest.approx(float(times[1] - times[0])), "ms")
    assert facts["First activation of the first point"] == (pytest.approx(float(times[0])), "ms")
    assert facts["Apparent speed along the line"] == (pytest.approx(distance / float(times[1] - times[0])), "m/s")
    assert 0.3 < facts["Apparent speed along the line"][0] < 1.0
    assert simulation.measure(second, first).facts[-1].value == facts["Apparent speed along the line"][0]
    assert "speed" not in " ".join(fact.title for fact in simulation.measure(first, first).facts)


@pytest.mark.parametrize(("interval", "off"), [(0.05, 1e-3), (0.2, 0.1)])
def test_of_one_beat_the_nearer_of_two_times_of_activation_is_told(cpu, sheet, interval, off):
    """Looks as close as steps give the first activation again: what is told between others is off by their distance."""
    simulation = plane_wave(sheet, cpu, recording=Recording(interval=interval))
    place = int(sheet.nearest([(4.0, 3.0, 0.25)])[0])
    first, latest = (float(simulation.field(name)[place]) for name in ("activation", "latest_activation"))
    assert abs(latest - first) < off
    told = {fact.title: fact.value for fact in simulation.measure(place, place).facts}
    assert told["First activation"] == first
    assert "Latest activation" not in told
    assert ONE_BEAT == REFRACTORY


def test_a_cell_tells_what_the_maps_hold_of_it_and_two_their_action_potentials(cpu, mesh):
    class Run:
        geometry = mesh
        fields = (*FirstActivation.fields, *maps_fields(90.0))

        def select(self, selection):
            return selection.elements

        def gather(self, name, handle):
            held = {"activation": 3.0, "latest_activation": latest}
            return np.array([{**held, "apd": 280.0 + cell}.get(name, -1.0) for cell in handle])

    latest = 3.02
    one = {fact.title: fact.value for fact in between(Run(), 4, 4).facts}
    assert (one["First activation"], one["APD90"]) == (3.0, 284.0)
    assert "Cycle length" not in one, "there was no second beat"
    assert "Latest activation" not in one, "it is the first"
    latest = 803.0
    again = {fact.title: fact.value for fact in between(Run(), 4, 4).facts}
    assert (again["First activation"], again["Latest activation"]) == (3.0, 803.0)
    two = {fact.title: fact.value for fact in between(Run(), 4, 9).facts}
    told = [f"APD90 of the {which} point, latest beat" for which in ("first", "second")]
    assert [two[title] for title in (*told, "APD90, difference")] == [284.0, 289.0, 5.0]
    assert "at once" in between(Run(), 4, 9).title
    still = build(mesh, cpu).measure(5, 5)
    assert still.title == "This point has not been activated yet."


def test_a_cell_that_was_not_activated_has_no_velocity(cpu, mesh):
    told = build(mesh, cpu).measure(0, 5)
    assert told.title == "Neither point has been activated yet."
    assert [fact.title for fact in told.facts] == ["Distance"]


@pytest.mark.parametrize("brush", ["stimulus", "scar"])
def test_a_dab_in_a_hollow_reaches_no_tissue_and_says_so(cpu, brush):
    """The wall was stimulated, however far it was."""
    mesh = box_mesh((12, 12, 2), (6.0, 6.0, 1.0), jitter=0.1, seed=4, fibre=(1.0, 0.0, 0.0))
    hollow = mesh.take_cells(np.flatnonzero(np.abs(mesh.centroids[:, :2] - 3.0).max(axis=1) > 2.0))
    simulation = build(hollow, cpu)
    before = simulation.state()
    told = simulation.paint(Dab(brush, (3.0, 3.0, 0.5), 0.2, AMOUNT if brush == "stimulus" else 0.0))
    assert told == "Nothing is painted at (3.0, 3.0, 0.5) mm, where there is no tissue within 0.2 mm."
    assert all(np.array_equal(values, before[name]) for name, values in simulation.state().items())
    assert "1 cells" in simulation.paint(Dab("stimulus", (0.5, 3.0, 0.5), 1e-3, AMOUNT))


# Regions that are scar.


def test_regions_that_are_scar_look_like_painted_scar_and_no_brush_reaches_them(backend, mesh):
    wall = np.abs(mesh.centroids[:, 0] - 1.5) < 0.4
    cut = replace(mesh, regions=wall.astype(np.int32), region_names={0: "rest", 1: "scar"})
    corner = Stimulus(name="all", site=Box(upper=(9.0, 9.0, 9.0)), start=0.0, duration=100.0, period=100.0)
    given = parameters(stimuli=[corner])
    given.regions = [RegionSetting(region="scar", condition="non-conducting scar")]
    simulation = ENGINE.build(Problem(given, cut), backend)
    at_rest = simulation.field("voltage")[wall]
    simulation.paint(Dab("stimulus", (1.5, 1.0, 0.7), 9.0, AMOUNT))
    simulation.paint(Dab("scar", (1.5, 1.0, 0.7), 9.0, 0.0))
    simulation.paint(Dab("scar", (1.5, 1.0, 0.7), 9.0, 0.0, erase=True))
    simulation.advance(50)
    # the cells' own currents at rest alone, as above
    assert np.abs(simulation.field("voltage")[wall] - at_rest).max() < 0.5
    assert (simulation.field("voltage")[~wall] > -60).all()
    np.testing.assert_array_equal(simulation.field("scar"), wall)
    handle = simulation.select(Selection(np.arange(mesh.n_cells, dtype=np.int32)))
    np.testing.assert_array_equal(np.isnan(simulation.gather("voltage", handle)), wall)


def test_a_tissue_in_which_nothing_conducts_can_be_painted(backend, mesh):
    given = parameters()
    given.regions = [RegionSetting(region="tissue", condition="non-conducting scar")]
    for problem in (Problem(given, mesh), Problem(parameters(), mesh.take_cells(np.array([7])))):
        simulation = ENGINE.build(problem, backend)
        simulation.paint(Dab("scar", (1.5, 1.0, 0.7), 9.0, 0.0))
        simulation.advance(2)
        assert (simulation.field("scar") == 1).all()

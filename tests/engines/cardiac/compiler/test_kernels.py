"""The compiled kernels: on every architecture, against the graph's float64 value, whole beats, and in a tissue."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engines.api import Problem
from engines.api.errors import DeviceError
from engines.backend.compile.nvrtc import ARCHITECTURES
from engines.backend.precision import REAL
from engines.cardiac.cells.pacing import measure
from engines.cardiac.compiler.cuda_kernel import kernel_file
from engines.cardiac.compiler.importing import _operation
from engines.cardiac.compiler.limits import shape
from engines.cardiac.compiler.model import CellModel, State, shipped
from engines.cardiac.compiler.schemes import SCHEMES, STEP, STIMULUS, Step, step
from engines.cardiac.compiler.single import Pulse, run
from engines.cardiac.compiler.tissue import CompiledTissue, make_compiled_tissue, shipped_step
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, Numerics, Sphere, Stimulus
from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import const, make, symbol
from engines.geometry.meshes.box import box_mesh
from tests.compiled import known_architectures, resources_of
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER
from tests.engines.cardiac.compiler.conftest import NAMES, random_states

pytestmark = pytest.mark.usefixtures("own_cache")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_kernels_compile_without_spills(name, precision):
    """The largest in float32 on every architecture; the others where registers are scarcest, one by GRL2."""
    known = known_architectures()
    scheme = "GRL2" if name == "ten_tusscher_panfilov_2006" and precision == "float64" else "RL"
    path = kernel_file(shipped_step(name, precision, scheme))
    macro = "-DREAL=float" if precision == "float32" else "-DREAL=double"
    for architecture in ARCHITECTURES if name == "courtemanche_1998" and precision == "float32" else (75,):
        if architecture in known:
            for kernel in resources_of(path, (macro,), architecture):
                assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)


SPILLING = ("GRL2", "float64", "-DGROUPS")
"""README.md tells of it: the loop over groups keeps constants in registers, which are all taken."""


@pytest.mark.parametrize(
    ("scheme", "precision"),
    [
        pytest.param(
            scheme, precision, marks=[] if precision == "float64" and scheme.startswith("GRL") else pytest.mark.slow
        )
        for scheme in SCHEMES
        for precision in ("float32", "float64")
    ],
)
def test_no_scheme_of_tt06_spills_on_sm_90(scheme, precision):
    known = known_architectures()
    if 90 not in known:
        pytest.skip(f"this NVRTC knows {known}")
    path = kernel_file(shipped_step("ten_tusscher_panfilov_2006", precision, scheme))
    for form in ("", "-DGROUPS"):
        if (scheme, precision, form) == SPILLING:
            continue
        macros = [REAL[precision], *filter(None, [form])]
        for kernel in resources_of(path, macros, 90):
            assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0), kernel


def run_once(backend, compiled: Step, n: int, dt: float) -> tuple[CompiledTissue, np.ndarray, np.ndarray]:
    """One step with stimuli 0 and 3 on: the tissue, its voltage, and what the graph says is stored then."""
    model = compiled.model
    mask = np.arange(n, dtype=np.uint32) % 16
    tissue = make_compiled_tissue(backend, compiled, n, mask)
    stored = random_states(model, n, seed=7) - np.array(compiled.offsets)[:, None]
    padded = np.repeat(stored[:, :1], tissue.n_padded, axis=1)
    padded[:, :n] = stored
    given = padded.astype(compiled.precision)
    tissue.states = backend.array(np.delete(given, model.voltage, axis=0).copy())
    voltage, before = backend.array(given[model.voltage].copy()), backend.array(given[model.voltage].copy())
    currents = np.array([4.0, 0.0, 0.0, -1.5])
    with backend.active():
        tissue.step(voltage, before, 100, dt, currents)
    stimulus = 4.0 * (mask & 1) - 1.5 * ((mask >> 3) & 1)
    values = {state.name: row[:n].astype(float) for state, row in zip(model.states, given, strict=True)}
    wanted = evaluate(compiled.after, values | {STEP: dt, STIMULUS: stimulus})
    return tissue, backend.to_host(voltage)[:n], np.array([np.broadcast_to(row, n) for row in wanted])


CASES = [
    ("bueno_orovio_2008", "float32", "RL"),
    ("bueno_orovio_2008", "float64", "LRL"),
    ("bueno_orovio_2008", "float64", "GRL2"),
    ("courtemanche_1998", "float64", "GRL1"),
]


@pytest.mark.parametrize(("name", "precision", "scheme"), CASES)
@pytest.mark.parametrize("kind", ["numba", pytest.param("cuda", marks=needs_compiler)])
def test_a_step_is_what_the_graph_says(cpu, name, precision, scheme, kind):
    """float64: 1e-11 of the largest value, for powers up to 128 of an exponential; float32: four roundings of it."""
    backend = cpu if kind == "numba" else HostCudaBackend()
    n, dt = 203, 0.05
    tissue, voltage, wanted = run_once(backend, shipped_step(name, precision, scheme), n, dt)
    v = tissue.model.voltage
    found = np.insert(backend.to_host(tissue.states)[:, :n].astype(float), v, voltage, axis=0)
    tolerance = (1e-11 if precision == "float64" else 4 * 2.0**-24) * np.abs(wanted).max(axis=1, keepdims=True)
    assert (np.abs(found - wanted) <= tolerance).all()
    start = random_states(tissue.model, n, seed=7)[v]
    crossed = (start < 0) & (wanted[v] >= 0)
    activation = backend.to_host(tissue.activation)[:n]
    assert np.array_equal(activation >= 0, crossed)
    times = 100 * dt + dt * (start / (start - wanted[v]))[crossed]
    np.testing.assert_allclose(activation[crossed], times, rtol=1e-12 if precision == "float64" else 1e-5)


def beat(backend, name: str, amplitude: float, milliseconds: float, dt: float = 0.02) -> tuple[np.ndarray, np.ndarray]:
    """Times and voltage of one cell that is stimulated from 1 to 2 ms."""
    tissue = make_compiled_tissue(backend, shipped_step(name, "float32"), 1, np.ones(1, np.uint32))
    voltage, record = tissue.new_voltage(), []
    on = range(round(1 / dt), round(2 / dt))
    with backend.active():
        for k in range(round(milliseconds / dt)):
            record.append(float(voltage[0]))
            tissue.step(voltage, voltage, k, dt, np.array([amplitude]) if k in on else None)
    return np.arange(len(record)) * dt, np.array(record)


def test_mitchell_schaeffer_beats_as_the_papers_equations(cpu):
    """Eqs. 2-6 by SciPy at a tolerance of 1e-9; the kernel's step of 0.02 ms moves the duration by less than 0.2 ms."""

    def rates(t, y):
        v, h = y
        gate = (1 - h) / 120 if v < 0.13 else -h / 150
        return h * v**2 * (1 - v) / 0.3 - v / 6 + (0.5 if 1 <= t < 2 else 0.0), gate

    times, voltage = beat(cpu, "mitchell_schaeffer_2003", 50.0, 450.0)
    exact = solve_ivp(rates, (0, 450), (0.0, 1.0), t_eval=times, rtol=1e-9, atol=1e-11, max_step=0.25)
    found, wanted = measure(times, voltage), measure(times, -80 + 100 * exact.y[0])
    assert found.duration_90 == pytest.approx(wanted.duration_90, abs=0.2)
    assert found.peak == pytest.approx(wanted.peak, abs=0.1)


def test_aliev_panfilov_lasts_330_ms(cpu):
    """The paper takes its unit of time from an action potential of 330 ms at 90 %; 5 % for how it was stimulated."""
    found = measure(*beat(cpu, "aliev_panfilov_1996", 40.0, 600.0))
    assert found.duration_90 == pytest.approx(330.0, rel=0.05)
    assert found.peak == pytest.approx(20.0, abs=0.5)  # u = 1


@pytest.mark.slow
def test_ten_tusscher_lasts_as_published(cpu):
    """Beat 1 of an epicardial cell at 52 pA/pF: 290.1 ms, to 1 ms."""
    found = measure(*beat(cpu, "ten_tusscher_panfilov_2006", 52.0, 500.0))
    assert found.duration_90 == pytest.approx(290.1, abs=1.0)


@pytest.mark.slow
def test_ohara_rudy_lasts_as_published():
    """The endocardial cell paced at 1 Hz: about 270 ms in the paper's figures, to 5 %; 269.4 ms at the 50th beat."""
    compiled = shipped_step("ohara_rudy_2011", "float64")
    voltage, _ = run(compiled, 0.02, 50 * 50_000, 5, Pulse(80.0, 0.0, 0.5, 1000.0))
    _, duration = shape(voltage[-10_001:], 0.1)
    assert duration == pytest.approx(270.0, rel=0.05)


@pytest.mark.parametrize("name", ["Mitchell-Schaeffer 2003", "Bueno-Orovio 2008"])
def test_a_wave_travels_through_a_bar(cpu, name):
    """Every cell is activated, later the farther away it is, at a velocity within the range of heart muscle."""
    mesh = box_mesh((16, 2, 2), (8.0, 1.0, 1.0), fibre=(1.0, 0.0, 0.0))
    parameters = CardiacParameters(
        cell_model=name,
        stimuli=[Stimulus(name="end", site=Sphere(center=(0, 0, 0), radius=1.5))],
        numerics=Numerics(step=0.02),
    )
    problem, engine = Problem(parameters, mesh), CardiacEngine()
    assert engine.estimate(problem, cpu).bytes_per_step > 0
    simulation = engine.build(problem, cpu)
    simulation.advance(1500)
    activation, x = simulation.field("activation"), mesh.centroids[:, 0]
    assert (activation >= 0).all()
    inner = (x > 3) & (x < 6)
    velocity = 1 / np.polyfit(x[inner], activation[inner], 1)[0]
    assert 0.2 < velocity < 1.0  # mm/ms
    assert [field.name for field in simulation.fields][:2] == ["voltage", "activation"]
    simulation.close()


def test_an_equal_step_is_written_once(tmp_path):
    compiled = step(shipped("mitchell_schaeffer_2003"), "RL", "float32")
    path = kernel_file(compiled)
    written = path.stat().st_mtime_ns
    assert kernel_file(compiled) == path
    assert path.stat().st_mtime_ns == written
    assert kernel_file(step(shipped("mitchell_schaeffer_2003"), "FE", "float32")) != path


def angles() -> CellModel:
    """A gate that moves by every angle of itself, and a voltage that follows it."""
    v, x = symbol("V"), symbol("x")
    kinds = ("Sin", "Cos", "Tan", "ASin", "ACos", "ATan")
    total = const(0.0)
    for kind in kinds:
        node = _operation(kind, [x])
        assert node is not None
        total = make("add", total, node)
    rates = (make("sub", x, make("mul", const(0.1), v)), make("sub", total, x))
    return CellModel("angles", "Angles", (State("V", "mV", 0.0), State("x", "1", 0.5)), 0, rates, open_rates=rates)


@needs_compiler
def test_angles_are_the_same_on_both_backends(cpu):
    """Kernels had none, though formulas have: steps of 0.02 ms by FE against the graph's value in float64."""
    compiled = step(angles(), "FE")
    for backend in (cpu, HostCudaBackend()):
        tissue, voltage, wanted = run_once(backend, compiled, 33, 0.02)
        np.testing.assert_allclose(voltage, wanted[0], rtol=1e-13)
        np.testing.assert_allclose(tissue.state("x"), wanted[1], rtol=1e-12)
    try:
        resources_of(kernel_file(compiled), (REAL["float64"],), 90)
    except (ImportError, DeviceError) as error:
        pytest.skip(f"no NVRTC on this platform: {error}")

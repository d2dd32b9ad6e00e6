"""The FDTD kernels on a device, against the reference."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.boundaries import Face
from engines.fdtd.grid.dimensions import ALL
from engines.fdtd.parameters import Numerics
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.cuda import CudaYee
from engines.fdtd.step.curl.many_steps import LAUNCHES
from tests.engines.fdtd.fdtd_cases import (
    FACES,
    MAGNETIC,
    MANY,
    MEDIA,
    PMC,
    WRAP,
    cpml,
    driven,
    in_the_middle,
    make_case,
    reference_after,
)
from tests.engines.fdtd.grid.test_grids import TE, TM, plane_case
from tests.engines.fdtd.pole_cases import pole_case, reference_of, states_of
from tests.engines.fdtd.step.test_bloch import problem as bloch_problem

pytestmark = pytest.mark.gpu
EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
STEPS = 6
ABSORBING = (
    (Face("absorber", 5), Face("CPML", 3)),
    (Face("periodic"),) * 2,
    (Face("absorber", 3), Face("absorber", 4)),
)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("materials", [MEDIA, MAGNETIC, MANY], ids=["electric", "magnetic", "16 bits"])
@pytest.mark.parametrize("faces", FACES)
def test_steps_equal_the_reference(gpu, faces, materials, precision):
    """Tolerance as in tests/engines/fdtd/step/test_steps.py; every launch shape."""
    case = make_case(faces, materials)
    fields = case.random_fields()
    expected = reference_after(case, fields, STEPS)
    places = case.yee.counts[0] + 1
    first = CudaYee(
        gpu,
        case.yee,
        case.axes,
        case.media,
        case.sources(),
        precision,
        shape=(2 if precision == "float64" else 4, 32, 4, 4),
    )
    for shape in first.shapes():
        steps = CudaYee(gpu, case.yee, case.axes, case.media, case.sources(), precision, shape=shape)
        with gpu.active():
            steps.electric[...] = gpu.array(fields[0].astype(precision))
            steps.magnetic[...] = gpu.array(fields[1].astype(precision))
            steps.advance(np.zeros((STEPS, 0)))
        for mine, right in zip((steps.electric, steps.magnetic), expected, strict=True):
            found = gpu.to_host(mine)
            np.testing.assert_allclose(found[..., :places], right, rtol=0, atol=12 * 4 * 2**STEPS * EPSILON[precision])
            assert not found[..., places:].any()


@pytest.mark.parametrize(("precision", "shape"), [(each, one) for each in LAUNCHES for one in LAUNCHES[each]])
@pytest.mark.parametrize(
    ("faces", "wave"), [("layers", True), ("layers", False), ("mixed", False), ("periodic", False)]
)
def test_many_steps_in_a_launch_have_the_bits_of_two_passes(gpu, faces, wave, precision, shape):
    """Of bricks that wait for each other: what they show each other and what sources add, for even and odd numbers."""
    driving = faces == "layers"
    case = make_case(faces, MEDIA[:2] if driving else MEDIA, counts=(45, 36, 38))
    sources = in_the_middle(case, wave) if driving else case.sources()
    found = []
    for options in ({"shape": (1, 32, 4, 4)}, {"shape": (1, 32, 4, 4), "many": (shape, None)}):
        steps = CudaYee(gpu, case.yee, case.axes, case.media, sources, precision, **options)
        with gpu.active():
            for held, field in zip((steps.electric, steps.magnetic), case.random_fields(), strict=True):
                held.set(field.astype(precision))
            for first, count in ((0, 64), (64, 33), (97, 2)):
                steps.advance(sources.table(first, count, case.dt))
        found.append({name: gpu.to_host(part) for name, part in steps.parts().items()})
    for name, part in found[0].items():
        np.testing.assert_array_equal(part, found[1][name], err_msg=name)
    assert np.abs(found[0]["electric"]).max() > 0.01


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("faces", ["mixed", ABSORBING], ids=["layers", "absorber"])
def test_poles_equal_the_reference(gpu, faces, precision):
    """Tolerance as in tests/engines/fdtd/media/test_dispersion.py; every launch shape. The energy is the CPU's."""
    case, cells = pole_case(faces)
    fields, places = case.random_fields(), case.yee.counts[0] + 1
    reference = reference_of(case, cells)
    reference.electric[...], reference.magnetic[...] = (field[..., :places] for field in fields)
    for _ in range(STEPS):
        reference.step_electric()
        reference.step_magnetic()
    atol = 24 * 4 * 2**STEPS * EPSILON[precision] + 1e-12 * STEPS
    cpu = CpuYee(CpuBackend(), case.yee, case.axes, case.media, case.sources(), precision)
    with CpuBackend().active():
        cpu.electric[...], cpu.magnetic[...], cpu.states[...] = *fields, states_of(case, fields[0])
        cpu.advance(np.zeros((STEPS, 0)))
        energy = cpu.energy()
    first = CudaYee(gpu, case.yee, case.axes, case.media, case.sources(), precision, shape=(1, 32, 4, 4))
    for shape in first.shapes():
        steps = CudaYee(gpu, case.yee, case.axes, case.media, case.sources(), precision, shape=shape)
        with gpu.active():
            steps.electric[...] = gpu.array(fields[0].astype(precision))
            steps.magnetic[...] = gpu.array(fields[1].astype(precision))
            steps.states[...] = gpu.array(states_of(case, fields[0]).astype(precision))
            steps.advance(np.zeros((STEPS, 0)))
            found = steps.energy()
        np.testing.assert_allclose(gpu.to_host(steps.electric)[..., :places], reference.electric, rtol=0, atol=atol)
        np.testing.assert_allclose(gpu.to_host(steps.magnetic)[..., :places], reference.magnetic, rtol=0, atol=atol)
        np.testing.assert_allclose(found, energy, rtol=1e-5 if precision == "float32" else 1e-11)


@pytest.mark.parametrize("materials", [MAGNETIC, MANY], ids=["8 bits", "16 bits"])
def test_sources_and_energy_are_those_of_the_cpu(gpu, materials):
    """fp64, 30 steps: the same sums but for fused operations."""
    case = make_case("layers", materials, counts=(24, 18, 17))
    sources = driven(case)
    found = []
    for maker, backend in ((CpuYee, CpuBackend()), (CudaYee, gpu)):
        steps = maker(backend, case.yee, case.axes, case.media, sources, "float64")
        with backend.active():
            steps.advance(sources.table(0, 30, case.dt))
            energy = steps.energy()
        found.append((backend.to_host(steps.electric), backend.to_host(steps.magnetic), energy))
    for mine, other in zip(found[0][:2], found[1][:2], strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-12 * np.abs(mine).max())
    np.testing.assert_allclose(found[0][2], found[1][2], rtol=1e-12)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("parts", [ALL, TM, TE], ids=["all", "TM", "TE"])
def test_a_graded_plane_equals_the_reference(gpu, parts, precision):
    case = plane_case(((cpml(4), cpml(3)), (PMC, cpml(3)), (WRAP, WRAP)), counts=(53, 31, 1))
    fields = case.random_fields()
    for n, has in enumerate((*parts.electric, *parts.magnetic)):
        fields[n // 3][n % 3] *= has
    expected = reference_after(case, fields, STEPS)
    places = case.yee.counts[0] + 1
    steps = CudaYee(gpu, case.yee, case.axes, case.media, case.sources(), precision, parts=parts)
    with gpu.active():
        steps.electric[...] = gpu.array(fields[0].astype(precision))
        steps.magnetic[...] = gpu.array(fields[1].astype(precision))
        steps.advance(np.zeros((STEPS, 0)))
    for mine, right in zip((steps.electric, steps.magnetic), expected, strict=True):
        found = gpu.to_host(mine)[..., :places]
        np.testing.assert_allclose(found, right, rtol=0, atol=12 * 4 * 2**STEPS * EPSILON[precision])


def test_bloch_faces_are_those_of_the_cpu(gpu):
    """fp64, 20 steps of a driven crystal through the engine: the same sums but for fused operations."""
    engine, found = FdtdEngine(), []
    for backend in (CpuBackend(), gpu):
        run = engine.build(bloch_problem(numerics=Numerics(precision="fp64")), backend)
        run.advance(20)
        found.append(run.state())
        run.close()
    for name in ("electric", "imaginary electric", "magnetic", "imaginary magnetic"):
        mine, other = found[0][name], found[1][name]
        assert np.abs(mine).max() > 0
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-12 * np.abs(mine).max())

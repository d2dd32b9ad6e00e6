"""The FDTD kernels on a device, against the reference."""

from __future__ import annotations

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.fdtd.cpu import CpuYee
from engines.fdtd.cuda import CudaYee
from tests.engines.fdtd.fdtd_cases import FACES, MAGNETIC, MANY, MEDIA, driven, make_case, reference_after

pytestmark = pytest.mark.gpu
EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
STEPS = 6


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("materials", [MEDIA, MAGNETIC, MANY], ids=["electric", "magnetic", "16 bits"])
@pytest.mark.parametrize("faces", FACES)
def test_steps_equal_the_reference(gpu, faces, materials, precision):
    """Tolerance as in tests/engines/fdtd/test_fdtd_steps.py; every launch shape."""
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

"""Off-diagonal terms of smoothed permittivities on a device, against the CPU."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.cuda import CudaYee
from tests.engines.fdtd.media.smoothing.test_tensor import FACES, case_of

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("faces", FACES)
def test_terms_are_those_of_the_cpu(gpu, faces, precision):
    """40 steps of random fields: the same sums but for fused operations."""
    case, found = case_of(faces), []
    fields, sources = case.random_fields(), case.sources()
    for maker, backend in ((CpuYee, CpuBackend()), (CudaYee, gpu)):
        steps = maker(backend, case.yee, case.axes, case.media, sources, precision)
        with backend.active():
            for held, field in zip((steps.electric, steps.magnetic), fields, strict=True):
                held[...] = backend.array(field.astype(precision))
            for _ in range(2):
                steps.advance(sources.table(0, 20, case.dt))
        found.append((backend.to_host(steps.electric), backend.to_host(steps.magnetic)))
    for one, two in zip(*found, strict=True):
        tolerance = (1e-12 if precision == "float64" else 1e-4) * np.abs(one).max()
        np.testing.assert_allclose(one, two, rtol=0, atol=tolerance)

"""Oblique waves, beams and modes on a device, against the CPU."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.cuda import CudaYee
from tests.engines.fdtd.sources.test_sources import all_kinds

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_all_sources_are_those_of_the_cpu(gpu, precision):
    """40 steps: the same sums but for fused operations; tolerances as in tests/engines/fdtd/sources/test_sources.py."""
    case, sources = all_kinds()
    found = []
    for maker, backend in ((CpuYee, CpuBackend()), (CudaYee, gpu)):
        steps = maker(backend, case.yee, case.axes, case.media, sources, precision)
        with backend.active():
            for start in (0, 25):
                steps.advance(sources.table(start, 25 if start == 0 else 15, case.dt))
        found.append({name: backend.to_host(part) for name, part in steps.parts().items()})
    relative = 1e-12 if precision == "float64" else 2e-5
    for name, part in found[0].items():
        if name.startswith("psi") and name.endswith("x"):
            continue  # in other places on a GPU; what they do is in the fields
        tolerance = relative * max(np.abs(part).max(), 1e-300)
        np.testing.assert_allclose(part, found[1][name], rtol=0, atol=tolerance, err_msg=name)

"""Force-stretch laws on a device: the damage that the CPU finds, with the device's own exponentials and roots."""

import numpy as np
import pytest
from numba import njit

from engines.peridynamics.lattice.family import family
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.laws.calibration import calibrated
from engines.peridynamics.parameters.laws import Bilinear, Exponential, Nonlinear, Trilinear, Typed

pytestmark = pytest.mark.gpu
KERNEL = """
// variants: -DREAL=float; -DREAL=double
extern "C" __global__ void all(const REAL* s, const REAL* d, const REAL* p, REAL* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = law_damage(s[i], d[i], p);
}
"""
SMOOTH = ("x = min(1, max(0, (s - s0)/(sc - s0)))", "d = 1 - s0/s*(1 - tanh(2*x)**2*x**0.5)*(1 - x)")


@njit
def call(function, s, d, which, p):
    function(s, d, which, p, len(s))


@pytest.mark.parametrize(("real", "dtype", "near"), [("float", np.float32, 2e-6), ("double", np.float64, 1e-14)])
@pytest.mark.parametrize(
    "choice", [Bilinear(), Trilinear(), Exponential(), Nonlinear(), Typed(lines=list(SMOOTH))], ids=lambda law: law.kind
)
def test_a_device_finds_the_damage_of_the_cpu(gpu, tmp_path, choice, real, dtype, near):
    """Damage is of order 1: some ten roundings, those of s0/s included."""
    law = calibrated(choice, Lattice(family(2, 3), "plane stress", 72e9, 2440.0, 3.8, 1e-3 / 3, 1e-3)).law()
    path = tmp_path / "law.cu"
    path.write_text(law.cuda + KERNEL)
    rng = np.random.default_rng(3)
    s = rng.uniform(0.5 * law.elastic_limit, 1.1 * law.failure, 1024).astype(dtype)
    d = (rng.uniform(0, 1, 1024) * rng.integers(0, 2, 1024)).astype(dtype)
    kernel = gpu.compile(path, (f"-DREAL={real}",)).get_function("all")
    with gpu.active():
        given = [gpu.array(each) for each in (s, d, np.array(law.parameters, dtype))]
        out = gpu.empty(1024, dtype)
        kernel((4,), (256,), (*given, out))
        found = np.asarray(out.get())
    expected = d.astype(float)
    call(law.function, s.astype(float), expected, np.zeros(1024, np.int64), np.array([law.parameters]))
    np.testing.assert_allclose(found, expected, rtol=0, atol=near)
    assert ((found > 0) & (found < 1)).any()

"""The Kernel Lab's battery studies and the kinetics on a GPU: every variant's answer, and what the best ones reach."""

from dataclasses import replace

import numpy as np
import pytest

from engines.api.lab import Case
from engines.battery.kinetics.butler_volmer import current_density, overpotential
from engines.battery.lab.studies import studies
from tests.engines.lab_checks import launched, variants_of
from workbench.bench.lab import Lab

pytestmark = pytest.mark.gpu

COUNTS = (1, 37, 3001)


@pytest.mark.parametrize(("study", "variant"), variants_of(studies(), lambda variant: variant.device == "cuda"))
def test_a_variant_equals_the_reference(gpu, study, variant):
    inner = study.cases[0].size[1:]
    points = int(np.prod(inner, dtype=int))
    for prepared, _ in launched(gpu, study, variant, [Case("small", (n, *inner), n * points) for n in COUNTS]):
        resources = prepared.resources()
        assert resources is None or 0 < resources.occupancy <= 1


def test_the_engines_variants_are_the_fastest(gpu):
    """At a middle size: fused steps beat steps one by one, one launch of a protocol beats a hundred."""
    by_id = {study.id: study for study in studies()}
    for id, case, slow in (("spherical-288", "100k", ("steps", "graph", "fused")), ("discharges", "100k", ("steps",))):
        study = by_id[id]
        few = [variant for variant in study.variants if variant.id in ("engine", *slow)]
        sizes = [one for one in study.cases if one.name == case]
        records = {
            record.variant: record for record in Lab(gpu, quick=True).run([replace(study, cases=sizes, variants=few)])
        }
        assert all(not record.refused for record in records.values())
        assert all(records["engine"].seconds < records[other].seconds for other in slow)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 7, 4099, 1 << 20])
def test_kinetics(gpu, precision, n):
    """As in tests/engines/battery/kinetics; division and functions of the device are off by 2 ulp."""
    rng = np.random.default_rng(n)
    eta = (10 ** rng.uniform(-9, 0, n) * rng.choice([-1.0, 1.0], n)).astype(precision)
    exchange = rng.uniform(0.1, 30, n).astype(precision)
    half = 96485.33212 / (2 * 8.314462618 * 298.15)
    epsilon = {"float32": 2.0**-24, "float64": 2.0**-53}[precision]
    with gpu.active():
        j = current_density(gpu, gpu.array(eta), gpu.array(exchange))
        back = overpotential(gpu, j, gpu.array(exchange))
    expected = 2 * exchange.astype(np.longdouble) * np.sinh(half * eta.astype(np.longdouble))
    allowed = (16 + 2 * np.abs(eta) * half) * epsilon
    assert (np.abs(gpu.to_host(j) - expected) <= allowed * np.abs(expected)).all()
    np.testing.assert_allclose(gpu.to_host(back), eta, rtol=1e-5 if precision == "float32" else 1e-13)
    with gpu.active():
        negative = current_density(gpu, gpu.array(-eta), gpu.array(exchange))
    np.testing.assert_array_equal(gpu.to_host(negative), -gpu.to_host(j))

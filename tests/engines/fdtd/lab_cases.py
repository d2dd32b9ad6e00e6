"""The Lab's kernels and tables in small forms, for either kind of device."""

from __future__ import annotations

import numpy as np

from engines.api.lab import Case
from engines.fdtd.lab.fused import FusedYee
from engines.fdtd.lab.spectra import SAMPLES, FourierSums
from engines.fdtd.lab.tables import (
    CoarseningTable,
    FourierTable,
    FusedLayersTable,
    LayoutTable,
    PassesTable,
    ThroughputTable,
)
from tests.engines.fdtd.fdtd_cases import make_case, reference_after
from workbench.bench.check import Checker

EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
STEPS = 6
WITH_RESOURCES = ("two-passes", "arrays", "structures", "one-structure", "padded")
"""Whose registers are told: kernels that do the work alone."""
SIZES = {"fdtd-step": (13, 10, 21), "fdtd-layers": (23, 24, 25)}
"""(nz, ny, nx), no multiples of anything."""


def check_variant(backend, study, variant, shapes) -> None:
    """From the second set; the first is left alone. What is given again gives the same answer again."""
    size = SIZES[study.id]
    case = Case("small", size, int(np.prod(size)))
    checker = Checker(study, case, seed=5)
    start = np.moveaxis(np.concatenate([checker.inputs["e"], checker.inputs["h"]]), 1, 0)
    for shape in shapes or (None,):
        prepared = variant.prepare(backend, case, checker.inputs, 2, shape)
        answers = []
        for _ in range(2):
            prepared.poison(1)
            with backend.active():
                prepared.launch(1)
            backend.synchronize()
            answers.append(np.array(prepared.result(1)))
        assert checker.error(answers[0], variant.steps) <= study.tolerance, shape
        np.testing.assert_array_equal(*answers)
        np.testing.assert_array_equal(prepared.result(0), start)
        if backend.id == "cpu" or backend.info.kind == "cuda":  # the emulator's kernels have no resources
            resources = prepared.resources()
            assert (resources is None) == (variant.id not in WITH_RESOURCES)
        prepared.close()
    assert checker.error(start, variant.steps) > 0.05


def check_fused(backend, precision: str, shape) -> None:
    """Random materials, layers of several thicknesses; tolerance as in test_steps.py."""
    case = make_case("layers", counts=(37, 13, 12))
    fields = case.random_fields()
    steps = FusedYee(backend, case.yee, case.axes, case.media, case.sources(), precision, shape=shape)
    with backend.active():
        steps.electric[...], steps.magnetic[...] = (backend.array(field.astype(precision)) for field in fields)
        steps.enqueue(STEPS)
    places = case.yee.counts[0] + 1
    for mine, right in zip((steps.electric, steps.magnetic), reference_after(case, fields, STEPS), strict=True):
        found = backend.to_host(mine)
        np.testing.assert_allclose(found[..., :places], right, rtol=0, atol=12 * 4 * 2**STEPS * EPSILON[precision])
        assert not found[..., places:].any()


def check_sums(backend) -> None:
    """Each way adds the same: 16 products in float32, of sums below 16: 16² · 2⁻²⁴; twice, so that all do add."""
    x = np.random.default_rng(2).uniform(-1, 1, 5000).astype(np.float32)
    turns = np.random.default_rng(3).uniform(-1, 1, (7, SAMPLES, 2)).astype(np.float32)
    wanted = 2 * np.einsum("n,fsp->fpn", x.astype(float), turns.astype(float))
    for way in ("each_frequency", "all_frequencies", "gathered"):
        made = FourierSums(backend, x, turns)
        with backend.active():
            getattr(made, way)()
            getattr(made, way)()
        np.testing.assert_allclose(backend.to_host(made.sums), wanted, rtol=0, atol=2 * 16**2 * 2.0**-24)


SMALL = {"cpu": ((24,) * 3,), "cuda": ((24,) * 3,)}


class SmallThroughput(ThroughputTable):
    quick = SMALL


class SmallLayout(LayoutTable):
    sizes = SMALL


class SmallFused(FusedLayersTable):
    sizes, layers = ((24,) * 3,), (5,)


class SmallCoarsening(CoarseningTable):
    counts, spans = (24, 24, 24), (1, 4)


class SmallPasses(PassesTable):
    sizes = ((24,) * 3,)


class SmallFourier(FourierTable):
    sizes, frequencies = {"cpu": (3000,), "cuda": (3000,)}, (3,)


SMALL_TABLES = (
    SmallThroughput(), SmallLayout(), SmallFused(), SmallCoarsening(), SmallPasses(), SmallFourier(),
)  # fmt: skip


def check_table(table, backend) -> list:
    """Rows under all columns, each figure above zero, and no two about the same."""
    rows = table.measure(backend)
    keys = [tuple(v for v, c in zip(row, table.columns, strict=True) if not c.result) for row in rows]
    assert rows
    assert len(set(keys)) == len(keys)
    for row in rows:
        assert all(value is None or isinstance(value, str) or value > 0 for value in row)
    return rows

"""The Kernel Lab: every way to write the forces equals the reference, tables and benchmarks can be made."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.api.lab import Case
from engines.backend.cpu import CpuBackend
from engines.peridynamics.body.bonded import bonded
from engines.peridynamics.body.filling import filled
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lab import formulations
from engines.peridynamics.lab.benchmarks import JOB_PARTICLES, JOB_STEP, benchmarks, branching, counts_near, sized
from engines.peridynamics.lab.stepping import bonds_in
from engines.peridynamics.lab.studies import studies
from engines.peridynamics.lab.tables import tables
from engines.peridynamics.lab.variants.forces import _bonds
from engines.peridynamics.lab.variants.inputs import REACH, counts_of, fresh, intact, offsets, reference
from engines.peridynamics.lab.variants.packing import by_deltas, pairs, places
from engines.peridynamics.lattice.reference import Reference, bonds_of
from tests.cuda_on_host import COMPILER, HostCudaBackend
from tests.engines.lab_checks import allowed, backend_here, launched, variants_of

CASES = {2: Case("plate", (13, 35), 13 * 35), 3: Case("block", (7, 8, 9), 7 * 8 * 9)}
"""No multiples of a block, and in space no particle has all neighbours along z."""


def case_of(study) -> Case:
    return CASES[len(study.cases[0].size)]


@pytest.mark.parametrize(("study", "variant"), variants_of(studies(), lambda variant: variant.language != "CuPy"))
def test_a_variant_equals_the_reference(study, variant):
    """And again from the same set: inputs stay as they were, or the force would not double."""
    backend = backend_here(variant)
    for prepared, checker in launched(backend, study, variant, [case_of(study)]):
        untouched = prepared.result(0)
        assert not np.isfinite(untouched).any() or not untouched.any()
        with backend.active():
            prepared.launch(1)
        twice = 2 if "engine" in variant.id or "cloud" in variant.id else 1
        assert checker.error(prepared.result(1) / twice, 1) <= allowed(study, variant)


@pytest.mark.parametrize("d", [2, 3])
def test_the_reference_is_the_list_of_bonds(d):
    """Both in float64: rounding of 122 terms, some 1e-14. Broken bonds are broken at both ends."""
    case = CASES[d]
    inputs = fresh(case, np.random.default_rng())
    cells = places(inputs).T.astype(int)
    given = bonds_of(cells, REACH)
    ends, broken = pairs(inputs)
    assert len(ends) == len(given) == _bonds(case) == bonds_in(tuple(counts_of(case)[:d]), REACH)
    assert 0.02 < broken.mean() < 0.1
    expected = Reference(cells, ends, ~broken, 1.0, 1.0)
    assert {tuple(sorted(pair)) for pair in ends.tolist()} == {tuple(sorted(pair)) for pair in given.tolist()}
    expected.u, expected.intact = inputs["u"].T.astype(float), ~broken
    pull = expected.pull()
    np.testing.assert_allclose(reference(inputs, 1), pull.T, rtol=0, atol=1e-12 * np.abs(pull).max())
    known = offsets(d)
    held = sum(int(intact(inputs, bond).sum()) for bond in range(len(known)))
    assert held == 2 * (~broken).sum()


def test_deltas_that_need_more_than_16_bits_are_refused():
    inputs = {"u": np.zeros((2, 4)), "words": np.zeros((1, 4), np.uint32), "counts": np.array([11_000, 4, 1])}
    with pytest.raises(ProblemError, match="16 bits"):
        by_deltas(inputs)


def test_bytes_are_those_of_the_lists():
    """Of variants whose sets hold what the algorithm reads and writes, inside a large body."""
    for study in studies():
        case = case_of(study)
        inputs = fresh(case, np.random.default_rng(1))
        for variant in study.variants:
            if variant.id in ("neighbours", "block", "warp", "ell32", "ell16", "stencil", "numba-neighbours", "numpy"):
                backend = HostCudaBackend() if variant.language == "CUDA" else CpuBackend()
                if variant.language == "CUDA" and COMPILER is None:
                    continue
                prepared = variant.prepare(backend, case, inputs, 1, None)
                assert prepared.set_bytes == variant.bytes * case.points, variant.id
                prepared.close()


def test_the_published_figure_is_that_of_its_bonds():
    for study in studies():
        assert [case.points for case in study.cases] == [math.prod(case.size) for case in study.cases]
    # 80,000 particles have 1.12 million bonds less those beyond the sides: at 147 million a second 7.5 ms
    (published,) = studies()[0].published
    bonds = bonds_in((400, 200), REACH)
    assert published.figures["numba-pypd"]["80K"] == pytest.approx(bonds / 147e6 * 1e3, rel=0.03)


def test_slow_variants_are_refused_where_a_launch_would_take_seconds():
    (space,) = [study for study in studies() if study.id == "bond-forces-3d"]
    (variant,) = [one for one in space.variants if one.id == "numpy"]
    with pytest.raises(ProblemError, match="smaller sizes"):
        variant.prepare(CpuBackend(), space.cases[-1], {}, 1, None)


def test_tables_are_measured(cpu, monkeypatch):
    """Small ones: rows as wide as the columns, rates that are positive, and one row for what was published."""
    monkeypatch.setattr(formulations, "counts_near", lambda particles, d: (12,) * d)
    some = ("Brittle, all bonds alike", formulations.SOFTENING)
    monkeypatch.setattr(formulations, "FORMS", {name: formulations.FORMS[name] for name in some})
    throughput, forms, job = tables()
    monkeypatch.setattr(throughput, "quick", (64,))
    monkeypatch.setattr(job, "steps", 3)
    monkeypatch.setattr(job, "problem", lambda: sized((16, 12)))
    for table in (throughput, forms, job):
        rows = table.measure(cpu)
        assert rows
        for row in rows:
            assert len(row) == len(table.columns)
            assert all(isinstance(value, str) or value > 0 for value in row)
    assert job.published[0].rows[0][0] == job.name


def test_benchmarks_are_what_they_are_called(cpu):
    usual = benchmarks()
    assert [one.elements for one in usual] == [JOB_PARTICLES, 1_000_000, 1_000_000, 10_000_000]
    problem = branching()
    body = filled(problem.parameters)
    assert len(body.cells) == JOB_PARTICLES
    assert PeridynamicsEngine().estimate(problem, cpu).stable_step > JOB_STEP
    few = benchmarks((600,))
    assert [one.elements for one in few] == [math.prod(counts_near(600, d)) for d in (2, 3)]
    for one in few:
        simulation = PeridynamicsEngine().build(one.problem(), cpu)
        assert simulation.geometry.n_cells == one.elements
        simulation.advance(3)
        assert simulation.non_finite() is None
        simulation.close()


def test_the_job_is_notched_and_held_as_pypd_has_it():
    """21 rows at each side move; the notch goes between rows 99 and 100 from the left side to particle 200."""
    parameters = branching().parameters
    assert [(load.region.rows, load.y) for load in parameters.loads] == [(21, -0.1), (21, 0.1)]
    bonds = bonded(parameters, filled(parameters))
    cut = bonds.whole.sum() - np.bitwise_count(bonds.words).sum()
    x, expected = np.arange(400) + 0.5, 0
    for a, b, _ in bonds.family.offsets[bonds.family.offsets[:, 1] > 0]:
        for below in range(b):  # the bond begins so many rows below row 99
            meets = x + a * (below + 0.5) / b
            expected += ((meets <= 200.5 + 1e-9) & (x + a > 0) & (x + a < 400)).sum()
    assert cut == 2 * expected

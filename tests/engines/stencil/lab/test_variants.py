"""Every CPU variant of the stencil studies equals the reference, and the studies are whole."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from engines.api.lab import Case
from engines.backend import open_backend
from engines.backend.compile.variants import declared
from engines.stencil.lab.studies import studies
from engines.stencil.lab.variants.reference import laplacian
from workbench.bench.check import Checker

SMALL = {1: [(24,), (1000,), (40_004,)], 2: [(8, 8), (37, 52), (100, 44)], 3: [(5, 6, 8), (17, 13, 12)]}
"""Sizes that are no multiples of any block; x of 4, as the variants with 16-byte accesses need."""


def small_cases(study):
    return [Case("x".join(map(str, size)), size, int(np.prod(size))) for size in SMALL[len(study.cases[0].size)]]


HOST = [
    pytest.param(study, variant, id=f"{study.id}-{variant.id}")
    for study in studies()
    for variant in study.variants
    if variant.device == "cpu"
]


@pytest.mark.parametrize(("study", "variant"), HOST)
def test_a_cpu_variant_equals_the_reference(study, variant):
    """The output is NaN before; each set of buffers gives the same answer. The tolerance is the study's own."""
    backend = open_backend("cpu")
    for case in small_cases(study):
        checker = Checker(study, case, seed=case.points)
        prepared = variant.prepare(backend, case, checker.inputs, 2, None)
        answers = []
        for index in (0, 1):
            prepared.poison(index)
            assert np.isnan(prepared.result(index)).any()
            with backend.active():
                prepared.launch(index)
            answers.append(prepared.result(index))
        prepared.close()
        assert checker.error(answers[0], variant.steps) <= study.tolerance
        np.testing.assert_array_equal(answers[0], answers[1])


@pytest.mark.parametrize("study", studies(), ids=lambda study: study.id)
def test_rows_of_the_reference_are_those_of_the_whole(study):
    """To round-off: a slab sums the same numbers in the same order, so equally to the last bit."""
    case = small_cases(study)[-1]
    inputs = study.inputs(case, np.random.default_rng(5))
    rows = case.size[0]
    for steps in {variant.steps for variant in study.variants}:
        whole = study.reference(inputs, steps)
        for first, stop in ((0, 3), (rows - 3, rows), (rows // 2, rows // 2 + 2)):
            np.testing.assert_array_equal(study.reference_rows(inputs, steps, first, stop), whole[first:stop])


def test_the_reference_is_the_laplacian():
    """A wave with m periods on n points has the eigenvalue -4 sin²(pi m / n) per dimension; round-off of 1e-13."""
    wave = np.cos(2 * np.pi * 3 * np.arange(32) / 32)
    eigenvalue = -4 * np.sin(np.pi * 3 / 32) ** 2
    np.testing.assert_allclose(laplacian(wave), eigenvalue * wave, atol=1e-13)
    np.testing.assert_allclose(laplacian(np.add.outer(wave, wave)), eigenvalue * np.add.outer(wave, wave), atol=1e-13)


@pytest.mark.parametrize("study", studies(), ids=lambda study: study.id)
def test_what_is_shown_exists(study):
    """Unique ids, a source with the symbol in it, a note, bytes; the usual shape first."""
    ids = [variant.id for variant in study.variants]
    assert len(ids) == len(set(ids))
    for variant in study.variants:
        text = variant.source.read_text("utf-8")
        if variant.device == "cuda" and variant.language == "CUDA":
            assert f"void {variant.symbol}(" in text
            assert variant.shapes or variant.id.startswith("engine-")  # whose shape is found by tuning
            assert declared(text).variants
        else:
            names = [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
            assert variant.symbol in names
        assert variant.note
        assert variant.bytes > 0
        assert variant.flops > 0


def test_the_published_tables_are_complete():
    """Sixteen figures of the guide's section 6, three of dendrite's; each names a variant, a case and a shape."""
    published = {study.id: study.published for study in studies() if study.published}
    (guide,) = published["laplace2d"]
    assert {name: list(row.values()) for name, row in guide.figures.items()} == {
        "naive": [0.0398, 0.1432, 0.5662, 2.2476],
        "ldg": [0.0397, 0.1431, 0.5656, 2.2511],
        "texture": [0.0468, 0.1644, 0.6569, 2.6381],
        "shared": [0.0674, 0.2377, 0.9082, 3.6918],
    }
    (dendrite,) = published["diffusion2d"]
    assert list(dendrite.figures["naive"].values()) == [787.0, 815.0, 836.0]
    for study in studies():
        for table in study.published:
            for name, row in table.figures.items():
                (variant,) = [one for one in study.variants if one.id == name]
                for column in row:
                    case, _, shape = column.partition(" ")
                    assert case in {one.name for one in study.cases}
                    assert not shape or tuple(map(int, shape.split("x"))) in variant.shapes

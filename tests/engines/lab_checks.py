"""What every variant of the Kernel Lab must be, whatever its engine: right in each launch shape, and whole as shown."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import numpy as np
import pytest

from engines.api.device import Backend
from engines.api.lab import Case, Study, Variant
from engines.backend.compile.variants import declared
from engines.backend.cpu import CpuBackend
from workbench.bench.check import Checker


def variants_of(studies: Iterable[Study], chosen: Callable[[Variant], bool]) -> list[Any]:
    """(study, variant) for ``parametrize``."""
    return [
        pytest.param(study, variant, id=f"{study.id}-{variant.id}")
        for study in studies
        for variant in study.variants
        if chosen(variant)
    ]


def allowed(study: Study, variant: Variant) -> float:
    return study.tolerance if variant.tolerance is None else variant.tolerance


def launched(backend: Backend, study: Study, variant: Variant, cases: Iterable[Case]) -> Iterator[tuple[Any, Checker]]:
    """With every launch shape, from the second of two sets; the first is left alone. Each is right, and then given."""
    for case in cases:
        checker = Checker(study, case, seed=case.points)
        for shape in variant.shapes or (None,):
            prepared = variant.prepare(backend, case, checker.inputs, 2, shape)
            for index in (0, 1):
                prepared.poison(index)
            untouched = prepared.result(0).copy()
            with backend.active():
                prepared.launch(1)
            backend.synchronize()
            error = checker.error(prepared.result(1), variant.steps)
            assert error <= allowed(study, variant), (case.name, shape)
            np.testing.assert_array_equal(prepared.result(0), untouched)
            yield prepared, checker
            prepared.close()


def check_on_the_cpu(study: Study, variant: Variant, cases: Iterable[Case]) -> None:
    """Each set of buffers gives the same answer, which was not there before the launch."""
    backend = CpuBackend()
    for case in cases:
        checker = Checker(study, case, seed=case.points)
        prepared = variant.prepare(backend, case, checker.inputs, 2, None)
        answers = []
        for index in (0, 1):
            prepared.poison(index)
            before = checker.error(prepared.result(index), variant.steps)
            with backend.active():
                prepared.launch(index)
            answers.append(prepared.result(index))
            assert before > 100 * checker.error(answers[-1], variant.steps)
        assert prepared.set_bytes > 0
        prepared.close()
        assert checker.error(answers[0], variant.steps) <= allowed(study, variant)
        np.testing.assert_array_equal(answers[0], answers[1])


def check_on_the_gpu(gpu: Backend, study: Study, variant: Variant, cases: Iterable[Case]) -> None:
    for prepared, _ in launched(gpu, study, variant, cases):
        if variant.language == "CUDA":
            resources = prepared.resources()
            assert resources.registers > 0
            assert 0 < resources.occupancy <= 1


def backend_here(variant: Variant) -> Backend:
    """CUDA runs thread by thread on the host."""
    if variant.language != "CUDA":
        return CpuBackend()
    host = pytest.importorskip("tests.cuda_on_host")
    if host.COMPILER is None:
        pytest.skip("no C++ compiler, or not Linux")
    return cast("Backend", host.HostCudaBackend())


def check_here(study: Study, variant: Variant, cases: Iterable[Case]) -> None:
    for _ in launched(backend_here(variant), study, variant, cases):
        pass


def check_rows(study: Study, case: Case, atol: float) -> None:
    """Rows of the reference are those of the whole; ``atol``: of its largest value."""
    assert study.reference_rows is not None
    inputs = study.inputs(case, np.random.default_rng(5))
    rows = case.size[0]
    for steps in {variant.steps for variant in study.variants}:
        whole = study.reference(inputs, steps)
        for first, stop in ((0, 3), (rows - 3, rows), (rows // 2, rows // 2 + 2)):
            found = study.reference_rows(inputs, steps, first, stop)
            np.testing.assert_allclose(found, whole[first:stop], rtol=0, atol=atol * np.abs(whole).max())


def check_shown(study: Study) -> None:
    """Unique ids, a source with the symbol in it, a note, bytes; launch shapes, where no tuning finds them."""
    ids = [variant.id for variant in study.variants]
    assert len(ids) == len(set(ids))
    assert " " not in "".join(case.name for case in study.cases)  # published columns name a case, then a shape
    for variant in study.variants:
        text = variant.source.read_text("utf-8")
        if variant.language == "CUDA":
            assert re.search(rf"\b(void [^;{{]*|KERNEL )\b{variant.symbol}\(", text)
            assert variant.shapes or "variants" not in variant.source.parts
            assert declared(text).variants
        else:
            names = [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
            assert variant.symbol in names
        assert variant.note
        assert variant.bytes > 0
        assert variant.flops > 0


def check_published(study: Study) -> None:
    """Each published figure is of a variant and a case that there are, and of a launch shape that is tried."""
    for table in study.published:
        for name, row in table.figures.items():
            (variant,) = [one for one in study.variants if one.id == name]
            for column in row:
                case, _, shape = column.partition(" ")
                assert case in {one.name for one in study.cases}
                assert not shape or tuple(map(int, shape.split("x"))) in variant.shapes

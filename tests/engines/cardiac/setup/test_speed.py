"""How long a cell takes is known by its whole model: files of two models may have the same name."""

from dataclasses import replace

from engines.backend.cpu import CpuBackend
from engines.cardiac.compiler.tissue import shipped_step
from engines.cardiac.setup import speed


def test_two_models_of_one_name_are_measured_each(monkeypatch):
    asked = []
    monkeypatch.setattr(speed, "make_compiled_tissue", lambda backend, compiled, count: asked.append(compiled))
    monkeypatch.setattr(speed, "_measure", lambda backend, tissue: float(len(asked)))
    one = shipped_step("mitchell_schaeffer_2003", "float32")
    other = replace(one, model=replace(one.model, title="Edited"))
    backend = CpuBackend()
    assert [speed.compiled_seconds(backend, each) for each in (one, other, one)] == [1.0, 2.0, 1.0]

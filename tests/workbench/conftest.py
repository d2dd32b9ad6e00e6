"""Fixtures of the workbench's tests: a fake engine, its runner, a project, and a home of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.api import Problem, registry
from tests.workbench.fake_engine import FakeBackend, WaveEngine, WaveParameters, block
from tests.workbench.house import engines, modules, write_mesh
from workbench.project.document import new_document, save_document
from workbench.project.project import Probe
from workbench.run.runner import Runner


@pytest.fixture
def runners() -> Iterator[Callable[..., Runner]]:
    """Makes runners of the fake engine that are closed after the test."""
    made: list[Runner] = []

    def make(*, mesh: Any = None, parameters: dict[str, Any] | None = None, **options: Any) -> Runner:
        problem = Problem(WaveParameters(**(parameters or {})), mesh or block())
        engine = WaveEngine()
        runner = Runner(
            options.pop("make_backend", FakeBackend),
            lambda backend, progress: engine.build(problem, backend, progress),
            time_unit="ms",
            **options,
        )
        made.append(runner)
        return runner

    yield make
    for runner in made:
        runner.close(5.0)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the settings, the autosaves or the caches of the person who runs it."""
    home = tmp_path_factory.mktemp("home")
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    return home


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> None:
    """The application with the fake engine and nothing else."""
    for name, module in modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(registry, "engines", engines)


@pytest.fixture
def mesh_file(tmp_path: Path) -> Path:
    return write_mesh(block(), tmp_path / "meshes" / "slab.vtu")


@pytest.fixture
def project(house: None, mesh_file: Path, tmp_path: Path) -> Path:
    """A saved project with two probes that runs to 4 ms."""
    document = new_document(WaveEngine(), mesh_file)
    document.project.probes = [
        Probe(name="near", position=(0.2, 0.5, 0.8)),
        Probe(name="far, end", position=(5.8, 2.8, 1.8)),
    ]
    document.project.run.until = 4.0
    return save_document(document, tmp_path / "slab")

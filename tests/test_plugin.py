"""An engine that is a package of its own: tests/plugin, installed as a stranger would, run, and held to its answer.

engines/README.md quotes it. What is broken in such a package costs that engine and nothing else.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from engines.api import API_VERSION, Problem, registry
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from tests.cuda_on_host.backend import HostCudaBackend
from workbench.cli import main

ROOT = Path(__file__).parents[1]
PLUGIN = Path(__file__).with_name("plugin")


def workbench(site: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command, in a process that sees what is installed in ``site``."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(ROOT)))}
    command = [sys.executable, "-P", "-m", "workbench", *arguments]
    return subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True)


def entry_point(site: Path, name: str, value: str) -> None:
    """As if a package with this engine were installed in ``site``."""
    folder = site / f"{name}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[workbench.engines]\n{name} = {value}\n")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the plug-in installed, as ``pip install`` of its wheel does it."""
    folder = tmp_path_factory.mktemp("plugin")
    source = shutil.copytree(PLUGIN, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet", "--target"]
    subprocess.run([*install, str(folder / "site"), str(wheel)], check=True, capture_output=True)
    return folder / "site"


def test_it_is_listed_runs_and_writes_results(site, tmp_path):
    assert "A drumhead that swings" in workbench(site, "engines", cwd=tmp_path).stdout
    assert "A square membrane" in workbench(site, "presets", cwd=tmp_path).stdout
    run = workbench(site, "run", "drum", "--device", "cpu", "--out", "out", "--no-pictures", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    outcome = json.loads((tmp_path / "out" / "run.json").read_text())["outcome"]
    assert outcome["state"] == "finished"
    assert outcome["time"] == pytest.approx(5.0)
    assert list((tmp_path / "out" / "fields").glob("*.vti"))


@pytest.mark.parametrize("backend", [CpuBackend, HostCudaBackend])
def test_its_mode_swings_as_the_discrete_equation_has_it(backend, monkeypatch):
    monkeypatch.syspath_prepend(PLUGIN)
    (case,) = importlib.import_module("membrane.engine").MembraneEngine().verification()
    answers = case.measure(backend())
    assert len(answers) == 6
    assert not [answer for answer in answers if not answer.right]


def test_its_case_is_run_by_a_command(monkeypatch, capsys):
    monkeypatch.syspath_prepend(PLUGIN)
    engine = importlib.import_module("membrane.engine").MembraneEngine()
    monkeypatch.setattr(registry, "engines", lambda: {"membrane": engine})
    assert main(["verify", "membrane", "--device", "cpu"]) == 0
    assert "All 6 figures are right, of 1 case" in capsys.readouterr().out


@pytest.mark.parametrize("backend", [CpuBackend, HostCudaBackend])
def test_it_dies_away_when_it_is_damped_meanwhile(backend, monkeypatch):
    """A mode of frequency ω loses e^(−d t) where d is small beside ω (below its rounding here: d/ω is 0.03)."""
    monkeypatch.syspath_prepend(PLUGIN)
    module = importlib.import_module("membrane.engine")
    p = module.MembraneParameters(cells=32, mode_x=1, mode_y=1)
    simulation = module.MembraneEngine().build(Problem(p), backend())
    frequency = 1e-3 * p.speed * np.pi * np.sqrt(2) / p.side  # rad/ms
    period = round(2 * np.pi / frequency / p.step)
    simulation.set_control("damping", 0.05)
    peaks = []
    for _ in range(3):
        heights = []
        for _ in range(period):
            simulation.advance(1)
            heights.append(simulation.observe()["largest"])
        peaks.append(max(heights))
    assert peaks[2] / peaks[1] == pytest.approx(np.exp(-0.05 * period * p.step), rel=0.01)
    with pytest.raises(ProblemError, match="cannot change during a run"):
        simulation.set_control("speed", 50.0)


def test_a_coarse_grid_is_told_with_what_mends_it(monkeypatch):
    monkeypatch.syspath_prepend(PLUGIN)
    module = importlib.import_module("membrane.engine")
    problem = Problem(module.MembraneParameters(cells=32, mode_x=4))
    (finding,) = module.MembraneEngine().estimate(problem, CpuBackend()).findings
    assert finding.place == ("cells",)
    assert finding.remedy.changes == {("cells",): 80}


def test_a_step_that_is_too_long_is_said_in_the_form(monkeypatch):
    monkeypatch.syspath_prepend(PLUGIN)
    module = importlib.import_module("membrane.engine")
    problem = Problem(module.MembraneParameters(step=1.0))
    with pytest.raises(Exception, match="unstable here: take at most") as caught:
        module.MembraneEngine().estimate(problem, CpuBackend())
    assert caught.value.place == ("step",)


def test_a_field_without_an_array_is_named(monkeypatch):
    monkeypatch.syspath_prepend(PLUGIN)
    module = importlib.import_module("membrane.engine")
    simulation = module.MembraneEngine().build(Problem(module.MembraneParameters(cells=16, mode_x=1)), CpuBackend())
    simulation.arrays["displacement"] = simulation.arrays.pop("u")
    with pytest.raises(LookupError, match="the field 'u' has no array: there are before, displacement"):
        simulation.non_finite()


BROKEN = {
    "absent": ("absent.engine:Engine", "", "ModuleNotFoundError"),
    "raising": ("raising:Engine", "raise SystemExit('half installed')", "half installed"),
    "strange": ("strange:Engine", "class Engine: pass", "is not an engine"),
    "older": (
        "older:Old",
        "from engines.stencil.engine import StencilEngine\nclass Old(StencilEngine):\n    id, api_version = 'older', 0",
        f"version 0 of the contract, and this is {API_VERSION}",
    ),
    "nameless": (
        "nameless:Nameless",
        "from engines.stencil.engine import StencilEngine\nclass Nameless(StencilEngine):\n    id = None",
        "its id and its title are not texts",
    ),
    **{
        name: (
            f"{name}:Named",
            f"from engines.stencil.engine import StencilEngine\nclass Named(StencilEngine):\n    id = '{name}'; {said}",
            reason,
        )
        for name, said, reason in (
            ("endlessly", "title = 'T' * 10**6", "its id and its title are not texts"),
            ("multiline", "title = 'a\\nb'", "its id and its title are not texts"),
            ("numbered", "summary = 5", "its summary or its unit of time is no text"),
            ("suffixed", "imports = 5", "the suffixes of files that it takes are no tuple"),
        )
    },
    "outright": ("outright:Engine", "class End(BaseException): pass\nraise End('of all')", "End: of all"),
    "speechless": (
        "speechless:Engine",
        "class Dumb(Exception):\n    def __str__(self): raise ValueError('no')\nraise Dumb()",
        "left out (Dumb)",
    ),
    "verbose": ("verbose:Engine", "raise ValueError('x' * 10**7)", f"ValueError: {'x' * 400})"),
    "twice": ("engines.stencil.engine:StencilEngine", "", "there is an engine 'stencil' already"),
}


def test_broken_ones_are_named_and_left_out(tmp_path):
    """All beside each other: none hides another, and each costs itself alone."""
    site = tmp_path / "site"
    for name, (value, source, _) in BROKEN.items():
        entry_point(site, name, value)
        if source:
            (site / f"{name}.py").write_text(source)
    listed = workbench(site, "engines", cwd=tmp_path)
    assert listed.returncode == 0
    assert "Maxwell" in listed.stdout
    assert "Traceback" not in listed.stderr
    doctor = workbench(site, "doctor", cwd=tmp_path)
    for name, (_, _, reason) in BROKEN.items():
        sentence = f"The engine '{name}' of {name} 1.0 is left out"
        (line,) = (line for line in listed.stderr.splitlines() if sentence in line)
        assert reason in line
        assert sentence in doctor.stdout


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="an alarm ends it")
def test_one_that_never_loads_is_named_and_given_up(tmp_path, monkeypatch, caplog):
    """The window and each command waited for it without a word."""
    (tmp_path / "endless.py").write_text("import threading\nthreading.Event().wait()")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "TOLD_AFTER", 0.1)
    monkeypatch.setattr(registry, "ENDED_AFTER", 0.7)
    monkeypatch.setattr(registry, "entry_points", lambda group: [EntryPoint("endless", "endless:Engine", group)])
    before, timeout = signal.getsignal(signal.SIGALRM), signal.setitimer(signal.ITIMER_REAL, 0)  # of the tests
    try:
        found, left_out = registry._found.__wrapped__()
        after = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[0]
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timeout)
    assert not found
    assert left_out == ("The engine 'endless' is left out (it has not loaded within 0.7 s): update or uninstall it.",)
    assert caplog.messages[0].startswith("The engine 'endless' has been loading for 0.1 s")
    assert after == (before, 0)


@pytest.mark.parametrize("file", ["engine.py", "membrane.cu"])
def test_the_guide_quotes_it_as_it_is(file):
    assert (PLUGIN / "membrane" / file).read_text() in (ROOT / "engines" / "README.md").read_text()

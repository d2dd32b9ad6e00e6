"""Every finding that the sources can make: in the form, in the banner, on the command line and in run.json.

The registry is ``tests/findings``: by the place that makes a finding, a small problem that provokes it. What is run is
a stand-in, as the findings are those of the estimate; what only a run can say is of a real one.
"""

from __future__ import annotations

import gc
import json
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from engines.api import Finding, Problem, registry
from engines.battery.mpm.simulation import ManyParticleSimulation
from engines.cardiac.step.simulation import CardiacSimulation
from engines.fdtd.step.simulation import FdtdSimulation
from engines.peridynamics.loading.quasistatic import QuasiStaticSimulation
from engines.peridynamics.step.simulation import PeridynamicSimulation
from engines.stencil.equations.simulation import TypedSimulation
from engines.stencil.poisson.simulation import PoissonSimulation
from tests.findings.all import AT_THE_END, CASES, ELSEWHERE, OF_NO_FIELD
from tests.findings.sites import ROOT, all_places, traced
from tests.ui.viewport.doubles import FakeViewport
from tests.workbench.fake_engine import FakeBackend, WaveParameters, WaveSimulation, block
from ui.forms.notes import NoteLabel
from ui.session.house import HouseServices
from ui.widgets.theme import theme
from ui.window.main_window import MainWindow
from workbench.cli import main
from workbench.project.document import save_document
from workbench.project.findings import as_record, findings_of
from workbench.project.parameter_files import value_at
from workbench.storage.paths import config_dir, state_dir
from workbench.words.numbers import spaced


@pytest.fixture(autouse=True)
def nothing_left_running():
    """In place of that of all tests: the window stays open from one to the next; ``shared`` looks when it closes."""
    yield
    gc.collect(1)


@pytest.fixture(scope="module")
def made():
    """From which places findings came, by their messages."""
    with traced() as places:
        yield places


@pytest.fixture(scope="module")
def shared(qapp, tmp_path_factory):
    """One window for all cases."""

    class Services(HouseServices):
        runners = ()

    theme().apply("dark", qapp)
    path = tmp_path_factory.mktemp("window") / "window.ini"
    window = MainWindow(Services(), FakeViewport, QSettings(str(path), QSettings.Format.IniFormat))
    window.show()
    yield window
    window.close_at_once()
    window.deleteLater()
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("workbench-")]
    assert not left, f"threads left behind: {left}"
    for folder in (state_dir(), config_dir()):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def nothing_runs(monkeypatch):
    """Runs of all engines are of a stand-in."""
    for engine in registry.engines().values():
        stand_in = lambda *_: WaveSimulation(Problem(WaveParameters(), block()), FakeBackend())  # noqa: E731
        monkeypatch.setattr(type(engine), "build", stand_in)


def open_in(window, qtbot, path: Path) -> None:
    """With its estimate, when that is there."""
    before = window.model.document
    window.open_path(path)
    qtbot.waitUntil(lambda: window.model.document is not before, timeout=30_000)
    qtbot.waitUntil(lambda: window.estimates.estimate is not None, timeout=30_000)


def run(path: Path, folder: Path, until: float | None = None) -> dict:
    """The record of a run from the command line."""
    more = [] if until is None else ["--until", str(until)]
    assert main(["run", str(path), "--device", "cpu", "--no-pictures", "--out", str(folder), *more]) == 0
    return json.loads((folder / "run.json").read_text())


def assert_in_the_window(window, findings: list[Finding]) -> None:
    """Counted in the panel, in the banner as one turns it over, and marked at its field."""
    banner, labels = window.findings, window.problem.form.findChildren(NoteLabel)
    shown = []
    for _ in banner.findings:
        shown.append((banner.text, banner.mend.isHidden(), banner.show_place.isHidden()))
        banner.next.click()
    for each in findings:
        told = window.estimates.findings.text()
        assert ("warning" if each.severity == "warning" else "note") in told, told
        assert (each.message, each.remedy is None, not each.place) in shown
        if each.place:
            assert [label for label in labels if spaced(each.message) in label.text() and not label.isHidden()], (
                each.message
            )


def assert_mended(window, qtbot, findings: list[Finding]) -> None:
    """What the banner asks for takes the finding away everywhere, and can be undone."""
    banner = window.findings
    for each in findings:
        before = {at: value_at(window.model.draft["parameters"], at) for at in each.remedy.changes}
        banner.mend_asked.emit(each.remedy)
        for at, value in each.remedy.changes.items():
            assert value_at(window.model.draft["parameters"], at) == value
        qtbot.waitUntil(lambda gone=each: gone not in banner.findings, timeout=20_000)
        assert window.model.valid
        labels = window.problem.form.findChildren(NoteLabel)
        assert not [label for label in labels if spaced(each.message) in label.text() and not label.isHidden()], (
            each.message
        )
        window.model.undo_stack.undo()
        assert {at: value_at(window.model.draft["parameters"], at) for at in before} == before
        qtbot.waitUntil(lambda again=each: again in banner.findings, timeout=20_000)


def assert_on_the_terminal(text: str, findings: list[Finding]) -> None:
    for each in findings:
        place = f" [{'.'.join(map(str, each.place))}]" if each.place else ""
        assert f"{each.severity.capitalize()}: {each.message}{place}\n" in text
        assert each.remedy is None or f"  {each.remedy.text}: " in text


@pytest.mark.parametrize("name", CASES)
def test_a_finding_is_in_all_four_places(name, made, shared, qtbot, nothing_runs, monkeypatch, tmp_path, capsys):
    case = CASES[name]
    case.prepared(monkeypatch)
    path = case.write(tmp_path)
    open_in(shared, qtbot, path)
    document = shared.model.document
    found = findings_of(document, shared.estimates.estimate)
    expected = [each for each in found if made[each.message] & set(case.places)]
    assert set(case.places) <= {place for each in expected for place in made[each.message]}
    assert_in_the_window(shared, expected)
    for each in expected:
        assert each.place or all(place.startswith(OF_NO_FIELD) for place in made[each.message]), each.message

    record = run(path, tmp_path / "results", 0.02)
    assert_on_the_terminal(capsys.readouterr().err, expected)
    for each in expected:
        assert json.loads(json.dumps(as_record(each))) in record["findings"]
    assert_mended(shared, qtbot, [each for each in expected if each.remedy is not None and each.remedy.changes])


def _kept(where: list[Finding], findings: Sequence[Finding]) -> Sequence[Finding]:
    where[:] = findings
    return findings


KINDS = (
    CardiacSimulation, FdtdSimulation, ManyParticleSimulation, PeridynamicSimulation, PoissonSimulation,
    QuasiStaticSimulation, TypedSimulation,
)  # fmt: skip


@pytest.mark.parametrize("name", AT_THE_END)
def test_what_a_run_says_at_its_end_is_in_all_four_places(name, made, shared, qtbot, monkeypatch, tmp_path, capsys):
    """The window is told by its runner (test_run.py); here, what the same run says is shown."""
    case, expected = AT_THE_END[name], list[Finding]()
    path = case.write(tmp_path)
    for kind in KINDS:
        monkeypatch.setattr(kind, "noticed", lambda run, notice=kind.noticed: _kept(expected, notice(run)))
    record = run(path, tmp_path / "results")
    assert set(case.places) <= {place for each in expected for place in made[each.message]}
    stderr = capsys.readouterr().err
    assert all(each.message in stderr for each in expected)
    assert record["noticed"] == json.loads(json.dumps([as_record(each) for each in expected]))
    open_in(shared, qtbot, path)
    if shared.model.document.engine.id == "cardiac":
        qtbot.waitUntil(lambda: shared.controller.phase == "ready", timeout=30_000)
    else:  # the stand-in for the view asks for a field that this run has not, and findings wait while that is said
        qtbot.waitUntil(lambda: shared.banner.text.startswith("The run ended"), timeout=30_000)
        shared.banner.hide()
    shared.estimates.show_noticed(tuple(expected))
    assert_in_the_window(shared, expected)
    for each in [each for each in expected if each.remedy is not None]:
        shared.findings.mend_asked.emit(each.remedy)
        assert shared.model.valid
        mended = save_document(shared.model.snapshot(), tmp_path / "mended")
        shared.model.undo_stack.undo()  # what is unsaved would be asked after when the next case opens
        messages = [told["message"] for told in run(mended, tmp_path / "again")["noticed"]]
        assert not any(made[each.message] & made[message] for message in messages), messages


def test_every_place_that_makes_a_finding_has_a_case():
    """A new finding needs a case in ``tests/findings``, or a reason and a test in its ``all.py``."""
    provoked = {place for case in (*CASES.values(), *AT_THE_END.values()) for place in case.places}
    assert all_places() - provoked - set(ELSEWHERE) == set(), "findings without a case"
    assert (provoked | set(ELSEWHERE)) - all_places() == set(), "cases of findings that there are no more"
    assert all((ROOT / test).is_file() for test in ELSEWHERE.values())

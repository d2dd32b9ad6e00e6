"""From a document to a run."""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.devices import faster
from engines.geometry.meshes import mesh as mesh_module
from tests.engines.backend.test_faster import Device
from tests.workbench.fake_engine import WaveEngine, WaveParameters, WaveSimulation, block
from tests.workbench.remote.conftest import wait_for
from workbench.project.document import Document, open_document
from workbench.project.project import Probe, Project
from workbench.run.frames import RunState
from workbench.run.runner import Runner
from workbench.run.session import nearest_elements, probe_elements, start
from workbench.run.states.checkpoint import checkpoints_at, write_checkpoint
from workbench.run.states.history import History
from workbench.run.states.memory import RunMemory, remembered_curves, remembered_state, runs_dir, set_later
from workbench.storage.atomic import StorageError


@pytest.mark.parametrize("chunk", [7, 1_000_000])
def test_the_nearest_element_is_found_in_any_chunk(monkeypatch, chunk):
    monkeypatch.setattr(mesh_module, "CHUNK", chunk)
    mesh = block()
    elements = [0, 6, 7, 100, mesh.n_cells - 1]
    assert nearest_elements(mesh, mesh.centers(np.array(elements)) + 1e-6) == elements


def test_probes_of_a_geometry_without_elements_are_refused():
    empty = replace(block(), cells=np.zeros((0, 4), np.int32))
    project = Project(engine="wave", probes=[Probe(name="p", position=(0, 0, 0))])
    document = Document(project, WaveEngine(), WaveParameters(), empty)
    with pytest.raises(ProblemError, match="remove the probes"):
        probe_elements(document)


def test_a_run_of_a_document_is_the_run_of_its_problem(project):
    document = open_document(project)
    opened = []

    def open_backend(device, reserve_core):
        opened.append((device, reserve_core))
        from tests.workbench.house import open_backend

        return open_backend(device)

    runner = start(document, "cpu", reserve_core=True, autostart=True, open_backend=open_backend)
    document.parameters.speed = 50.0  # an edit meanwhile
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    voltage = runner.post(lambda simulation: simulation.field("voltage")).result(20)
    runner.close()
    assert opened == [("cpu", True)]
    expected = WaveEngine().build(Problem(WaveParameters(), document.geometry), open_backend("cpu", False))
    expected.advance(200)
    np.testing.assert_array_equal(voltage, expected.field("voltage"))
    assert runner.take_samples()[-1].probes == ("near", "far, end")


def test_until_of_the_caller_wins(project):
    runner = start(open_document(project), until=1.0, autostart=True)
    runner.wait(RunState.FINISHED)
    assert runner.post(lambda simulation: simulation.step).result(20) == 50
    runner.close()


def test_the_log_says_why_a_run_is_where_it_is(project, monkeypatch):
    monkeypatch.setattr(faster, "compiled_ahead", lambda: True)
    opened = []

    def open_backend(device, reserve_core):
        opened.append(Device("cpu" if device == "cpu" else "cuda"))
        return opened[-1]

    runner = start(open_document(project), "auto", autostart=True, open_backend=open_backend)
    assert runner.wait(RunState.FINISHED, timeout=20) is RunState.FINISHED
    told = [message.text for message in runner.take_messages()]
    runner.close()
    assert sum("times as fast as" in text for text in told) == 1
    assert [each.closed for each in opened] == [True, True]


def test_curves_of_a_run_come_back_with_its_state(project):
    """But for those of a probe that is elsewhere now, and where the file is damaged."""
    document = open_document(project)
    memory = RunMemory(document)
    near = document.project.probes[0].name
    drawn = {("mean",): (np.arange(9.0), np.ones(9)), (near, "v"): (np.arange(3.0), np.zeros(3))}
    runner = start(document, observers=[memory], autostart=False)
    runner.wait(RunState.READY)
    assert remembered_state(document) is None
    memory.keep_curves(drawn, document)
    runner.advance(100)  # to 2 ms
    assert runner.wait(RunState.PAUSED) is RunState.PAUSED
    runner.close(20.0)
    state = remembered_state(document)
    assert (state.meta.step, state.meta.time) == (100, pytest.approx(2.0))
    found = remembered_curves(state, document)
    assert {key: times.tolist() for key, (times, _) in found.items()} == {
        ("mean",): [0.0, 1.0, 2.0], (near, "v"): [0.0, 1.0, 2.0],
    }  # fmt: skip
    document.project.probes[0].position = (1.0, 1.0, 1.0)
    assert set(remembered_curves(state, document)) == {("mean",)}
    (file,) = runs_dir().glob("*.curves")
    file.write_bytes(b"damaged")
    assert remembered_curves(state, document) == {}
    file.unlink()
    assert remembered_curves(state, document) == {}


def test_curves_are_kept_with_each_state_as_a_process_may_be_killed(project, monkeypatch):
    monkeypatch.setattr("workbench.run.states.memory.EVERY_SECONDS", 0.0)
    document = open_document(project)
    runner = start(document, observers=[RunMemory(document)], autostart=False)
    runner.wait(RunState.READY)
    runner.advance(100)  # to 2 ms
    assert runner.wait(RunState.PAUSED) is RunState.PAUSED
    wait_for(lambda: (kept := remembered_state(document)) is not None and kept.meta.step >= 99, 20.0)
    kept = remembered_state(document)
    curves = remembered_curves(kept, document)
    assert ("mean_voltage",) in curves
    assert {key[0] for key in curves if len(key) == 2} == {"near", "far, end"}
    for times, _ in curves.values():
        assert times[0] < 0.1
        assert times[-1] == pytest.approx(kept.meta.time, abs=0.1)
    runner.close()


def test_a_state_that_could_not_be_kept_is_told_at_once_and_not_with_the_next(project, monkeypatch):
    def full(*_):
        raise StorageError("The disk is full: choose another folder.", full=True)

    monkeypatch.setattr("workbench.run.states.memory.write_checkpoint", full)
    document = open_document(project)
    memory, told = RunMemory(document), []
    memory.say = lambda text, severity: told.append(text)
    runner = start(document, observers=[memory], autostart=False)
    runner.wait(RunState.READY)
    for count in range(2):
        runner.advance(10)
        assert runner.wait(RunState.PAUSED) is RunState.PAUSED
        if not count:
            runner.post(memory.observe).result(20)
            wait_for(lambda: all(job.done() for job in memory._writer._pending), 20.0)
    assert [f"'{runs_dir()}' has no room: free some space" in text for text in told] == [True]
    runner.close()


def kept_times():
    """Of all that is kept of the one problem, the newest first."""
    return [
        round(json.loads(zipfile.ZipFile(file).read("checkpoint.json"))["time"], 6)
        for file in sorted(runs_dir().glob("*.npz"), key=lambda file: (len(file.name), file.name))
    ]


def going(document, steps):
    """A run that has come so far, and its memory."""
    memory = RunMemory(document)
    runner = start(document, observers=[memory], autostart=False)
    runner.wait(RunState.READY)
    runner.advance(steps)
    assert runner.wait(RunState.PAUSED) is RunState.PAUSED
    return memory, runner


def test_the_older_of_two_states_makes_room_where_only_that_helps(project, monkeypatch):
    """The newest stays until another is written."""
    document = open_document(project)
    memory, runner = going(document, 10)
    for _ in range(2):
        runner.post(memory.keep_now).result(20)
        runner.advance(10)
        assert runner.wait(RunState.PAUSED) is RunState.PAUSED
    assert kept_times() == [0.4, 0.2]
    write = write_checkpoint

    def fits_two(file, *rest):
        if len(checkpoints_at(file)) > 1:
            raise StorageError("The disk is full.", full=True)
        write(file, *rest)

    monkeypatch.setattr("workbench.run.states.memory.write_checkpoint", fits_two)
    runner.post(memory.keep_now).result(20)
    assert (kept_times(), memory.kept, memory.failure) == ([0.6, 0.4], pytest.approx(0.6), "")
    runner.close()


def test_whether_a_run_can_be_kept_is_known_before_it_ends(project, monkeypatch):
    document = open_document(project)
    memory, runner = going(document, 10)
    assert runner.state_bytes > 0
    assert memory.doubt(0.2, runner.state_bytes) == ""
    assert memory.doubt(0.2, 1 << 60) == f"'{runs_dir()}' has no room: free some space on its disk."
    runner.post(memory.keep_now).result(20)
    assert memory.doubt(memory.kept, 1 << 60) == "", "it is kept as it stands"
    runner.close()


def test_a_probe_that_is_renamed_during_a_run_keeps_its_curve_in_what_is_kept_each_minute(project, monkeypatch):
    """As where the process is killed then. Of one that was moved or removed nothing of before is kept."""
    monkeypatch.setattr("workbench.run.states.memory.EVERY_SECONDS", 0.0)
    document = open_document(project)
    runner = start(document, observers=[RunMemory(document)], autostart=False)
    runner.wait(RunState.READY)
    runner.advance(100)  # to 2 ms
    assert runner.wait(RunState.PAUSED) is RunState.PAUSED
    (near, far), others = probe_elements(document)[:2], probe_elements(document)[2:]
    document.project.probes[0].name = "nearest"
    runner.set_probes([("nearest", near[1]), (far[0], far[1] + 1), *others]).result(20)
    runner.advance(100)  # to its end
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    wait_for(lambda: (kept := remembered_state(document)) is not None and kept.meta.step >= 199, 20.0)
    curves = remembered_curves(remembered_state(document), document)
    runner.close()
    names = {key[0] for key in curves if len(key) == 2}
    assert names == {"nearest"}
    for key, (times, _) in curves.items():
        if key[0] == "nearest":
            assert times[0] < 0.1
            assert times[-1] > 3.8
            assert (np.diff(times) > 0).all()


def test_a_run_that_takes_no_step_leaves_what_an_earlier_one_has_kept(project):
    """Only one that was taken back to zero forgets it."""
    document = open_document(project)

    def run(steps, back=False, **options):
        runner = start(document, "cpu", (RunMemory(document),), **options)
        runner.wait(RunState.READY)
        if steps:
            runner.advance(steps)
            runner.wait(RunState.PAUSED)
        if back:
            runner.reset().result(20)
        runner.close()
        kept = remembered_state(document)
        return None if kept is None else kept.meta.step

    assert run(50) == 50
    assert run(0) == 50
    assert run(0, back=True) == 50
    assert run(0, resume_from=remembered_state(document).state) == 50
    assert run(0, back=True, resume_from=remembered_state(document).state) is None


def test_a_state_is_found_where_a_process_was_killed_as_the_next_was_about_to_take_its_place(project):
    """It has its older name by then, and the newest is not there."""
    document = open_document(project)
    runner = start(document, "cpu", (RunMemory(document),))
    runner.advance(50)
    runner.wait(RunState.PAUSED)
    runner.close()
    (file,) = runs_dir().glob("*.npz")
    file.rename(file.with_stem(f"{file.stem}-1"))
    assert remembered_state(document).meta.step == 50


def test_what_another_run_has_kept_is_forgotten_once_one_begins_at_zero(project):
    """A process that was killed before it kept anything left the state of the run before, which was gone on from."""
    document = open_document(project)

    def begun(**options) -> Runner:
        runner = start(document, "cpu", (RunMemory(document),), **options)
        runner.wait(RunState.READY)
        return runner

    def to(runner, steps) -> None:
        runner.advance(steps)
        runner.wait(RunState.PAUSED)

    first = begun()
    to(first, 50)
    first.close()
    kept = remembered_state(document)
    assert kept.meta.step == 50
    again = begun(resume_from=kept.state)
    to(again, 10)
    assert remembered_state(document).meta.step == 50
    again.close()
    assert remembered_state(document).meta.step == 60
    anew = begun()
    assert remembered_state(document) is not None, "it may still be gone on from"
    to(anew, 3)
    wait_for(lambda: remembered_state(document) is None, 20.0)
    anew.close()
    assert remembered_state(document).meta.step == 3


def test_a_run_with_another_live_parameter_is_kept_as_that_problem_and_not_as_the_one_it_began_with(project):
    """Who opens the project again has the value in its form with which the kept state goes on."""
    document = open_document(project)
    runner = start(document, observers=[RunMemory(document)], autostart=False)
    runner.wait(RunState.READY)
    for speed in (0.5, 0.6):
        runner.set_control("speed", speed).result(20)
        runner.advance(50)
        runner.wait(RunState.PAUSED)
    runner.close(20.0)
    now = _with_speed(document, 0.6)
    assert (remembered_state(document), remembered_state(now).meta.step) == (None, 100)
    assert len(list(runs_dir().glob("*.npz"))) == 1


@pytest.fixture
def speed_in_states(monkeypatch):
    """As the engines have it: a state holds the live parameters of its own moment."""
    state, restore = WaveSimulation.state, WaveSimulation.restore

    def put_back(self, held):
        restore(self, held)
        self.set_control("speed", float(held["speed"]))

    monkeypatch.setattr(WaveSimulation, "state", lambda self: state(self) | {"speed": np.array(self.parameters.speed)})
    monkeypatch.setattr(WaveSimulation, "restore", put_back)


def broken_off(runner) -> None:
    """The device is lost in one of the next steps."""

    def spoil(wave: WaveSimulation) -> None:
        wave.set_control("trouble_step", wave.step + 3)
        wave.set_control("trouble", "device")

    runner.post(spoil)
    runner.run()
    assert runner.wait(RunState.FINISHED) is RunState.FAILED
    runner.join(20.0)


def in_memory(document, *observers: RunMemory) -> Runner:
    """A run of which a state is kept to go back to."""
    runner = start(document, observers=observers, checkpoints=8)
    for observer in observers:
        observer.rescued = lambda: runner.rescued
    while not runner.marks:
        runner.advance(20)
        runner.wait(RunState.PAUSED)
    return runner


@pytest.mark.usefixtures("speed_in_states")
def test_a_run_that_broke_off_goes_on_with_the_live_values_that_were_set_after_the_state_that_is_left(project):
    """The form that it is kept under has them."""
    document = open_document(project)
    document.parameters.delay, document.project.run.until = 0.002, None
    runner = in_memory(document, RunMemory(document))
    runner.set_control("speed", 0.5).result(20)
    broken_off(runner)
    assert float(runner.rescued.state["speed"]) != 0.5
    now = _with_speed(document, 0.5)
    kept = remembered_state(now)
    assert kept.meta.step == runner.rescued.mark.step
    again = start(now, resume_from=kept.state, set_later=set_later(kept, now))
    again.wait(RunState.READY)
    assert again.post(lambda wave: (wave.step, wave.parameters.speed)).result(20) == (kept.meta.step, 0.5)
    again.reset().result(20)
    assert again.post(lambda wave: wave.parameters.speed).result(20) == 0.5
    again.close()


def test_a_state_of_the_minute_before_is_not_given_up_for_an_older_one_in_memory(project, monkeypatch):
    document = open_document(project)
    document.parameters.delay, document.project.run.until = 0.002, None
    runner = in_memory(document, RunMemory(document))
    monkeypatch.setattr(History, "ran", lambda *_: None)  # those in memory lie further and further apart
    monkeypatch.setattr("workbench.run.states.memory.EVERY_SECONDS", 0.0)
    runner.advance(40)
    runner.wait(RunState.PAUSED)
    broken_off(runner)
    assert remembered_state(document).meta.step > runner.rescued.mark.step + 30


def test_of_a_branch_that_was_left_the_later_state_is_given_up(project, monkeypatch):
    document = open_document(project)
    document.parameters.delay, document.project.run.until = 0.002, None
    runner = in_memory(document, RunMemory(document))
    mark = runner.marks[0]
    monkeypatch.setattr(History, "ran", lambda *_: None)
    monkeypatch.setattr("workbench.run.states.memory.EVERY_SECONDS", 0.0)
    runner.advance(40)
    runner.wait(RunState.PAUSED)
    monkeypatch.setattr("workbench.run.states.memory.EVERY_SECONDS", 1e9)
    runner.rewind(mark.step).result(20)
    broken_off(runner)
    assert remembered_state(document).meta.step == mark.step


def test_a_run_with_another_live_parameter_is_kept_soon_as_nothing_is_kept_of_that_problem(project, monkeypatch):
    monkeypatch.setattr("workbench.run.states.memory.SOON_SECONDS", 0.0)
    document, memory = (opened := open_document(project)), RunMemory(opened)
    runner = start(document, observers=[memory], autostart=False)
    runner.wait(RunState.READY)
    runner.advance(5)
    runner.wait(RunState.PAUSED)
    memory.kept = 0.1  # told to a window: where it can go on
    runner.set_control("speed", 0.5).result(20)
    assert memory.kept is None
    runner.advance(5)
    wait_for(lambda: remembered_state(_with_speed(document, 0.5)) is not None, 20.0)
    wait_for(lambda: memory.kept is not None, 20.0)
    runner.close(20.0)


def test_values_that_a_slider_passed_leave_nothing_behind(project, monkeypatch):
    monkeypatch.setattr("workbench.run.states.memory.EVERY_SECONDS", 0.0)
    document = open_document(project)
    runner = start(document, observers=[RunMemory(document)], autostart=False)
    runner.wait(RunState.READY)
    before = document.parameters.speed  # the first sample forgets what another run has kept
    for speed in (before, before, 0.5, 0.6, 0.7, 0.8):
        runner.set_control("speed", speed).result(20)
        runner.advance(5)
        runner.wait(RunState.PAUSED)
    runner.close(20.0)
    kept = {speed: remembered_state(_with_speed(document, speed)) for speed in (None, 0.5, 0.6, 0.7, 0.8)}
    assert {speed for speed, state in kept.items() if state is not None} == {None, 0.8}


def test_the_curve_of_a_probe_that_was_placed_during_a_run_is_kept_whoever_keeps_it(project):
    """A server, too, knows the element that a window has it follow, and not where the person clicked."""
    document = open_document(project)
    runner = start(document, observers=[RunMemory(document)], autostart=False)
    runner.wait(RunState.READY)
    clicked = tuple(document.geometry.centers(np.array([7]))[0] + 1e-5)
    project_now = document.project.model_copy(deep=True)
    project_now.probes = [*project_now.probes, Probe(name="P1", position=clicked)]
    now = replace(document, project=project_now)
    runner.set_probes(probe_elements(now)).result(20)
    runner.advance(100)
    runner.wait(RunState.PAUSED)
    runner.close(20.0)
    found = remembered_curves(remembered_state(now), now)
    assert {key[0] for key in found if len(key) == 2} == {"near", "far, end", "P1"}
    project_now.probes[-1].position = document.project.probes[0].position
    assert {key[0] for key in remembered_curves(remembered_state(now), now) if len(key) == 2} == {"near", "far, end"}


def _with_speed(document: Document, speed: float | None) -> Document:
    changed = {} if speed is None else {"speed": speed}
    return replace(document, parameters=document.parameters.model_copy(update=changed))

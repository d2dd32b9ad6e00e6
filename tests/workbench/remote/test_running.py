"""A run elsewhere does what one here does, and outlives the window: over a real socket, with the fake engine."""

import errno
import hashlib
import socket
import threading
import time as clock
from dataclasses import replace

import numpy as np
import pytest

from engines.api import Dab, Selection
from engines.api.errors import DeviceError, ProblemError
from tests.workbench.fake_engine import FakeBackend
from tests.workbench.remote.conftest import EVERY, frame_of, wait_for
from workbench.export.results import take_results
from workbench.project.findings import estimate_beside_others
from workbench.project.project import Probe
from workbench.remote import connection as connecting
from workbench.remote import messages as m
from workbench.remote import server as serving
from workbench.remote.packing import Received
from workbench.remote.streams import LineLost
from workbench.run import session
from workbench.run.frames import FrameRequest, RunState
from workbench.run.states.taken import TakeResults, TakeSnapshot
from workbench.storage.background import BackgroundWriter
from workbench.words.units import clock_text


def test_the_numbers_are_those_of_a_run_here(there, document):
    runner = there.connect().start(document, autostart=False)
    runner.watch(FrameRequest(1, EVERY))
    runner.advance(37)
    wait_for(lambda: runner.state is RunState.PAUSED)
    frame = frame_of(runner, after=36)
    samples = []
    wait_for(lambda: samples.extend(runner.take_samples()) or (samples and samples[-1].step == 37))
    here = session.start(document, "cpu", autostart=False)
    here.advance(37)
    assert here.wait(RunState.PAUSED) is RunState.PAUSED
    own = here.post(lambda simulation: (simulation.field("voltage"), simulation.step)).result(20)
    mine = [sample for sample in here.take_samples() if len(sample.trace_times)]
    here.close()
    assert own[1] == frame.step == 37
    np.testing.assert_array_equal(frame.values["surface"], own[0].astype(np.float32))
    traced = np.concatenate([each.traces["voltage"] for each in samples if len(each.trace_times)])
    np.testing.assert_array_equal(traced, np.concatenate([each.traces["voltage"] for each in mine]))
    assert samples[0].probes == ("near", "far, end")
    assert runner.info.geometry is runner.geometry
    assert runner.info.fields == here.info.fields
    assert runner.info.device == "NumPy on paper"


def test_it_is_steered_rewound_reset_and_asked(running, document):
    connection, runner = running
    runner.watch(FrameRequest(1, EVERY))
    assert frame_of(runner).values["surface"].shape == (216,)
    with pytest.raises(ProblemError, match="There is no control 'nothing'"):
        runner.set_control("nothing", 1.0).result(20)
    wait_for(lambda: runner.marks)
    runner.pause()
    wait_for(lambda: runner.state is RunState.PAUSED)
    mark = runner.marks[0]
    rewound = runner.rewind(mark.step).result(20)
    assert (rewound.step, rewound.time) == (mark.step, mark.time)
    assert frame_of(runner).step == mark.step, "a frame of before does not come after it"
    snapshot = runner.post(TakeSnapshot()).result(20)
    assert snapshot.step == mark.step
    assert snapshot.state
    results = runner.post(TakeResults((("near", 0),), ())).result(20)
    assert results.geometry is runner.geometry
    assert results.points == (("near", 0),)
    assert {row.kernel for row in runner.timings().result(20)} <= {"follow"}
    assert runner.post(take_results).exception(20) is not None, "what is no message does not travel"
    assert runner.reset().result(20) is None
    wait_for(lambda: runner.state is RunState.READY)
    assert runner.set_probes([("one", 3)]).result(20) is None
    runner.until = 0.5
    runner.run()
    wait_for(lambda: runner.state is RunState.FINISHED)
    samples = runner.take_samples()
    assert samples[-1].time == pytest.approx(0.5)
    assert samples[-1].probes == ("one",)
    runner.close()
    assert runner.state is RunState.CLOSED
    wait_for(lambda: connection.runner is runner)


def test_of_several_requests_for_frames_the_last_is_answered_and_parts_are_sent_once(running):
    connection, runner = running
    few = {"surface": ("voltage", Selection(np.array([0, 5], np.int32)))}
    for serial in range(40):
        runner.watch(FrameRequest(serial, EVERY if serial == 39 else few))
    wait_for(lambda: frame_of(runner).serial == 39)
    sent = connection._line.sent
    runner.watch(FrameRequest(39, EVERY, element=3))
    frame = frame_of(runner, after=frame_of(runner).step)
    assert frame.values["surface"].shape == (216,)
    assert connection._line.sent - sent < EVERY["surface"][1].elements.nbytes
    runner.watch(None)


def test_a_window_of_this_machine_is_sent_a_frame_once_it_has_taken_the_one_before(running, monkeypatch):
    _, runner = running
    came, take = [], runner.take
    monkeypatch.setattr(runner, "take", lambda message: (came.append(message), take(message)))
    runner.watch(FrameRequest(1, EVERY))
    wait_for(lambda: any(isinstance(message, m.Shown) for message in came))
    clock.sleep(0.5)
    assert sum(isinstance(message, m.Shown) for message in came) == 1, "while it paints, no other is packed"
    first = runner.frames.take()
    later = frame_of(runner, after=first.step)
    assert later.step > first.step
    runner.pause()
    wait_for(lambda: runner.state is RunState.PAUSED)
    last = runner.take_samples()[-1].step
    assert frame_of(runner, after=last - 1).step == last, "where it stands is shown, whatever was taken before"


def test_a_run_that_goes_on_as_before_is_told_of_fifteen_times_a_second(running, monkeypatch):
    _, runner = running
    came, take = [], runner.take
    wait_for(lambda: runner.take_samples())
    monkeypatch.setattr(runner, "take", lambda message: (came.append(message), take(message)))
    began = clock.monotonic()
    clock.sleep(1.0)
    told, seconds = sum(isinstance(message, m.News) for message in came), clock.monotonic() - began
    assert 0 < told <= 15 * seconds + 3  # that it keeps a state, and the first, come at once
    runner.pause()
    wait_for(lambda: runner.state is RunState.PAUSED)
    steps = [sample.step for sample in runner.take_samples()]
    assert steps == sorted(set(steps)), "no sample is lost or told twice"


def test_a_window_that_goes_leaves_the_run_on_and_the_next_sees_its_curves(there, running, document):
    connection, runner = running
    wait_for(lambda: runner.take_samples())
    runner.leave()
    connection.close()
    wait_for(lambda: there.server._window is None)
    hosted = there.server._hosted
    wait_for(lambda: len(hosted.attached().curves["near", "voltage"][0]) > 1)
    again = there.connect()
    opened = again.attach()
    assert opened.project.title == document.project.title
    assert opened.path is None, "it is no file of this machine"
    assert opened.parameters == document.parameters
    times, values = again.runner.curves["near", "voltage"]
    assert len(times) == len(values) > 1
    assert ("mean_voltage",) in again.runner.curves
    wait_for(lambda: again.runner.state is RunState.RUNNING)
    samples = []
    wait_for(lambda: samples.extend(again.runner.take_samples()) or samples)
    assert samples[0].trace_times[0] > times[-1] - 1e-9, "what came before is among the curves"
    again.runner.close()
    wait_for(lambda: there.server._hosted is None)
    clock.sleep(0.2)
    assert opened.mesh.is_file(), "what is shown here does not go with the run"


def test_probes_that_a_window_has_placed_are_those_of_the_problem_that_the_next_is_given(there, running, document):
    connection, runner = running
    wait_for(lambda: runner.info is not None)
    [near] = session.nearest_elements(document.geometry, [document.project.probes[0].position])
    runner.set_probes([("near", near), ("placed", 5)]).result(20)
    runner.leave()
    connection.close()
    wait_for(lambda: there.server._window is None)
    wait_for(lambda: ("placed", "voltage") in there.server._hosted.attached().curves)
    again = there.connect()
    opened = again.attach()
    near, placed = opened.project.probes
    assert near == document.project.probes[0], "it stands where it was put"
    assert (placed.name, session.nearest_elements(opened.geometry, [placed.position])) == ("placed", [5])
    assert len(again.runner.curves["placed", "voltage"][0]) > 0
    again.runner.set_probes([]).result(20)
    assert there.server._hosted.attached().problem.project != there.server._hosted.problem.project
    again.close()
    last = there.connect()
    assert last.attach().project.probes == []


def test_a_live_parameter_that_was_changed_is_so_in_the_problem_that_the_next_window_is_given(there, running):
    """Its form showed what the run had begun with, and not what it ran with."""
    connection, runner = running
    wait_for(lambda: runner.info is not None)
    runner.set_control("delay", 0.002).result(20)
    runner.leave()
    connection.close()
    wait_for(lambda: there.server._window is None)
    assert there.connect().attach().parameters.delay == 0.002


def test_a_connection_that_is_closed_leaves_nobody_waiting_for_an_answer(running):
    connection, runner = running
    connection.close()
    wait_for(lambda: not runner.alive)
    assert runner.set_control("delay", 0.0).cancelled(), "nobody is there to be asked"


def test_a_run_that_has_not_begun_goes_with_its_window(there, document):
    connection = there.connect()
    runner = connection.start(document, autostart=False)
    wait_for(lambda: runner.state is RunState.READY)
    connection.close()
    wait_for(lambda: there.server._hosted is None)
    assert there.connect().attach() is None


def test_two_windows_at_once_each_get_a_sentence(there, running, document):
    first, runner = running
    second = there.connect()
    wait_for(lambda: runner.state is RunState.FAILED)
    assert str(runner.error) == serving.TAKEN_OVER
    assert first.lost == serving.TAKEN_OVER
    assert runner.error.goes_on
    stranger = second.start(document, autostart=True)
    wait_for(lambda: stranger.state is RunState.FAILED)
    assert "that this window does not look at" in str(stranger.error)
    second.attach()
    wait_for(lambda: second.runner.state is RunState.RUNNING)
    with pytest.raises(LineLost):
        first.start(document, autostart=True)


def test_a_lost_line_leaves_the_run_on(there, running):
    connection, runner = running
    asked = runner.post(TakeSnapshot())
    connection._stream._connection.shutdown(socket.SHUT_RDWR)
    wait_for(lambda: runner.state is RunState.FAILED)
    assert str(runner.error).startswith("The server of this computer has ended")
    assert runner.error.torn, "a window offers what can be done"
    assert asked.done()
    again = there.connect()
    again.attach()
    wait_for(lambda: again.runner.state is RunState.RUNNING)


def test_a_server_that_is_ended_says_so_and_the_next_goes_on_where_it_stood(there, running, document):
    connection, runner = running
    wait_for(lambda: sum(sample.steps for sample in runner.take_samples()) or runner.marks)
    there.stop()
    wait_for(lambda: runner.state is RunState.FAILED)
    assert connection.lost == m.STOPPED
    assert not runner.error.goes_on
    with pytest.raises(LineLost, match="start 'workbench serve --socket "):
        there.connect()
    there.start()
    after = there.connect().start(document, autostart=False, kept=True)
    wait_for(lambda: after.state is RunState.READY)
    assert any(message.text.startswith("Goes on from") for message in after.take_messages())


def test_a_problem_that_is_opened_again_beside_its_run_goes_on_where_that_has_come_to(
    there, running, document, monkeypatch
):
    """What ended was still being written when the next had looked for it, and began at zero."""
    connection, runner = running
    wait_for(lambda: sum(sample.steps for sample in runner.take_samples()) or runner.marks)
    written = BackgroundWriter.submit
    monkeypatch.setattr(BackgroundWriter, "submit", lambda *job: (clock.sleep(0.5), written(*job))[1])
    runner.close()
    after = connection.start(document, autostart=False, kept=True)
    wait_for(lambda: after.state is RunState.READY)
    assert any(message.text.startswith("Goes on from") for message in after.take_messages())


def test_a_server_that_is_ended_keeps_a_run_as_it_was_changed_in_the_window(there, running, document):
    """With its live parameters, and the curves of probes that were placed since it began."""
    _connection, runner = running
    wait_for(lambda: runner.info is not None)
    placed = Probe(name="placed", position=tuple(document.geometry.centers(np.array([5]))[0] + 1e-5))
    project = document.project.model_copy(update={"probes": [placed]})
    now = replace(document, project=project, parameters=document.parameters.model_copy(update={"delay": 0.002}))
    runner.set_control("delay", 0.002).result(20)
    runner.set_probes(session.probe_elements(now)).result(20)
    wait_for(lambda: any("placed" in sample.probes for sample in runner.take_samples()))
    there.stop()
    wait_for(lambda: runner.state is RunState.FAILED)
    there.start()
    after = there.connect().start(now, autostart=False, kept=True)
    wait_for(lambda: after.state is RunState.READY)
    assert any(message.text.startswith("Goes on from") for message in after.take_messages())
    assert len(after.curves["placed", "voltage"][0]) > 0


def test_a_problem_that_cannot_be_run_there_ends_with_its_sentence(there, document):
    document.parameters = document.parameters.model_copy(update={"trouble": "nan", "trouble_step": 3})
    runner = there.connect().start(document, autostart=True)
    wait_for(lambda: runner.state is RunState.FAILED)
    assert "is no longer a number" in str(runner.error)
    document.project.run.device = "cuda:3"
    second = there.connections[0].start(document, autostart=True)
    wait_for(lambda: second.state is RunState.FAILED)
    assert "no device 'cuda:3'" in str(second.error)


def test_what_a_problem_needs_is_what_it_needs_there(there, running, document):
    connection, _ = running
    told = connection.estimate(document)
    assert told == estimate_beside_others(document, FakeBackend())
    document.parameters = document.parameters.model_copy(update={"step": 0.01})
    assert connection.estimate(document) == estimate_beside_others(document, FakeBackend()) != told
    assert there.server._judged[1].loaded is not None
    document.parameters = document.parameters.model_copy(update={"step": 0.02, "speed": 1e9})
    loaded = there.server._judged[1].loaded
    connection.estimate(document)
    assert there.server._judged[1].loaded is loaded, "the mesh is not read again"
    document.project.run.device = "cuda:3"
    with pytest.raises(DeviceError, match="no device 'cuda:3'"):
        connection.estimate(document)


def test_what_a_problem_needs_is_asked_once_its_files_are_there(there, running, document, monkeypatch):
    """Until the run has begun they may be on their way."""
    connection, runner = running
    asked, judge = [], connection._line.send
    monkeypatch.setattr(connection._line, "send", lambda message: asked.append(message) or judge(message))
    monkeypatch.setattr(type(runner), "is_there", False)
    waiting = threading.Thread(target=connection.estimate, args=(document,), daemon=True)
    waiting.start()
    waiting.join(0.3)
    assert waiting.is_alive()
    assert not asked
    monkeypatch.setattr(type(runner), "is_there", True)
    waiting.join(20.0)
    assert not waiting.is_alive()
    assert [type(message) for message in asked] == [m.Judge]


def test_samples_wait_until_they_are_taken_and_a_reset_ends_them(there, document):
    runner = there.connect().start(document, autostart=False)
    runner.advance(37)
    wait_for(lambda: runner.state is RunState.PAUSED)
    runner.set_probes([("one", 3)]).result(20)
    assert runner.take_samples()[-1].step == 37
    runner.advance(5)
    wait_for(lambda: [sample.step for sample in runner._samples._values][-1:] == [42])  # seen, and not taken
    runner.reset().result(20)
    assert not any(sample.step for sample in runner.take_samples()), "they are of what is undone"


def test_a_file_is_sent_once(there, running, document):
    connection, _ = running
    before = connection._line.sent
    wait_for(lambda: connection.start(document, autostart=False).state is not None)
    second = connection.runner
    wait_for(lambda: second.state is RunState.READY)
    assert connection._line.sent - before < document.mesh.stat().st_size


def test_files_of_one_name_do_not_overwrite_what_other_problems_share(there, running):
    connection, runner = running
    first, second = (Received().path(hashlib.sha256(content).hexdigest()) for content in (b"first", b"second"))
    for path in (first, second):
        path.write_bytes(b"first" if path is first else b"second")
    told = tuple(m.FileTold(name, path.name, 6) for name, path in (("a.csv", first), ("A.csv", second)))
    connection._line.send(m.Start("another", (runner.run_id,), m.SentProblem("{}", told), True))
    wait_for(lambda: connection.lost)
    assert "Two files of one name" in connection.lost
    assert first.read_bytes() == b"first"


def test_a_process_that_may_open_no_more_files_keeps_its_run(there, running, monkeypatch):
    _, runner = running
    listening, refused = there.server._socket, []

    class Full:
        def __getattr__(self, name):
            return getattr(listening, name)

        def accept(self):
            refused.append(OSError(errno.EMFILE, "Too many open files"))
            raise refused[-1]

    monkeypatch.setattr(there.server, "_socket", Full())
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.connect(str(there.path))
        wait_for(lambda: len(refused) > 2)
    runner.take_samples()
    wait_for(lambda: runner.take_samples())
    monkeypatch.undo()
    there.connect()


def test_what_is_changed_in_the_window_reaches_the_run(there, running):
    connection, runner = running
    runner.set_control("delay", 0.002).result(10.0)
    own = there.server._hosted.runner
    assert own.post(lambda simulation: simulation.parameters.delay).result(10.0) == 0.002
    runner.until, runner.pace = 5e5, 250.0
    assert (runner.until, runner.pace) == (5e5, 250.0)
    wait_for(lambda: (own.until, own.pace) == (5e5, 250.0))
    connection._stream._connection.shutdown(socket.SHUT_RDWR)
    wait_for(lambda: runner.state is RunState.FAILED)
    assert runner.set_control("delay", 0.0).cancelled(), "nobody is there to be asked"


def test_after_a_problem_that_could_not_be_sent_the_next_takes_the_place_of_the_run(there, running, document):
    connection, first = running
    mesh = document.mesh
    document.mesh = mesh.with_name("gone.vtu")
    failed = connection.start(document, autostart=True)
    wait_for(lambda: failed.state is RunState.FAILED)
    document.mesh = mesh
    next_ = connection.start(document, autostart=True)
    wait_for(lambda: next_.state is RunState.RUNNING)
    assert there.server._hosted.run == next_.run_id != first.run_id


def test_dabs_travel_with_their_stroke(there, document):
    runner = there.connect().start(document, autostart=False)
    wait_for(lambda: runner.state is RunState.READY)
    runner.paint(1, [Dab("none", (0.0, 0.0, 0.0), 1.0, 1.0)]).result(20)
    assert runner.take_back(1).result(20).began == 0
    assert runner.paint_again(1).result(20) is None


def test_an_idle_server_ends_by_itself(folder, house):
    server = serving.Server(folder / "own" / "serve.sock", idle_seconds=0.1)
    server.listen()
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    thread.join(20.0)
    assert not thread.is_alive()
    assert not server.path.exists()


def test_who_has_no_files_of_the_run_gets_them(there, running, monkeypatch):
    """As on another machine than the one that has sent them."""
    running[1].leave()
    running[0].close()
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(Received, "missing", lambda self, problem: tuple(file.sha256 for file in problem.files))
        came = []
        take = Received.take
        elsewhere.setattr(Received, "take", lambda self, part, wanted: came.append(part) or take(self, part, wanted))
        wait_for(lambda: there.server._window is None)
        opened = there.connect().attach()
    assert opened.geometry.n_cells == 216
    assert sum(len(part.content) for part in came) == opened.mesh.stat().st_size


def test_a_server_that_sends_no_files_is_not_waited_for_without_end(there, running, monkeypatch):
    """It answered the greeting and no more: the window waited for ever, and could not be closed."""
    running[1].leave()
    running[0].close()
    monkeypatch.setattr(Received, "missing", lambda self, problem: tuple(file.sha256 for file in problem.files))
    monkeypatch.setattr(serving.Server, "_send_files", lambda *_: None)
    wait_for(lambda: there.server._window is None)
    connection = there.connect()
    monkeypatch.setattr(connecting, "PATIENCE_SECONDS", 0.3)
    with pytest.raises(LineLost, match="does not send what its run is of: try again"):
        connection.attach()
    assert there.server._hosted is not None, "the run goes on"


def test_whether_a_run_was_left_is_told_without_being_its_window(there, running, monkeypatch):
    monkeypatch.setattr(connecting, "socket_path", lambda: there.path)
    connection, runner = running
    seen = connecting.seen_beside()
    assert (seen.run, seen.title, seen.goes_on, seen.watched) == (runner.run_id, "slab", True, True)
    assert runner.state is RunState.RUNNING, "its window goes on"
    connection._stream._connection.shutdown(socket.SHUT_RDWR)
    wait_for(lambda: not connecting.seen_beside().watched)
    assert connecting.seen_beside().run == runner.run_id
    again = there.connect()
    again.end_run()
    again.close()
    wait_for(lambda: not connecting.seen_beside().run)
    there.stop()
    assert not connecting.seen_beside().run
    there.start()


def test_a_line_that_ends_says_what_was_kept_of_the_run(there, running, document, monkeypatch):
    connection, _ = running
    connection._stream._connection.shutdown(socket.SHUT_RDWR)
    wait_for(lambda: connection.lost)
    assert connection.lost.endswith("has ended: nothing of its run was kept yet, so it begins at zero again.")
    monkeypatch.setattr("workbench.run.states.memory.EVERY_SECONDS", 0.0)
    again = there.connect()
    again.attach()
    wait_for(lambda: again.runner.kept)
    again._stream._connection.shutdown(socket.SHUT_RDWR)
    wait_for(lambda: again.lost)
    kept = clock_text(again.runner.kept, document.time_unit)
    assert again.lost.endswith(f"has ended: its run can go on from {kept}, where it was last kept.")

"""Frames that are kept, looked at again while the run goes on, and written as a movie."""

import shutil
import threading
import time as clock
import zlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel

from engines.api import Lines
from engines.api.charts import ChartData, Curve
from ui.recording import reel as reels
from ui.recording.movie_dialog import BEGINS_LATE, SIZES, MovieDialog, MovieWish
from ui.recording.reel import FOLDER, LOCK, Kept, Reel, read, write
from workbench.run.frames import Frame
from workbench.storage.locking import ProcessLock
from workbench.words.units import clock_text


def frame(step, serial=1, size=100):
    random = np.random.default_rng(step)
    values = {"surface": random.random(size).astype(np.float32), "cut": random.random((4, 3)).astype(np.float32)}
    lines = Lines(random.random((5, 2, 3)))
    curve = Curve("u", np.arange(size), random.random(size), low=random.random(size), told=3)
    charts = {"line_1": ChartData((curve, replace(curve, title="v", low=None))), "none": ChartData(())}
    return Frame(serial, step, 0.5 * step, values, charts, lines=lines, shifts={("objects", 0): (1.0, 2.0, step)})


def filled(reel, steps, **of):
    for step in steps:
        reel.add(*write(frame(step, **of), reel.begin()))


def test_a_frame_that_waited_for_a_busy_machine_does_not_hold_up_the_next_ones(reel, monkeypatch):
    """What the reel keeps off is the time of a core, not that of the clock."""
    file = reel.begin()
    monkeypatch.setattr(type(file), "write_bytes", lambda self, content: clock.sleep(0.3))
    _, seconds = write(frame(1), file)
    assert seconds < 0.15


def test_a_frame_is_kept_each_tenth_of_a_second_to_begin_with(monkeypatch):
    seconds, reel = [50.0], Reel()
    monkeypatch.setattr(reels, "clock", SimpleNamespace(monotonic=lambda: seconds[0]))
    assert reel.due(frame(1))
    reel.begin()
    due = []
    for seconds[0] in (50.05, 50.0999, 50.1001):
        due.append(reel.due(frame(2)))
    assert due == [False, False, True]
    reel.clear()


def test_a_frame_comes_back_bit_for_bit(reel):
    seen = frame(7)
    filled(reel, [7])
    again = read(reel.frames[0])
    assert (again.step, again.time, again.serial) == (7, 3.5, 1)
    assert again.values["surface"].dtype == np.float32
    assert again.shifts == seen.shifts
    for name, values in seen.values.items():
        np.testing.assert_array_equal(again.values[name], values)
    np.testing.assert_array_equal(again.lines.segments, seen.lines.segments)
    assert again.charts["none"] == seen.charts["none"]
    for one, other in zip(again.charts["line_1"].curves, seen.charts["line_1"].curves, strict=True):
        assert (one.title, one.told, one.low is None) == (other.title, other.told, other.low is None)
        np.testing.assert_array_equal(one.y, other.y)
    assert not reel.due(seen)  # each moment once
    folder = reel.frames[0].file.parent
    reel.clear()
    assert not folder.exists()


def test_a_reel_whose_files_somebody_has_removed_is_cleared(reel):
    filled(reel, [1])
    shutil.rmtree(reel.frames[0].file.parent)
    reel.clear()
    assert not reel.frames


def test_what_hardly_becomes_smaller_is_written_as_it_is(reel, monkeypatch):
    """Packing takes a core from the run, and noise does not become smaller by it."""
    levels, pack = [], zlib.compress
    monkeypatch.setattr(reels.zlib, "compress", lambda content, level: (levels.append(level), pack(content, level))[1])
    noise = np.random.default_rng(0).random(100_000).astype(np.float32)
    for step, values in enumerate((noise, np.zeros_like(noise), noise[:1000], noise[:36_000])):
        reel.add(*write(Frame(1, step, float(step), {"surface": values}), reel.begin()))
        assert read(reel.frames[-1]).values["surface"].tobytes() == values.tobytes()
    assert levels == [1, 0, 1, 1, 1, 1, 0], "a whole part is tried; what is short is packed at once"
    assert reel.frames[1].size < noise.nbytes / 100


def test_a_frame_with_charts_of_an_earlier_moment_is_not_kept(reel):
    """Looked back at, a profile would be of another moment than the curves beside it."""
    assert not reel.due(replace(frame(1), charted=False))
    assert reel.due(frame(1))


def test_a_full_reel_keeps_the_whole_run_with_half_of_its_frames(reel):
    filled(reel, [0])
    one = reel.size
    reel.budget = 10 * one
    reel.seconds = 1.0
    for step in range(1, 64):  # a step a second
        if step % reel.seconds == 0:
            filled(reel, [step])
    assert reel.size <= 10 * one
    steps = [kept.step for kept in reel.frames]
    assert steps == list(range(0, 64, 8))
    assert len(list(reel.frames[0].file.parent.glob("0*"))) == len(steps)


def test_a_full_reel_takes_half_as_many(monkeypatch):
    reel = Reel(budget=1, seconds=0.25)
    try:
        filled(reel, range(3))
        assert reel.seconds == 0.5
    finally:
        reel.clear()
    assert reel.seconds == 0.25


def test_what_a_killed_process_has_left_is_removed_and_what_another_holds_is_not(reel, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("killed", "other"):
        (tmp_path / f"{FOLDER}{name}").mkdir()
        (tmp_path / f"{FOLDER}{name}" / LOCK).touch()
    other = ProcessLock(tmp_path / f"{FOLDER}other" / LOCK)
    assert other.acquire()
    filled(reel, [1])
    assert set(tmp_path.iterdir()) == {tmp_path / f"{FOLDER}other", reel.frames[0].file.parent}
    other.release()


def test_a_movie_takes_frames_at_equal_distances():
    frames = [Kept(None, 1, Frame(1, k, time, {})) for k, time in enumerate(np.linspace(0, 10, 101) ** 2)]
    wish = MovieWish(".gif", (), 5, seconds=1)
    np.testing.assert_allclose([kept.time for kept in wish.chosen(frames)], [0, 25, 50, 75, 100], atol=1.5)
    assert wish.chosen(frames[:4]) == frames[:4]
    for seconds, rate, count in ((1, 1, 2), (0, 5, 2), (1, 2, 2), (1, 3, 3), (2, 4, 8), (4, 25, 100)):
        chosen = MovieWish(".gif", (), rate, seconds=seconds).chosen(frames)
        assert (chosen[0], chosen[-1]) == (frames[0], frames[-1])
        assert count / 2 < len(chosen) <= count, "early ones stand close together in time"
        assert [kept.time for kept in chosen] == sorted({kept.time for kept in chosen})


def test_the_dialog_says_before_what_cannot_be_written(qtbot, monkeypatch):
    frames = [Kept(None, 1, Frame(1, k, 3600.0 * k, {})) for k in range(3)]
    for there, suffix in (("ffmpeg", ".mp4"), (None, ".gif")):
        monkeypatch.setattr("ui.recording.movie_dialog.encoder", lambda there=there: there)
        dialog = MovieDialog(frames, "s", 19_900)
        qtbot.addWidget(dialog)
        assert dialog.wish.suffix == suffix
        mp4 = dialog.form_chooser.model().item(0)
        assert mp4.isEnabled() == bool(there)
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert "3 frames from 0.00 s to 2 h 00 min are kept, 19.9 kB on disk." in texts


def keep(qtbot, playback, steps, serial=1):
    for step in steps:
        count = len(playback.reel.frames)
        playback.reel._due = 0.0  # what the frame before took does not matter here
        playback.take(frame(step, serial))
        qtbot.waitUntil(lambda count=count: len(playback.reel.frames) > count, timeout=5000)


def test_a_view_that_wants_something_else_shows_what_is_now(playback, qtbot):
    keep(qtbot, playback, range(4))
    seen = []
    playback.looked.connect(seen.append)
    playback.look(0.6)
    qtbot.waitUntil(lambda: bool(seen), timeout=5000)
    assert (seen[0].step, playback.looking_back) == (1, True)
    keep(qtbot, playback, [9], serial=2)
    assert seen[-1] is None
    assert not playback.looking_back
    assert [each.step for each in playback.frames()] == [9]  # the others cannot be drawn in it


def steps_of(playback):
    return [each.step for each in playback.frames()]


def test_after_a_rewind_what_came_later_is_of_another_branch(playback, qtbot):
    """A step is half a unit of time."""
    told, kept = [], []
    playback.left_changed.connect(told.append)
    playback.kept_changed.connect(kept.append)
    keep(qtbot, playback, (0, 10, 20, 30))
    assert list(dict.fromkeys(kept)) == [None, (0.0, 5.0), (0.0, 10.0), (0.0, 15.0)], "one alone is no stretch"
    playback.rewound(5.0)
    assert steps_of(playback) == [0, 10]
    assert told[-1] == ((10.0, 15.0),)
    keep(qtbot, playback, (11, 13))
    assert steps_of(playback) == [0, 10, 11, 13]
    playback.look(15.0)  # farther than this branch has come
    assert (steps_of(playback), playback.time) == ([0, 10, 20, 30], 15.0)
    playback.look_at_other_branch()
    assert (steps_of(playback), playback.time) == ([0, 10, 11, 13], 6.5)
    playback.look_at_other_branch()
    assert (steps_of(playback), playback.time) == ([0, 10, 20, 30], 5.0)
    playback.back()
    assert steps_of(playback) == [0, 10, 11, 13]
    playback.forget()
    assert not playback.reel.frames
    assert told[-1] == ()


def test_rewound_twice_before_it_goes_on_it_leaves_one_branch(playback, qtbot):
    keep(qtbot, playback, (0, 10, 20))
    for time in (5.0, 0.0, 5.0):
        playback.rewound(time)
    assert playback.reel.left() == [0]
    assert steps_of(playback) == [0, 10]
    keep(qtbot, playback, (12,))
    playback.rewound(0.0)
    assert steps_of(playback) == [0]
    assert playback.reel.left() == [1, 0]


def test_of_many_branches_the_last_ones_stay(playback, qtbot):
    keep(qtbot, playback, (0, 10))
    for number in range(8):
        playback.rewound(0.0)
        keep(qtbot, playback, (20 + number,))
    assert sorted(each.step for each in playback.reel.frames) == [0, 23, 24, 25, 26, 27]
    assert len(list(playback.reel.frames[0].file.parent.glob("0*"))) == 6


@pytest.mark.parametrize("what", ["ui.recording.playback.write", "ui.recording.reel.held_folder"])
def test_a_disk_that_is_full_ends_the_keeping_with_one_sentence(playback, qtbot, monkeypatch, what):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(what, full)
    with qtbot.waitSignal(playback.trouble, timeout=5000) as told:
        playback.take(frame(1))
    assert told.args == ["The frames of the run are no longer kept: No space left on device."]
    playback.take(frame(2))
    assert not playback._background.busy


def test_a_run_that_begins_anew_while_a_frame_is_written_is_kept(playback, qtbot, monkeypatch):
    """The folder went with the run before: nothing of the new one was kept, and the disk was said to refuse."""
    told, forgotten = [], threading.Event()
    playback.trouble.connect(told.append)

    def late(frame, file):
        assert forgotten.wait(60)
        return write(frame, file)

    with monkeypatch.context() as slow:
        slow.setattr("ui.recording.playback.write", late)
        playback.take(frame(1))
        playback.forget()
        forgotten.set()
        qtbot.waitUntil(lambda: not playback._background.busy)
    keep(qtbot, playback, (0, 10))
    assert told == []


def slow_wave(opened, qtbot):
    """Run until several frames are kept, and on."""
    recording = opened.recording
    recording.playback.reel._least = recording.playback.reel.seconds = 0.0
    opened.controller.run()
    qtbot.waitUntil(lambda: len(recording.playback.frames()) > 5, timeout=10_000)
    return recording


def test_the_timeline_looks_back_while_the_run_goes_on(opened, qtbot):
    recording, timeline, viewport = slow_wave(opened, qtbot), opened.timeline, opened.viewport
    bar, kept = timeline.bar, recording.playback.frames()[1]
    assert timeline.now_button.isHidden()
    wide = bar.width()
    at = QPoint(round(bar.bar_width() * kept.time / timeline._span()), bar.height() // 2)
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: timeline.now_button.isVisible(), timeout=5000)
    assert abs(bar.width() - wide) <= 1  # it stays under the mouse
    past = viewport.frames[-1]
    assert any(each.time == past.time for each in recording.playback.frames())
    steps = opened.controller.time
    qtbot.waitUntil(lambda: opened.controller.time > steps, timeout=10_000)  # it goes on
    assert viewport.frames[-1] is past  # and the view stays
    assert timeline.time_label.text().startswith(f"{past.time:.2f}")
    qtbot.mouseClick(timeline.now_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: viewport.frames[-1].time > past.time, timeout=5000)
    assert timeline.now_button.isHidden()
    opened.controller.pause()
    qtbot.waitUntil(lambda: opened.controller.phase == "paused", timeout=5000)

    qtbot.waitUntil(lambda: not opened.background.busy, timeout=5000)
    recording.playback.look(0.0)
    qtbot.waitUntil(lambda: recording.playback.looking_back, timeout=5000)
    timeline.loop_button.setChecked(True)
    times = [each.time for each in recording.playback.frames()]
    qtbot.waitUntil(lambda: {each.time for each in viewport.frames[-3 * len(times) :]} >= set(times), timeout=20_000)
    opened.controller.reset()
    qtbot.waitUntil(lambda: not recording.playback.looping, timeout=5000)
    assert timeline.now_button.isHidden()


def test_who_looks_back_and_has_the_run_go_on_sees_it_go_on(opened, qtbot):
    """By Run or by a step; who pauses it stays with what is looked at."""
    recording, timeline, viewport = slow_wave(opened, qtbot), opened.timeline, opened.viewport
    for go_on in (timeline.run_button, timeline.step_button):
        recording.playback.look(0.0)
        qtbot.waitUntil(lambda: recording.playback.looking_back and timeline.now_button.isVisible(), timeout=5000)
        if opened.controller.phase == "running":
            qtbot.mouseClick(timeline.run_button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: opened.controller.phase == "paused", timeout=5000)
        assert recording.playback.looking_back
        stood = opened.controller.time
        qtbot.mouseClick(go_on, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda stood=stood: viewport.frames[-1].time > stood, timeout=5000)
        assert timeline.now_button.isHidden()


def test_the_log_tells_the_time_of_the_run_while_an_earlier_moment_is_seen(opened, qtbot):
    playback, timeline = slow_wave(opened, qtbot).playback, opened.timeline
    playback.look(playback.frames()[0].time)
    qtbot.waitUntil(lambda: timeline.now_button.isVisible(), timeout=5000)
    opened.controller.pause()
    qtbot.waitUntil(lambda: opened.controller.phase == "paused", timeout=5000)
    told = opened.log.lines.messages[-1].text
    assert told == f"Paused at {clock_text(opened.controller.time, 'ms')}."
    assert f" {timeline.time_label.text()}" not in told


def test_what_was_kept_becomes_a_movie(opened, qtbot, tmp_path, monkeypatch):
    opened.actions_["movie"].trigger()
    assert opened.banner.text.startswith("There are no frames for a movie yet")
    recording, viewport = slow_wave(opened, qtbot), opened.viewport
    opened.controller.pause()
    qtbot.waitUntil(lambda: opened.controller.phase == "paused", timeout=5000)
    qtbot.waitUntil(lambda: not opened.background.busy, timeout=5000)

    def image(width=None, height=None):
        place = [kept.time for kept in recording.playback.frames()].index(viewport.frames[-1].time)
        return np.full((height, width, 4), 10 * place % 256, np.uint8)

    monkeypatch.setattr(viewport, "image", image)
    path = tmp_path / "run.gif"
    monkeypatch.setattr("ui.recording.area.QFileDialog.getSaveFileName", lambda *_: (str(path), ""))
    opened.actions_["movie"].trigger()
    dialog = recording.dialog
    assert isinstance(dialog, MovieDialog)
    dialog.form_chooser.setCurrentText("GIF animation")
    dialog.size_chooser.setCurrentText("640 × 360")
    count = len(dialog.wish.chosen(recording.playback.frames()))
    qtbot.mouseClick(dialog.export_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: path.is_file() and recording.shooting is None, timeout=10_000)
    with Image.open(path) as file:
        assert (file.n_frames, file.size) == (count, (640, 360))
        file.seek(3)
        assert file.convert("RGB").getpixel((5, 5)) == (30, 30, 30)
    assert not recording.playback.looking_back

    given_up = tmp_path / "given up.gif"
    recording.shoot(given_up, MovieWish(".gif", (64, 36), 25))
    progress = recording.progress
    opened.actions_["movie"].trigger()
    assert recording.progress is progress, "the one that is being made is shown again"
    seen = []
    recording.shooting.progressed.connect(lambda done: seen.append((progress.told.text(), progress.bar.value())))
    recording.shooting.progressed.connect(lambda _: progress.cancel_button.click())
    assert progress.isVisible()
    qtbot.waitUntil(lambda: recording.shooting is None, timeout=10_000)
    assert seen[0] == (f"given up.gif: 1 of {count} frames", 1)
    assert len(seen) < count
    assert opened.banner.text == "The movie was given up: nothing of it was written."
    qtbot.waitUntil(lambda: not opened.background.busy, timeout=5000)
    assert not given_up.exists()
    assert recording.progress is None

    unfinished = tmp_path / "pictures"
    recording.shoot(unfinished, MovieWish("", (64, 36), 25))
    qtbot.waitUntil(lambda: unfinished.is_dir() and any(unfinished.iterdir()))
    opened.close_at_once()
    assert not unfinished.exists()


@pytest.mark.parametrize(("others", "told"), [(True, "choose that again, or Reset and Run"), (False, "too few frames")])
def test_a_run_that_is_over_says_how_there_is_a_movie_of_what_is_shown_now(opened, qtbot, others, told):
    """It makes no more frames: to wait for some was no help."""
    recording = slow_wave(opened, qtbot)
    opened.controller.pause()
    qtbot.waitUntil(lambda: opened.controller.phase == "paused", timeout=5000)
    qtbot.waitUntil(lambda: not opened.background.busy, timeout=5000)
    opened.controller.phase = "finished"
    if not others:
        recording.playback.reel.clear()
    recording.playback.newest = replace(recording.playback.newest, serial=99)  # of another field
    opened.actions_["movie"].trigger()
    assert told in opened.banner.text
    assert "wait" not in opened.banner.text


@pytest.mark.parametrize("others", [0, 3])
def test_a_movie_that_begins_late_as_another_field_was_shown_before_says_so(opened, qtbot, others):
    """One of two frames was offered without a word where the field was chosen at the end of a run."""
    recording = slow_wave(opened, qtbot)
    opened.controller.pause()
    qtbot.waitUntil(lambda: opened.controller.phase == "paused", timeout=5000)
    qtbot.waitUntil(lambda: not opened.background.busy, timeout=5000)
    frames = recording.playback.reel.frames
    frames[:others] = [replace(kept, rest=replace(kept.rest, serial=99)) for kept in frames[:others]]
    opened.actions_["movie"].trigger()
    told = [label.text() for label in recording.dialog.findChildren(QLabel) if label.objectName() == "warning"]
    begins = clock_text(frames[others].time, "ms")
    assert told == [BEGINS_LATE.format(time=begins)] * bool(others)
    recording.dialog.close()


def test_a_movie_is_called_like_its_project_and_lies_beside_it(opened, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(
        "ui.recording.area.QFileDialog.getSaveFileName", lambda *told: (asked.append(told[2]), ("", ""))[1]
    )
    wish, document = MovieWish(".gif", (64, 36), 25), opened.model.document
    document.project.title, document.path = "A wave", None
    opened.recording._choose_file(wish, ())
    document.path = tmp_path / "wave"
    opened.recording._choose_file(wish, ())
    assert asked == [str(Path.home() / "A wave.gif"), str(tmp_path / "A wave.gif")]
    document.project.title = "R/T of 0.5 mm"
    opened.recording._choose_file(MovieWish("", (64, 36), 25), ())
    assert asked[2] == str(tmp_path / "R-T of 0-5 mm"), "a folder whose name is no kind of movie"


def test_a_movie_whose_name_has_no_ending_gets_that_of_its_kind(opened, monkeypatch):
    shot = []
    monkeypatch.setattr(opened.recording, "shoot", lambda path, *_: shot.append(str(path)))
    for typed, suffix in (("a", ".gif"), ("a.mp4", ".gif"), ("a", ""), ("a.b", ""), ("", ".gif")):
        monkeypatch.setattr("ui.recording.area.QFileDialog.getSaveFileName", lambda *_, typed=typed: (typed, ""))
        opened.recording._choose_file(MovieWish(suffix, (64, 36), 25), ())
    assert shot == ["a.gif", "a.mp4", "a", "a.b"]


def test_a_movie_has_as_many_pixels_as_it_is_called():
    named = {name: size for name, size in SIZES.items() if size}
    assert set(SIZES) - set(named) == {"As on the screen"}
    assert {f"{wide} × {high}" for wide, high in named.values()} == set(named)

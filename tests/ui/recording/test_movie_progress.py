"""What is said of a movie while it is made: which frame, how long it still takes, and its end."""

import pytest
from PySide6.QtWidgets import QWidget

from ui.recording import movie_progress
from ui.recording.movie_progress import MovieProgress


@pytest.fixture
def progress(qtbot, monkeypatch):
    """Of a movie of ten frames that begins at 100 s."""
    seconds = [100.0]
    monkeypatch.setattr(movie_progress.clock, "monotonic", lambda: seconds[0])
    parent = QWidget()
    qtbot.addWidget(parent)
    progress = MovieProgress("run.gif", 10, parent)
    progress.seconds = seconds
    yield progress
    parent.close()


def test_it_begins_with_no_frame_and_ends_with_what_is_still_written(progress):
    assert (progress.told.text(), progress.bar.value()) == ("run.gif: 0 of 10 frames", 0)
    assert (progress.bar.minimum(), progress.bar.maximum()) == (0, 10)
    assert not progress.bar.isTextVisible(), "what it says stands above"
    progress.seconds[0] += 60.0
    progress.show_done(9)
    assert (progress.told.text(), progress.bar.value()) == ("run.gif: 9 of 10 frames", 9)
    progress.show_done(10)
    assert (progress.told.text(), progress.left.text()) == ("Finishing run.gif…", " ")


@pytest.mark.parametrize(
    ("seconds", "frames", "left"),
    [(3.0, 1, " "), (4.0, 0, " "), (4.0, 1, "About 36.0 s left"), (4.0, 4, "About 6.0 s left")],
)
def test_what_is_left_follows_from_what_it_took_once_that_is_some_seconds(progress, seconds, frames, left):
    progress.seconds[0] += seconds
    progress.show_done(frames)
    assert progress.left.text() == left

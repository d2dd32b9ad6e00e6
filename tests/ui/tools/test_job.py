"""What a tool tells of itself while it works, and how often it is looked at."""

from concurrent.futures import Future

import pytest
from PySide6.QtCore import QObject

from ui.tools.job import ToolJob


class Background:
    """Keeps what is to be done, for the test to do."""

    def submit(self, lane, work, then, otherwise):
        assert lane == "tools"
        self.work, self.then, self.otherwise = work, then, otherwise
        return Future()


@pytest.fixture
def job(qapp):
    parent = QObject()
    job = ToolJob(Background(), parent)
    job.parent, job.told = parent, []
    job.progressed.connect(lambda *told: job.told.append(told))
    yield job
    job._timer.stop()


def test_a_tool_waits_for_others_until_it_tells_how_far_it_is(job):
    job.start(lambda progress: progress("Measuring", 0.25))
    assert job.busy
    job._timer.timeout.emit()
    job._background.then(job._background.work())
    assert not job.busy
    assert not job._timer.isActive()
    job._timer.timeout.emit()
    assert job.told == [("Waiting for another tool", 0.0), ("Measuring", 0.25)]


@pytest.mark.parametrize(("fraction", "shown"), [(-0.5, 0.0), (0.0, 0.0), (0.6, 0.6), (1.0, 1.0), (1.5, 1.0)])
def test_a_bar_is_never_emptier_than_empty_or_fuller_than_full(job, fraction, shown):
    job.start(lambda progress: progress("Measuring", fraction))
    job._background.work()
    job._timer.timeout.emit()
    assert job.told == [("Measuring", shown)]

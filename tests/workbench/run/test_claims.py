"""Two windows that run one problem: what either keeps of it."""

import pytest

from workbench.project.document import Document, open_document
from workbench.run.frames import RunState
from workbench.run.session import start
from workbench.run.states.memory import RunMemory, remembered_state, runs_dir


class Window:
    """A run of a document as a process of its own would have it, and what it tells."""

    def __init__(self, document: Document) -> None:
        self.memory, self.told = RunMemory(document), []
        self.memory.say = lambda text, severity: self.told.append(text)
        self.memory._claim.written = {}
        self._runner = start(document, "cpu", (self.memory,), autostart=False)
        self._runner.wait(RunState.READY)
        self._runner.post(lambda simulation: self.memory._writer.flush()).result(20)

    def advance(self, steps: int) -> None:
        self._runner.advance(steps)
        assert self._runner.wait(RunState.PAUSED) is RunState.PAUSED
        self._runner.post(self.memory.keep_now).result(20)

    def close(self) -> None:
        self._runner.close()


def test_what_another_window_has_kept_of_a_run_that_is_further_is_not_replaced(project):
    document = open_document(project)
    first, second = Window(document), Window(document)
    first.advance(40)
    second.advance(100)
    assert second.told == []
    assert remembered_state(document).meta.step == 100
    assert "further, at 2.00 ms" in first.memory.doubt(1.0, 0), "before it is kept again"
    first.advance(30)
    (sentence,) = first.told
    assert "Another window has kept a run of this problem that is further, at 2.00 ms" in sentence
    assert "this one is at 1.40 ms" in sentence
    assert (remembered_state(document).meta.step, first.memory.kept) == (100, None)
    second.close()
    first.advance(60)
    assert len(first.told) == 1
    assert (remembered_state(document).meta.step, first.memory.kept) == (130, pytest.approx(2.6))
    first.close()
    third = Window(document)
    third.advance(10)
    assert third.told == []
    assert remembered_state(document).meta.step == 10, "a run after another, which began when that was over"
    third.close()


def test_a_run_from_zero_leaves_what_is_kept_of_one_that_goes_on_in_another_window(project):
    document = open_document(project)
    first = Window(document)
    first.advance(50)
    second = Window(document)
    second.memory.next_step = lambda after: None
    second._runner.advance(1)
    assert second._runner.wait(RunState.PAUSED) is RunState.PAUSED
    second._runner.post(lambda simulation: second.memory._writer.flush()).result(20)
    assert remembered_state(document).meta.step == 50
    first.close()
    second.close()
    assert list(runs_dir().glob("*.lock")) == []

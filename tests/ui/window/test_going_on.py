"""After a run broke off the window offers what can be done, and goes on from the last state that was kept."""

import pytest
from PySide6.QtCore import Qt

from engines.api.errors import DeviceError
from tests.ui.wave import FakeBackend, Wave
from ui.session.running.phase import Phase
from ui.window.questions.going_on import AGAIN, HERE, ON_CPU

SHORT = "The GPU ran out of memory: use a smaller problem, single precision, or another device."
LOST = "A kernel left its memory on the GPU: restart the application before the next run on it."


@pytest.fixture
def broken_off(opened, qtbot, monkeypatch):
    """Calls that have the run, of which a state is kept, fail on a device."""

    def fail(error, device="cuda:0"):
        with monkeypatch.context() as patch:
            patch.setattr(FakeBackend, "id", device)
            opened.controller.build(autostart=True)
            qtbot.waitUntil(lambda: bool(opened.controller.rewinding.marks), timeout=20_000)
            patch.setattr(Wave, "synchronize", lambda self: (_ for _ in ()).throw(error))
            qtbot.waitUntil(lambda: opened.controller.phase is Phase.FAILED, timeout=20_000)
        qtbot.waitUntil(lambda: bool(opened.banner.answers))
        return opened

    return fail


def press(window, qtbot, text):
    button = next(button for button in window.banner.answers if button.text() == text)
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def answers(window):
    return [button.text() for button in window.banner.answers]


def said(window):
    return "\n".join(window.log.lines.text(row) for row in range(window.log.lines.rowCount()))


def test_a_lost_gpu_is_followed_by_the_cpu_from_the_last_state(broken_off, qtbot, services):
    window = broken_off(DeviceError(LOST, lost=True))
    kept = services.runners[-1].rescued
    assert answers(window) == [ON_CPU]
    assert window.banner.text == f"{LOST} It can go on from {kept.mark.time:.2f} ms."
    assert window.banner.property("severity") == "error"
    press(window, qtbot, ON_CPU)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING, timeout=20_000)
    assert window.model.document.project.run.device == "cpu"
    qtbot.waitUntil(lambda: f"Goes on from {kept.mark.time:g}\u00a0ms." in said(window))


def test_where_memory_ran_out_the_same_device_is_offered_too(broken_off, qtbot, services):
    window = broken_off(DeviceError(SHORT))
    assert answers(window) == [ON_CPU, HERE, AGAIN]
    kept = services.runners[-1].rescued
    drawn = window.probes.curves()
    press(window, qtbot, HERE)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING, timeout=20_000)
    assert drawn
    for key, (times, _) in drawn.items():
        before = times[times <= kept.mark.time]
        assert window.probes.curves()[key][0][: len(before)].tolist() == before.tolist()
    assert window.model.document.project.run.device == "auto"


@pytest.mark.parametrize("when", ["before it broke off", "after that"])
def test_live_values_that_were_set_since_are_those_that_it_goes_on_with(broken_off, opened, qtbot, monkeypatch, when):
    scale, taken = ("parameters", "conductivity_scale"), []
    plain = Wave.set_control
    if when == "before it broke off":
        opened.controller.phase_changed.connect(
            lambda phase: phase == "running" and opened.model.edit(scale, 0.7, "scale")
        )
    window = broken_off(DeviceError(SHORT))
    if when == "after that":
        window.model.edit(scale, 0.7, "scale")
    monkeypatch.setattr(Wave, "set_control", lambda self, *change: (taken.append(change), plain(self, *change))[1])
    press(window, qtbot, HERE)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING, timeout=20_000)
    assert taken[0] == ("conductivity_scale", 0.7)
    assert "Goes on from" in said(window)


def test_a_cpu_without_memory_is_not_offered_itself(broken_off):
    window = broken_off(MemoryError(), device="cpu")
    assert answers(window) == [HERE, AGAIN]
    assert window.banner.text.startswith("There is not enough memory for this run")


def test_a_state_of_other_values_is_none_to_go_on_from(broken_off, qtbot, services):
    window = broken_off(DeviceError(SHORT))
    window.model.edit(("parameters", "numerics", "step"), 0.01, "step")
    press(window, qtbot, HERE)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING, timeout=20_000)
    assert "Goes on from" not in said(window)

"""A session on its own thread: what it says, how it is narrowed, cancelled, and how it fails."""

from __future__ import annotations

import time

import pytest

from engines.api.errors import DeviceError
from engines.backend import open_backend
from engines.stencil.lab.studies import studies
from workbench.bench import lab as lab_module
from workbench.bench.lab_run import Ceilings, Failed, Finished, LabRun, Measured, Progress
from workbench.bench.records import MachineRecord, VariantRecord


@pytest.fixture
def laplace():
    return next(study for study in studies() if study.id == "laplace2d")


@pytest.fixture(autouse=True)
def _flat_ceiling(monkeypatch):
    """The curve takes seconds, and here nothing depends on it: a ceiling that no machine reaches."""
    from engines.backend.ceilings.curve import BandwidthPoint, Curve

    flat = Curve((BandwidthPoint("copy", 1 << 20, 1e12),), 1e-6, None)
    monkeypatch.setattr(lab_module, "measured_curve", lambda *_, **__: flat)


def drained(run: LabRun, seconds: float = 60.0) -> list:
    events, end = [], time.monotonic() + seconds
    while run.alive and time.monotonic() < end:
        events += run.poll()
        time.sleep(0.01)
    assert not run.alive
    return events + list(run.poll())


def test_a_session_measures_what_was_asked_for(laplace):
    run = LabRun(
        lambda: open_backend("cpu"), [laplace],
        cases={"laplace2d": ["1024²"]}, variants={"laplace2d": ["numba", "numpy"]}, quick=True,
    )  # fmt: skip
    run.start()
    events = drained(run)
    kinds = [type(event) for event in events if not isinstance(event, Progress)]
    assert kinds == [Ceilings, Measured, Measured, Finished]
    assert isinstance(next(event for event in events if isinstance(event, Ceilings)).machine, MachineRecord)
    record = events[-1].record
    assert [one.variant for one in record.variants] == ["numba", "numpy"]
    assert all(isinstance(one, VariantRecord) and one.case == "1024²" and not one.refused for one in record.variants)
    done = [event.fraction for event in events if isinstance(event, Progress)]
    assert done == sorted(done), "it does not begin again after the ceilings"
    assert done[-1] == pytest.approx(1.0)


def test_a_cancelled_session_keeps_what_it_has(laplace):
    run = LabRun(lambda: open_backend("cpu"), [laplace], cases={"laplace2d": ["1024²", "2048²"]})
    run.start()
    while not any(isinstance(event, Measured) for event in run.poll()):
        assert run.alive
        time.sleep(0.005)
    run.cancel()
    end = drained(run)[-1]
    assert isinstance(end, Finished)
    everything = [variant for variant in laplace.variants if variant.device == "cpu"]
    assert 1 <= len(end.record.variants) < 2 * len(everything)


def test_a_device_that_cannot_be_opened_is_a_sentence(laplace):
    def refuse():
        raise DeviceError("There is no GPU 7: choose another device.")

    run = LabRun(refuse, [laplace])
    run.start()
    assert drained(run) == [Failed("There is no GPU 7: choose another device.")]

"""The device where nobody named one: the faster of both for this problem, said in a sentence, and kept to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from engines.api.errors import DeviceError, ProblemError
from engines.backend.devices import faster as devices
from engines.backend.devices.faster import COMPILES, SMALL_MEMORY, SMALL_STEP, faster, open_for
from tests.workbench.fake_engine import FakeBackend


class Device(FakeBackend):
    def __init__(self, kind: str, free: int = 0) -> None:
        super().__init__()
        self.id, self._kind, self._free = {"cpu": "cpu", "cuda": "cuda:0"}[kind], kind, free

    @property
    def info(self):
        return replace(super().info, name={"cpu": "Two Cores", "cuda": "A Card"}[self._kind], kind=self._kind)

    def free_memory(self) -> int:
        return self._free


@dataclass
class Speeds:
    """An engine of which a step of 0.5 takes so many seconds, as it estimates and as it is."""

    estimated: dict[str, float | None] = field(default_factory=lambda: {"cpu": 1.0, "cuda": 1.0})
    taken: dict[str, float] = field(default_factory=dict)
    memory: int = 1000
    moved: int = 1000
    refused: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    built: list[Any] = field(default_factory=list)

    def estimate(self, problem, backend):
        if backend.info.kind in self.refused:
            raise ProblemError("Too much.")
        pace = self.estimated[backend.info.kind]
        return SimpleNamespace(memory_bytes=self.memory, bytes_per_step=self.moved, seconds_per_simulated_unit=pace)

    def build(self, problem, backend):
        kind = backend.info.kind
        if kind in self.fails:
            raise DeviceError("It fell over.")
        self.built.append(Trial(self.taken[kind]))
        return self.built[-1]


class Trial:
    """A simulation whose clock is the test's."""

    now = 0.0
    sample_steps, whole_batch = 3, 2

    def __init__(self, seconds: float, ends: int = 10**9) -> None:
        self.step, self.seconds, self.ends, self.closed = 0, seconds, ends, False

    @property
    def time(self):
        return 0.5 * self.step

    @property
    def finished(self):
        return self.step >= self.ends

    def advance(self, steps):
        assert steps % self.whole_batch == 0
        self.step += steps
        Trial.now += steps * self.seconds

    def observe(self):
        return {}

    def synchronize(self):
        pass

    def close(self):
        self.closed = True


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    monkeypatch.setattr(devices, "compiled_ahead", lambda: True)
    monkeypatch.setattr(devices, "clock", SimpleNamespace(perf_counter=lambda: Trial.now))


def chosen(engine: Speeds, **options):
    gpu, cpu = Device("cuda", options.pop("free", 0)), Device("cpu")
    backend, reason = faster(engine, None, gpu, cpu, **options)
    return backend.info.kind, reason


@pytest.mark.parametrize(("gpu", "cpu", "kind", "ratio"), [(30e-6, 10e-6, "cpu", "3"), (5e-6, 20e-6, "cuda", "4")])
def test_a_small_problem_is_tried_on_both_whatever_is_estimated(gpu, cpu, kind, ratio):
    engine = Speeds({"cpu": 1.0, "cuda": 1.0}, {"cuda": gpu, "cpu": cpu})
    found, reason = chosen(engine)
    quick, slow = ("Two Cores", "A Card") if kind == "cpu" else ("A Card", "Two Cores")
    assert (found, reason) == (
        kind,
        f"Runs on {quick}, {ratio} times as fast as {slow} for this problem, as tried on both.",
    )
    assert len(engine.built) == 2
    assert all(trial.closed for trial in engine.built)
    assert all(0.05 <= trial.step * trial.seconds < 0.06 for trial in engine.built)


@pytest.mark.parametrize("large", [{"memory": SMALL_MEMORY + 1}, {"moved": SMALL_STEP + 1}, {"trial": False}])
def test_a_large_problem_is_judged_by_both_estimates(large):
    trial = {"trial": large.pop("trial")} if "trial" in large else {}
    engine = Speeds({"cpu": 7.0, "cuda": 14.0}, **large)
    kind, reason = chosen(engine, **trial)
    assert kind == "cpu"
    assert reason == "Runs on Two Cores, 2 times as fast as A Card for this problem, by the estimates of both."
    assert not engine.built


def test_a_pace_that_nobody_knows_leaves_it_to_the_gpu():
    assert chosen(Speeds({"cpu": 1.0, "cuda": None}), trial=False) == ("cuda", "")


def test_what_has_no_room_on_the_gpu_or_is_refused_there_runs_on_the_processor():
    kind, reason = chosen(Speeds(memory=90 * 10**9), free=80 * 10**9)
    assert kind == "cpu"
    assert reason == "Runs on Two Cores and not on A Card: 90 GB are needed, and it has 80 GB free."
    assert chosen(Speeds(refused=("cuda",))) == ("cpu", "Runs on Two Cores: A Card cannot run this problem.")
    assert chosen(Speeds(refused=("cuda", "cpu"))) == ("cuda", "")
    assert chosen(Speeds(taken={"cuda": 1e-6}, fails=("cpu",))) == ("cuda", "")


def test_a_problem_that_ends_within_the_trial_is_judged_by_what_it_took():
    engine = Speeds(taken={"cuda": 4e-6, "cpu": 1e-6})
    build = engine.build

    def short(problem, backend):
        simulation = build(problem, backend)
        simulation.ends = 40
        return simulation

    engine.build = short
    kind, reason = chosen(engine)
    assert (kind, "4 times" in reason) == ("cpu", True)
    assert [trial.step for trial in engine.built] == [40, 40]


def opening(log, **memory):
    def open_backend(device, reserve_core):
        log.append(Device("cpu" if device == "cpu" else "cuda", **memory))
        return log[-1]

    return open_backend


def test_the_one_that_is_not_taken_is_closed_and_the_choice_says_why():
    opened = []
    engine = Speeds(taken={"cuda": 3e-6, "cpu": 1e-6})
    backend = open_for(engine, None, "auto", open_backend=opening(opened))
    assert (backend.info.kind, [each.closed for each in opened]) == ("cpu", [True, False])
    assert "3 times" in backend.chosen


def test_a_named_device_is_opened_alone_and_a_lone_processor_too():
    opened = []
    for name in ("cuda:0", "cpu"):
        assert open_for(Speeds(), None, name, open_backend=opening(opened)).chosen == ""
    alone = open_for(Speeds(), None, "auto", open_backend=lambda device, reserve_core: Device("cpu"))
    assert (len(opened), alone.chosen, alone.closed) == (2, "", False)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("before", "kind"), [("A Card", "cuda"), ("Two Cores", "cpu"), ("Another Card", "cpu")])
def test_a_run_that_goes_on_stays_on_its_device(before, kind, compiled, monkeypatch):
    monkeypatch.setattr(devices, "compiled_ahead", lambda: compiled)
    engine = Speeds(taken={"cuda": 3e-6, "cpu": 1e-6})
    backend = open_for(engine, None, "auto", state_of=before, open_backend=opening([]))
    assert backend.info.kind == (kind if compiled or before != "Another Card" else "cuda")
    assert bool(engine.built) == (before == "Another Card" and compiled)


def test_the_processor_is_not_asked_before_its_kernels_are_compiled(monkeypatch):
    monkeypatch.setattr(devices, "compiled_ahead", lambda: False)
    opened, engine = [], Speeds(taken={"cuda": 3e-6, "cpu": 1e-6})
    backend = open_for(engine, None, "auto", open_backend=opening(opened))
    assert (backend.info.kind, engine.built) == ("cuda", [])
    assert "workbench doctor --warm" in backend.chosen
    assert [each.closed for each in opened] == [False, True]
    large = Speeds(memory=1 << 30)
    assert open_for(large, None, "auto", open_backend=opening([])).chosen == ""


@pytest.mark.parametrize(
    ("ahead", "gpu", "kind", "tried"),
    [
        (100.0, 0.06, "cpu", 3),  # 12 s on the card: compared
        (100.0, 0.04, "cuda", 1),  # 8 s: sooner through than the processor's kernels are compiled
        (float("inf"), 1e-6, "cpu", 2),  # to an end that comes by itself
    ],
)
def test_a_run_that_is_long_on_the_gpu_is_compared_before_all_is_compiled(ahead, gpu, kind, tried, monkeypatch):
    monkeypatch.setattr(devices, "compiled_ahead", lambda: False)
    engine, told = Speeds(taken={"cuda": gpu, "cpu": gpu / 2}), []
    backend = open_for(engine, None, "auto", ahead=ahead, say=told.append, open_backend=opening([]))
    assert told == ([COMPILES] if kind == "cpu" else [])
    assert (backend.info.kind, len(engine.built)) == (kind, tried)
    assert ("as tried on both" in backend.chosen) == (kind == "cpu")
    large = Speeds(memory=1 << 30, estimated={"cuda": 1e9, "cpu": 1.0})
    assert open_for(large, None, "auto", ahead=ahead, open_backend=opening([])).info.kind == "cuda"


@pytest.mark.parametrize(("error", "closed"), [(TypeError, [False, True]), (KeyboardInterrupt, [True, True])])
def test_an_error_on_the_way_leaves_the_gpu_and_an_interruption_nothing(error, closed):
    opened, engine = [], Speeds()

    def estimate(problem, backend):
        raise error

    engine.estimate = estimate
    if error is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            open_for(engine, None, "auto", open_backend=opening(opened))
    else:
        assert open_for(engine, None, "auto", open_backend=opening(opened)) is opened[0]
    assert [each.closed for each in opened] == closed

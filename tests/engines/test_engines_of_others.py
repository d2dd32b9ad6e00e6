"""Engines of other packages that raise, answer something else, or never: each costs what it was asked for."""

import signal
import threading
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import Problem, registry
from engines.api.charts import ChartData, ChartInfo, Curve, Diagram, DiagramEdge, Inspection
from engines.api.errors import ProblemError
from engines.api.placing import Handle, NewItem, PlacedGroup, PlacedItem, Placement
from engines.api.simulation import guarding
from engines.api.simulation.contract import BrokenContract
from engines.api.values import Benchmark
from engines.backend.cpu import CpuBackend
from engines.stencil.engine import StencilEngine
from workbench.cli.bench import run_engines
from workbench.cli.runs.progress import Line

WHOSE = "The engine 'odd' of odd 1.0"
EDGES = np.zeros((2, 3))


def guarded(**answers):
    """An engine whose methods answer with these, or raise them."""
    engine = StencilEngine()
    for name, answer in answers.items():

        def asked(*_, answer=answer, **__):
            if isinstance(answer, BaseException):
                raise answer
            return answer() if callable(answer) else answer

        setattr(engine, name, asked)
    guarding.guard(engine, WHOSE)
    return engine


@pytest.fixture(autouse=True)
def _told(monkeypatch):
    monkeypatch.setattr(guarding, "told", [])


def placement(outline=EDGES, path=("a",), position=(0.0, 0.0, 0.0), snaps=(EDGES[0],) * 3, **more):
    item = PlacedItem(path, "a", outline=(outline,), handles=(Handle("move", position),), **more)
    return Placement((PlacedGroup("b", ("b",), "object", (item,)),), snaps)


class End(BaseException):
    pass


RAISED = [KeyError("x"), SystemExit(3), End("of all"), RecursionError("deep")]
OTHERS = {
    "tools": (None, 5, [None], ["tool"], [SimpleNamespace(id=1)]),
    "studies": (None, "study", [3]),
    "tables": (None, [3]),
    "benchmarks": (None, 5, ["one"], *([Benchmark(*each, None)] for each in ((5, 1), ("a", "b"), ("a\nb", 1)))),
    "verification": (None, [object()]),
    "suggestions": (None, {"a": 5}, {"a": [5]}, {"a": ["b" * 1000]}, [1]),
    "ends": (None, "yes", np.zeros(3)),
    "without_end": ("forever", 5),
    "regions_become": (None, {"a": None}, 5),
}  # fmt: skip
FORGED = {
    "geometry_of": (5, SimpleNamespace(n_cells=-1, length_unit="m", bounds=EDGES)),
    "estimate": (None, 5),
    "imported": (5,),
    "default_parameters": (None, {}),
    "placed": (
        5, placement(np.zeros((2, 2))), placement(np.full((2, 3), np.nan)), placement(np.array([["a"] * 3])),
        placement(path="a"), placement(position=(0.0, 1.0)), placement(snaps=(np.zeros(2),)), placement(path=None),
    ),
    "previews": (None, {5: Inspection("a")}, {("a",): "text"}, {("a",): Inspection(
        "a", profiles=((ChartInfo("c", "C", "x", "y"), ChartData((Curve("k", np.zeros(2), np.zeros(3)),))),)
    )}),
    "diagram": (5, Diagram("d", (), (DiagramEdge(0, 9, 1.0, False, "a", ()),), "", "", "")),
    "forecast": (5,),
    "build": (True, None),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "answer"), [(name, answer) for name, wrong in OTHERS.items() for answer in (*RAISED, *wrong)]
)
def test_what_can_be_gone_without_is_told_of_once_and_left_out(name, answer, caplog):
    """A menu, a page of the Lab or a command ended in a traceback."""
    engine, problem = guarded(**{name: answer}), (None,) if name in ("suggestions", "ends", "regions_become") else ()
    arguments = problem or ((None,) if name == "without_end" else ())
    nothing = getattr(guarding.Engine, name)(engine, *arguments)
    for _ in range(2):
        assert getattr(engine, name)(*arguments) == nothing
    (sentence,) = guarding.told
    assert sentence.startswith(f"{WHOSE} was asked for '{name}', in vain (")
    assert caplog.messages == [sentence]
    assert sentence in registry.left_out()


@pytest.mark.parametrize(
    ("name", "answer"),
    [(name, answer) for name, wrong in FORGED.items() for answer in (*RAISED * (name != "build"), *wrong)],
)
def test_what_is_asked_of_a_problem_is_answered_or_refused_in_a_sentence(name, answer):
    with pytest.raises(BrokenContract, match=rf"{WHOSE} was asked for '{name}', in vain \(|The chart 'C' has points"):
        getattr(guarded(**{name: answer}), name)(None)


def test_words_of_ours_and_right_answers_go_through():
    drawn, refused = placement(), ProblemError("The step is too long.", ("step",))
    engine = guarded(placed=drawn, estimate=refused, build=End(), studies=StencilEngine().studies())
    assert engine.placed(None).at(("a",)).title == "a"
    assert len(engine.studies()) == len(StencilEngine().studies())
    for name, error in (("estimate", ProblemError), ("build", End)):
        with pytest.raises(error):
            getattr(engine, name)(None, None)
    plain = StencilEngine()
    guarding.guard(plain, WHOSE)
    parameters = plain.default_parameters(None)
    grid = plain.geometry_of(Problem(parameters))
    assert grid.n_cells == StencilEngine().geometry_of(Problem(parameters)).n_cells
    for name in ("tools", "tables", "benchmarks", "verification"):
        assert len(getattr(plain, name)()) == len(getattr(StencilEngine(), name)())
    for name in ("placed", "previews", "diagram", "suggestions", "ends"):
        getattr(plain, name)(Problem(parameters))
    assert not guarding.told


def test_what_a_person_does_by_hand_is_refused_where_it_fails():
    def fail(*_):
        raise KeyError("x")

    item = placement(moved=fail, renamed=fail, faces=lambda: 5)
    group = PlacedGroup("b", ("b",), "object", item.groups[0].items, (NewItem("n", dict, dict),))
    (group,) = guarded(placed=Placement((group,), item.snaps)).placed(None).groups
    (one,) = group.items
    for call in (lambda: one.moved("move", (0, 0, 0)), lambda: one.renamed("b"), one.faces, group.new[0].make):
        with pytest.raises(ProblemError, match=f"{WHOSE} could not do that"):
            call()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="an alarm ends it")
def test_what_never_answers_is_ended_and_not_asked_again(monkeypatch):
    """On the main thread, where the window stood still for good."""
    monkeypatch.setattr(guarding, "SECONDS", 0.2)
    asked = []

    def never():
        asked.append(1)
        while True:
            with suppress(Exception):
                threading.Event().wait()

    engine = guarded(placed=never, tools=never)
    timeout = signal.setitimer(signal.ITIMER_REAL, 0)  # of the tests
    try:
        for _ in range(2):
            with pytest.raises(BrokenContract, match=r"has not answered within 0\.2 s"):
                engine.placed(None)
        assert engine.tools() == ()
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timeout)
    assert len(asked) == 2


@pytest.mark.parametrize("problem", [lambda: 1 / 0, lambda: 7, None])
def test_a_benchmark_without_a_problem_is_told_and_the_others_are_measured(problem, tmp_path, capsys):
    """The command ended with it, and with all that it had measured."""
    engine = guarded(benchmarks=[Benchmark("odd", 5, problem)])
    run_engines(CpuBackend(), {engine: engine.benchmarks()}, Line(), tmp_path, {}, lambda: None)
    assert f"odd: {WHOSE} could not do that" in capsys.readouterr().out

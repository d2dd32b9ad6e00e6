"""What travels is what arrives, to the last bit; what is no message ends in a sentence, whatever it is."""

import json
import pickle
import random
import zlib
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import pytest
from typing_extensions import TypeAliasType

from engines.api import FieldInfo, Finding, Lines, Markers, Remedy, Selection
from engines.api.charts import ChartData, ChartInfo, Curve, Fact, Inspection, Links
from engines.api.device import Ceilings, DeviceInfo
from engines.api.errors import DeviceError, ProblemError, WorkbenchError
from engines.api.simulation.base import SimulationInfo
from tests.workbench.fake_engine import FakeBackend, WaveEngine, WaveParameters, block
from workbench.project.project import Line
from workbench.remote import codec
from workbench.remote import messages as m
from workbench.remote.checking import (
    MOST_AT_ONCE,
    MOST_OF_A_RUN,
    check_attached,
    check_elements,
    check_frame,
    check_messages,
    check_reading,
    check_samples,
    check_selection,
    check_size,
)
from workbench.remote.codec import WireError, pack, unpack
from workbench.remote.wire import LARGEST_HEAD, LENGTH, decoded, encoded
from workbench.run.frames import Frame, FrameRequest, KernelRate, Message, Reading, RunState, Sample
from workbench.run.states.history import Mark

KINDS = m.kinds(m.Start, m.Watch, m.Built, m.News, m.Shown, m.Answer, m.Welcome)
SELECTION = Selection(np.arange(7, dtype=np.int32), np.array([0, 3, 7], np.int32))
CURVE = Curve("x", np.linspace(0, 1, 3), np.array([np.nan, -np.inf, 0.1]), low=np.zeros(3), high=np.ones(3))
CHART = ChartData((CURVE,), "shade", ("a", "b"))
LINKS = Links("bonds", "1", (0.0, 1.0), np.zeros((2, 2, 3)), np.array([1.0, np.nan]))
INSPECTION = Inspection("cell 3", (Fact("v", -80.5, "mV"),), ((ChartInfo("c", "C", "V"), CHART),), LINKS, True)


def frame():
    values = {"surface": np.random.default_rng(3).normal(size=(300, 3)).astype(np.float32)}
    values["surface"][5] = np.nan
    markers, lines = Markers(np.zeros((2, 3)), np.array([1, -1], np.int8)), Lines(np.zeros((0, 2, 3)))
    shifts = {("contact", 0): (0.0, 1.0, 2.0)}
    return Frame(4, 17, 0.1 + 0.2, values, {"c": CHART}, INSPECTION, None, markers, lines, shifts, False)


def sample():
    rates = (KernelRate("follow", 1e-3, 1e9, 0.5, 3, 0.01),)
    traces = {"voltage": np.arange(6, dtype=np.float32).reshape(3, 2)}
    series = {"mean": np.array([1.0, np.inf, np.nan])}
    return Sample(3, 0.3, 3, 0.1, 30.0, 3.0, 1e9, 0.5, rates, None, np.arange(3.0), traces, ("near", "far"), series)


def info():
    backend = FakeBackend()
    simulation = WaveEngine().build(m_problem(), backend)
    return replace(SimulationInfo.of(simulation, "ms", backend, 1e10), geometry=None)


def m_problem():
    from engines.api import Problem

    return Problem(WaveParameters(), block())


FINDING = Finding("sentence", "info", ("a", 1), Remedy("mend", {("a", 1): [1, {"b": None}], ("c",): 2.5}))
NEWS = m.News(
    "r", RunState.PAUSED, ("Building", 0.5), "cpu", True, "why", (FINDING,), (Mark(3, 0.1),), Mark(2, 0.05), 0.04,
    m.Trouble("no", "problem", ("a", 2)), (sample(),), (Message("hello", "warning", 3.0),),
)  # fmt: skip
PROBLEM = m.SentProblem("{}", (m.FileTold("mesh.vtu", "0" * 64, 12),))
MESSAGES = [
    m.Shown("r", 2, frame()),
    NEWS,
    m.Built("r", info(), m.GeometryTold(3, "mm", np.zeros(3), np.ones(3), np.eye(3))),
    m.Start("r", ("q",), PROBLEM, True, {"v": np.arange(5, dtype=np.float64)}, "GPU", True),
    m.Start("r", (), PROBLEM, False, kept=True, on_the_way=(("scale", 0.5), ("numerics.kind", "a"))),
    m.Watch("r", FrameRequest(1, {"s": ("v", SELECTION)}, ("c",), 3, (1, 2), True, False, (
        Line(name="l", field="v", start=(0, 0, 0), end=(1, 0, 0)),
    ))),
    m.Watch("r", None),
    m.Welcome("1", (("cpu", "CPU"),), m.Attached("r", PROBLEM, {("s",): (np.arange(2.0),) * 2}, 4.0, None)),
]  # fmt: skip


def same(one, other):
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    elif is_dataclass(one):
        assert type(one) is type(other)
        for each in fields(one):
            same(getattr(one, each.name), getattr(other, each.name))
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            same(one[key], other[key])
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b)
    else:
        assert one == other


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_what_travels_is_what_arrives(message):
    same(message, decoded(encoded(message), KINDS))


def test_a_number_of_numpy_arrives_as_one():
    assert pack({"step": np.int64(3), "time": np.float32(0.5)}).tree == {"step": 3, "time": 0.5}


def test_big_endian_strided_and_empty_arrays_arrive():
    for values in (np.arange(999, dtype=">f4")[::3], np.empty((0, 3), np.int64), np.array(2.5), np.array([1 + 2j])):
        packed = pack(values)
        got = unpack(np.ndarray, packed.tree, packed.arrays)
        np.testing.assert_array_equal(got, values)


Number = TypeVar("Number", bound=np.generic)
Named = TypeAliasType("Named", np.ndarray[tuple[Any, ...], np.dtype[Number]], type_params=(Number,))
Values = TypeAliasType("Values", Named[Any])


@dataclass(frozen=True)
class Measured:
    """With types that have names of their own, as NumPy's NDArray has from 2.5 on."""

    values: Named[Any]
    others: Mapping[str, Values | None]


def test_an_array_arrives_whose_type_has_a_name_of_its_own():
    told = pack(Measured(np.arange(3.0), {"a": np.arange(4), "b": None}))
    arrived = unpack(Measured, told.tree, told.arrays)
    assert arrived.values.tolist() == [0, 1, 2]
    assert arrived.others["a"].tolist() == [0, 1, 2, 3]
    assert arrived.others["b"] is None
    with pytest.raises(WireError):
        unpack(Measured, {**told.tree, "values": [0.0, 1.0, 2.0]}, told.arrays)


def test_a_smooth_field_packs_to_less_than_half_of_its_bytes_and_nothing_is_rounded():
    x = np.linspace(0, 6, 100_000)
    values = (-80 + 100 / (1 + np.exp(20 * (x - 3)))).astype(np.float32)
    packed = pack(values)
    assert len(packed.arrays[0]) < values.nbytes / 2
    assert (unpack(np.ndarray, packed.tree, packed.arrays) == values).all()


def wrong(kind, tree, arrays=()):
    with pytest.raises(WireError) as told:
        unpack(kind, tree, arrays)
    assert str(told.value).endswith(".")


def test_nothing_is_unpickled_and_no_objects_come():
    content = pickle.dumps(np.array([{}], object))
    wrong(np.ndarray, {"array": 0, "type": "|O", "shape": [1], "packed": False}, [content])
    wrong(np.ndarray, {"array": 0, "type": "|V8", "shape": [1], "packed": False}, [content])
    with pytest.raises(TypeError):
        pack(np.array([{}], object))
    with pytest.raises(TypeError):
        pack(object())


def test_an_array_that_would_fill_memory_is_refused_before_it_is_unpacked():
    bomb = zlib.compress(bytes(50_000_000), 9)
    wrong(np.ndarray, {"array": 0, "type": "<f4", "shape": [3], "packed": True}, [bomb])
    wrong(np.ndarray, {"array": 0, "type": "<f4", "shape": [1 << 40], "packed": True}, [bomb])
    wrong(np.ndarray, {"array": 1, "type": "<f4", "shape": [3], "packed": False}, [bomb])
    wrong(np.ndarray, {"array": 0, "type": "<f4", "shape": [-3], "packed": False}, [bomb])


def test_values_of_other_types_are_refused():
    wrong(m.Steer, {"run": "r", "what": "format the disk"})
    wrong(m.Steer, {"run": "r", "what": "run", "steps": True})
    wrong(m.Steer, {"run": "r", "what": "run", "steps": 1.5})
    wrong(m.Steer, {"run": 3, "what": "run"})
    wrong(m.Steer, {"run": "r"})
    wrong(m.Steer, {"run": "r", "what": "run", "else": 1})
    wrong(m.Steer, [])
    wrong(FieldInfo, {"name": "v", "range": [0]})
    wrong(DeviceInfo, {"versions": {"a": 1}})
    wrong(Ceilings, {"copy": "fast"})


def test_damaged_messages_end_in_a_sentence_and_nothing_else():
    chance = random.Random(7)
    for _ in range(1500):
        content = bytearray(encoded(chance.choice(MESSAGES)))
        for _ in range(chance.randint(1, 8)):
            place = chance.randrange(min(len(content), 4000))
            match chance.randrange(3):
                case 0:
                    content[place] = chance.randrange(256)
                case 1:
                    del content[place : place + chance.randint(1, 40)]
                case 2:
                    content[place:place] = chance.randbytes(chance.randint(1, 9))
            if not content:
                break
        with suppress(WireError):
            decoded(bytes(content), KINDS)
    deep = ("[" * 100_000).encode()
    for text in (b"", b"\0", b"\0\0\0\2{}", len(deep).to_bytes(4, "big") + deep, json.dumps([1]).encode() * 9):
        with pytest.raises(WireError):
            decoded(text, KINDS)


def test_arrays_that_are_named_again_and_again_do_not_fill_memory(monkeypatch):
    """A few bytes said that they were of 2 GB, or were named until they were."""
    sent = pack(np.zeros(1 << 17))
    for length, told in ((1 << 28, "not as long as it says"), ((1 << 28) + 1, "more than 2048 MB")):
        with pytest.raises(WireError, match=told):
            unpack(np.ndarray, {**sent.tree, "shape": [length]}, sent.arrays)
    monkeypatch.setattr(codec, "LARGEST_ARRAY", 16 << 20)
    wrong(tuple[np.ndarray, ...], [sent.tree] * 17, sent.arrays)
    assert len(unpack(tuple[np.ndarray, ...], [sent.tree] * 16, sent.arrays)) == 16


def test_few_bytes_do_not_become_more_than_the_receiver_has_said():
    """2 MB became 2 GB in a window that had asked for nothing."""
    message = m.FilePart("a", 0, np.zeros(1 << 21))
    assert len(encoded(message)) < 1 << 17
    kinds = m.kinds(m.FilePart)
    decoded(encoded(message), kinds, lambda kind: 1 << 24)
    with pytest.raises(WireError, match=r"more than 15 MB"):
        decoded(encoded(message), kinds, lambda kind: (1 << 24) - 1)


def test_a_server_cannot_keep_a_window_busy():
    """3,000 brushes or a long title took it minutes."""
    right = info()
    check_size(right, MOST_OF_A_RUN)
    long = replace(right.fields[0], title="x" * 5000)
    for wrong in ({"time_unit": "x" * 5000}, {"fields": (long,)}, {"brushes": right.fields[:1] * 3000}):
        with pytest.raises(WireError, match="More came of the run"):
            check_size(replace(right, **wrong), MOST_OF_A_RUN)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        *(({"bytes_per_second": each}, "no numbers") for each in (np.nan, np.inf)),
        ({"remaining": np.nan}, "no numbers"),
        ({"kernels": (KernelRate("follow", np.nan, 1e9, 0.5, 3, 0.01),)}, "no numbers"),
        *(({"time": each}, "none of a run") for each in (np.nan, np.inf, -1.0)),
        ({"step": -1}, "none of a run"),
        *(({"series": {"mean": each}}, "over time") for each in (np.zeros(4), np.zeros((3, 1)), np.zeros(3, complex))),
        ({"series": {"mean": np.array(1.0)}}, "over time"),
        ({"trace_times": np.array(1.0)}, "over time"),
        *(({"traces": {"voltage": np.zeros(shape)}}, "over time") for shape in (3, (4, 2), (3, 1))),
    ],
)
def test_what_gauges_and_curves_are_drawn_of_is_as_many_numbers_as_times(wrong, told):
    """The gauge, and each painting after it, ended in an error that nobody expected."""
    check_samples([sample()])
    check_size(sample(), MOST_AT_ONCE)
    with pytest.raises(WireError, match=told):
        check_samples([sample(), replace(sample(), **wrong)])


@pytest.mark.parametrize("time", [np.nan, np.inf, 1e300, 1e18, -1.0])
def test_messages_have_a_time_of_the_calendar(time):
    """The log could not be painted any more."""
    check_messages(NEWS.messages)
    with pytest.raises(WireError, match="without a time"):
        check_messages([Message("hello", wall_time=time)])


@pytest.mark.parametrize(
    "wrong",
    [
        {"time": np.nan},
        {"values": {"v": np.zeros(3)}},
        {"values": {"v": np.array(1.0)}},
        {"values": {"v": np.array(["a", "b"])}},
    ],
)
def test_readings_have_a_number_for_each_probe(wrong):
    """The list of probes could not be shown any more."""
    right = Reading(2.0, ("P1", "P2"), {"v": np.array([1.0, np.nan]), "e": np.zeros((2, 3))})
    check_reading(right)
    with pytest.raises(WireError, match="same version"):
        check_reading(replace(right, **wrong))


TORN = ChartData((replace(CURVE, y=np.zeros(4)),))


@pytest.mark.parametrize(
    "wrong",
    [
        {"charts": {"c": TORN}},
        {"inspection": replace(INSPECTION, profiles=((ChartInfo("c", "C", "V"), TORN),))},
        {"measurement": replace(INSPECTION, links=replace(LINKS, values=np.zeros(3)))},
        {"markers": Markers(np.zeros((2, 2)), np.array([1, -1], np.int8))},
        {"lines": Lines(np.zeros((2, 3)))},
        {"time": np.nan},
    ],
)
def test_what_a_frame_has_beside_fields_can_be_drawn(wrong):
    right, known = replace(frame(), values={}), SimpleNamespace(fields=(), displaced=None, charts=())
    check_frame(right, {}, known)
    with pytest.raises(WorkbenchError):
        check_frame(replace(right, **wrong), {}, known)


def test_the_words_of_a_message_are_bounded_before_they_are_read():
    whole = encoded(m.Refused("r", m.Trouble("no")))
    padded = whole[LENGTH.size :].ljust(LARGEST_HEAD + 1)
    kinds = m.kinds(m.Refused)
    assert decoded(LENGTH.pack(LARGEST_HEAD) + padded[:LARGEST_HEAD], kinds).run == "r"
    with pytest.raises(WireError, match="no message"):
        decoded(LENGTH.pack(len(padded)) + padded, kinds)


@pytest.mark.parametrize(
    ("until", "pace", "values"),
    [(np.nan, None, 3), (0.0, None, 3), (None, 0.0, 3), (None, np.inf, 3), (None, None, 4), (None, None, None)],
)
def test_what_goes_on_there_is_a_run(until, pace, values):
    times = np.arange(3.0)
    check_attached(1.0, None, {("near", "voltage"): (times, times)})
    curve = times.astype(complex) if values is None else np.zeros(values)
    with pytest.raises(WireError, match="is no run's"):
        check_attached(until, pace, {("near", "voltage"): (times, curve)})


@pytest.mark.parametrize(
    ("elements", "offsets", "points", "right"),
    [
        ([0, 11], None, None, True),
        ([], None, None, True),
        ([3, 4, 5], [0, 2, 3], None, True),
        ([3, 4, 5], [0, 2, 2, 3], None, True),  # one of the means is of nothing
        ([3, 4, 5], [0, 2, 3], [0, 7], True),
        ([0, 12], None, None, False),
        ([-1], None, None, False),
        ([3, 4, 5], [1, 2, 3], None, False),
        ([3, 4, 5], [0, 2], None, False),
        ([3, 4, 5], [0, 3, 2, 3], None, False),
        ([3, 4, 5], [], None, False),
        ([3, 4, 5], [0, 2, 3], [0, 8], False),
        ([3, 4, 5], [0, 2, 3], [0], False),
        ([3, 4, 5], None, [0, 1], False),
    ],
)
def test_a_selection_is_of_elements_and_points_that_there_are(elements, offsets, points, right):
    """Of twelve elements and eight points."""
    arrays = (None if each is None else np.array(each, np.int32) for each in (elements, offsets, points))
    about = SimpleNamespace(geometry=SimpleNamespace(n_cells=12, n_points=8))
    told = nullcontext() if right else pytest.raises(WireError, match="Elements were asked for")
    with told:
        check_selection(Selection(*arrays), about)
    with nullcontext() if right else pytest.raises(WireError, match="element"):
        check_elements(elements if right else [*elements, 12], about)


@pytest.mark.parametrize(
    ("make", "kind", "told"),
    [
        (lambda: ValueError("no"), WorkbenchError, "ValueError: no"),
        (lambda: ProblemError("Set a step.", ("numerics", "step")), ProblemError, "Set a step."),
        (lambda: DeviceError("The device went away."), DeviceError, "The device went away."),
    ],
)
@pytest.mark.parametrize("marks", [(), ("torn",), ("lost",), ("torn", "lost")])
def test_an_error_of_a_run_there_is_one_of_its_kind_here_and_no_worse_than_it_was(make, kind, told, marks):
    """``torn``: its state is none to go on from; ``lost``: nor is the device."""
    sent = make()
    for mark in marks:
        setattr(sent, mark, True)
    torn = "torn" in marks or kind is DeviceError
    trouble = m.trouble_of(sent)
    assert (trouble.torn, trouble.lost) == (torn, "lost" in marks)
    here = m.error_of(trouble)
    assert (type(here), str(here)) == (kind, told)
    assert here.torn == torn

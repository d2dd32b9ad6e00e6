"""What a window and the process that has its run say to each other; nothing else is understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engines.api import Array, Finding, SimulationInfo
from engines.api.errors import DeviceError, InstabilityError, ProblemError, WorkbenchError
from workbench.remote.codec import Raw
from workbench.run.frames import Frame, FrameRequest, Message, RunState, Sample
from workbench.run.states.history import Mark
from workbench.run.streams.curves import Curves

OnTheWay = tuple[tuple[str, Any], ...]
"""Live values by the names of their controls, in the order in which they were sent."""
ENDED = "The server has been ended there: "
"""How the last sentence of a line begins whose run does not go on."""
STOPPED = f"{ENDED}what it ran is kept as it stood, and can go on from there."


@dataclass(frozen=True)
class FileTold:
    """A file of a problem: its name beside the project file, SHA-256 and length."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class SentProblem:
    """A project as JSON, and the files that it names."""

    project: str
    files: tuple[FileTold, ...]


@dataclass(frozen=True)
class Trouble:
    """An error on its way: a sentence, and what else a window does something with."""

    sentence: str
    kind: Literal["problem", "instability", "device", "other"] = "other"
    place: tuple[str | int, ...] = ()
    torn: bool = False
    lost: bool = False


NOTHING = Raw(None)
KINDS: dict[str, type[WorkbenchError]] = {
    "problem": ProblemError, "instability": InstabilityError, "device": DeviceError, "other": WorkbenchError,
}  # fmt: skip


def trouble_of(error: BaseException) -> Trouble:
    known = next((name for name, kind in KINDS.items() if isinstance(error, kind)), "other")
    told = str(error) if isinstance(error, WorkbenchError) else f"{type(error).__name__}: {error}"
    place = getattr(error, "place", ())
    return Trouble(told, known, place, getattr(error, "torn", False), getattr(error, "lost", False))  # type: ignore[arg-type]


def error_of(trouble: Trouble) -> WorkbenchError:
    error = KINDS[trouble.kind](trouble.sentence)
    error.torn = trouble.torn
    if isinstance(error, ProblemError):
        error.place = trouble.place
    if isinstance(error, DeviceError):
        error.lost = trouble.lost
    return error


# From the window.


@dataclass(frozen=True)
class Hello:
    """The first message; ``version`` is Workbench's; ``near``: the window is on the machine of the run."""

    version: str
    near: bool = False


@dataclass(frozen=True)
class Look:
    """Instead of a greeting: is there a run? Answered by :class:`Seen`; a window that looks at the run goes on."""


@dataclass(frozen=True)
class Start:
    """Begin a run, called ``run``, in the place of one of ``replaces`` if that is on. ``state``: go on from it, of
    the device ``state_of``, with the ``curves`` of before; ``kept``: from where the last run of this problem stood
    there, if one did, also with the first of the live values ``on_the_way`` to it, or all, of which nobody knows
    whether they came."""

    run: str
    replaces: tuple[str, ...]
    problem: SentProblem
    autostart: bool
    state: Mapping[str, Array] | None = None
    state_of: str = ""
    kept: bool = False
    curves: Curves = field(default_factory=dict)
    on_the_way: OnTheWay = ()


@dataclass(frozen=True)
class Attend:
    """Tell this window of the run that it was welcomed with."""

    run: str


@dataclass(frozen=True)
class FrameTaken:
    """A window that is near has taken the frame that came last: the next may come."""

    run: str


@dataclass(frozen=True)
class FilePart:
    """Bytes of a file that the other side has not, from ``offset`` on."""

    sha256: str
    offset: int
    content: Array


@dataclass(frozen=True)
class Watch:
    """What viewers want of each moment; ``same``: with the parts of the request before, of which this has none."""

    run: str
    request: FrameRequest | None
    same: bool = False


@dataclass(frozen=True)
class Steer:
    """Go on, rest, take so many steps, or end the run."""

    run: str
    what: Literal["run", "pause", "advance", "close"]
    steps: int = 0


@dataclass(frozen=True)
class End:
    """Another end or pace."""

    run: str
    until: float | None
    pace: float | None


@dataclass(frozen=True)
class Ask:
    """One of :mod:`workbench.remote.questions` by its name; an :class:`Answer` of the same ``number`` answers."""

    run: str
    number: int
    kind: str
    question: Raw


@dataclass(frozen=True)
class Judge:
    """What would a run of this need there? Its files have been sent. Answered as an :class:`Ask` is."""

    number: int
    problem: SentProblem


# From the process that has the run.


@dataclass(frozen=True)
class Attached:
    """The run that there is: what it is of, and what it has drawn."""

    run: str
    problem: SentProblem
    curves: Curves
    until: float | None
    pace: float | None


@dataclass(frozen=True)
class Welcome:
    version: str
    devices: tuple[tuple[str, str], ...]
    attached: Attached | None


@dataclass(frozen=True)
class Seen:
    """``run``: the one that there is; empty: none. Whether it goes on, and whether a window looks at it."""

    run: str = ""
    title: str = ""
    goes_on: bool = False
    watched: bool = False


@dataclass(frozen=True)
class Wanted:
    """Files of a problem, by SHA-256, that are not there yet."""

    files: tuple[str, ...]


@dataclass(frozen=True)
class Refused:
    """The run that was to be begun is not."""

    run: str
    error: Trouble


@dataclass(frozen=True)
class GeometryTold:
    """What tells two geometries apart: ``low``, ``high: (3,)`` and the ``centres: (k, 3)`` of some elements."""

    n_cells: int
    length_unit: str
    low: Array
    high: Array
    centres: Array


@dataclass(frozen=True)
class Built:
    """What viewers need to know; the geometry both sides make of the same problem. ``curves``: what was drawn before of
    a run that goes on from where it was kept there."""

    run: str
    info: SimulationInfo
    geometry: GeometryTold
    curves: Curves = field(default_factory=dict)


@dataclass(frozen=True)
class News:
    """What has come since the last one. ``kept``: the time of what is kept of the run there, if something is."""

    run: str
    state: RunState
    progress: tuple[str, float]
    device: str
    ended: bool
    ending: str
    noticed: tuple[Finding, ...]
    marks: tuple[Mark, ...]
    rescued: Mark | None
    kept: float | None
    error: Trouble | None
    samples: tuple[Sample, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Shown:
    """A frame. ``turn``: how often the run had been reset or rewound."""

    run: str
    turn: int
    frame: Frame


@dataclass(frozen=True)
class Answer:
    number: int
    turn: int
    value: Raw = NOTHING
    error: Trouble | None = None
    cancelled: bool = False


def kinds(*messages: type) -> dict[str, type]:
    return {message.__name__: message for message in messages}

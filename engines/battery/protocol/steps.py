"""The language of protocols: English steps as PyBaMM's users write them, a step a line, and repetitions.

    Discharge at C/10 for 10 hours or until 3.3 V      Rest for 1 hour
    Charge at 1 A until 4.1 V (1 minute period)        Hold at 4.1 V until 50 mA or for 2 hours
    Discharge at 2 W for 30 minutes                    Run drive cycle

    Repeat 3 times
        ...
    End

Repetitions may stand in each other. Blank lines and lines that begin with # are passed over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NoReturn

from engines.api.errors import ProblemError

SECONDS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
UNITS = {
    "A": ("current", 1.0), "mA": ("current", 1e-3), "V": ("voltage", 1.0), "mV": ("voltage", 1e-3),
    "W": ("power", 1.0), "mW": ("power", 1e-3), "kW": ("power", 1e3), "C": ("rate", 1.0),
    **{unit: ("time", seconds) for unit, seconds in SECONDS.items()},
}  # fmt: skip
USUAL = {"current": "A, mA", "rate": "C", "power": "W", "voltage": "V, mV", "time": "seconds, minutes, hours"}
MOST_STEPS = 1_000_000
"""Steps of a protocol with all its repetitions: 24 MB on the device."""

_NUMBER = re.compile(r"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_PERIOD = re.compile(r"\(([^()]*)\)\s*$")
_TEMPERATURE = re.compile(r"[+-]?[\d.]*\s*(o|°)C")
_ACTIONS = ("discharge", "charge", "hold", "rest", "run")

Quantity = tuple[str, float]
"""("current", A), ("rate", multiples of the capacity), ("power", W), ("voltage", V) or ("time", s)."""


@dataclass(frozen=True)
class Step:
    """One step as written in line ``line`` (from 1). ``value`` is what is held, in the sign of discharge; ``duration``
    and ``period`` (how often somebody wanted to see values) in s; ``until``: whichever is met first ends it."""

    text: str
    action: Literal["discharge", "charge", "hold", "rest", "run"]
    value: Quantity = ("current", 0.0)
    duration: float | None = None
    until: tuple[Quantity, ...] = ()
    period: float | None = None
    line: int = 1

    @property
    def where(self) -> str:
        return _where(self.text, self.line)

    def error(self, sentence: str) -> ProblemError:
        """A ProblemError that names this step."""
        return ProblemError(f"{self.where}: {sentence}", ("protocol", self.line - 1))


def parse(lines: Sequence[str]) -> list[Step]:
    """The steps in the order in which they are taken, repetitions written out. Raises ProblemError at its line."""
    blocks: list[list[Step]] = [[]]
    opened: list[tuple[int, int, str]] = []  # line, times, text
    for line, text in enumerate(lines, 1):
        words = text.split()
        if not words or words[0].startswith("#"):
            continue
        first = words[0].lower().rstrip(":")
        if first == "repeat":
            opened.append((line, _times(text, line), text.strip()))
            blocks.append([])
        elif first == "end":
            _close(blocks, opened, text.strip(), line)
        else:
            blocks[-1].append(parse_step(text.strip(), line))
    if opened:
        line, _, text = opened[-1]
        raise _refusal(text, line, "the repetition has no end: write End after its last step")
    return blocks[0]


def check(lines: Sequence[str]) -> tuple[int, str] | None:
    """The first line (from 0) that is not understood and the sentence that says why; None if all are."""
    try:
        parse(lines)
    except ProblemError as error:
        return int(error.place[-1]), str(error)
    return None


def parse_step(text: str, number: int = 1) -> Step:
    """Read one step; ``number`` is its line in the protocol. Raises ProblemError that names the word."""
    text, period = _period(text, number)
    words = _Words(text, number)
    action = words.take("an action").lower()
    if action not in _ACTIONS:
        words.refuse("a step begins with Discharge, Charge, Hold, Rest or Run")
    value: Quantity = ("current", 0.0)
    if action == "run":
        words.expect("drive")
        words.expect("cycle")
    elif action != "rest":
        words.expect("at")
        value = words.quantity(("voltage",) if action == "hold" else ("current", "rate", "power"))
        if action != "hold" and value[1] <= 0:
            words.refuse("a current or power is positive: Charge and Discharge say which way it flows")
        if action == "charge":
            value = (value[0], -value[1])
    step = Step(text, action, value, period=period, line=number)  # type: ignore[arg-type]  # one of the five
    return _with_ends(step, words)


def _with_ends(step: Step, words: _Words) -> Step:
    limits = {"hold": ("current", "rate"), "discharge": ("voltage",), "charge": ("voltage",)}.get(step.action)
    durations: list[float] = []
    until: list[Quantity] = []
    either = False
    while not words.at_end:
        word = words.take("'for' or 'until'").lower()
        if word == "or" and (durations or until) and not either and not words.at_end:
            either = True
            continue
        if word == "for" and (not durations or either):
            durations.append(words.quantity(("time",))[1])
            if durations[-1] <= 0:
                words.refuse("a step lasts longer than nothing")
        elif word == "until" and limits is not None and (not until or either):
            until.append(words.quantity(limits))
            if step.action == "hold" and until[-1][1] <= 0:
                words.refuse("a held voltage ends at a current above 0, which is all that it comes near")
        elif word == "at" or _TEMPERATURE.fullmatch(word):
            words.refuse("a step has no temperature of its own here: the cell's surroundings keep theirs")
        else:
            words.refuse("'for' and a time, or 'until' and a limit, may stand here once each, or joined by 'or'")
        either = False
    if step.action == "rest" and not durations:
        raise step.error("say how long with 'for', as in 'Rest for 1 hour'.")
    if step.action == "hold" and not durations and not until:
        raise step.error("say when it ends, as in 'Hold at 4.1 V until 50 mA'.")
    return replace(step, duration=min(durations, default=None), until=tuple(until))


def _period(text: str, number: int) -> tuple[str, float | None]:
    """The step without a '(5 minute period)' behind it, and that time [s]."""
    found = _PERIOD.search(text)
    if found is None:
        return text, None
    words = _Words(found[1], number, text)
    seconds = words.quantity(("time",))[1]
    words.expect("period")
    if seconds <= 0 or not words.at_end:
        words.refuse("only a time above 0 and 'period' stand in brackets")
    return text[: found.start()].rstrip(), seconds


def _times(text: str, line: int) -> int:
    words = _Words(text.strip().removesuffix(":"), line)
    words.take("Repeat")
    number = words.take("a number of times")
    if not number.isdecimal() or not 1 <= int(number) <= MOST_STEPS:
        words.refuse(f"a whole number from 1 to {MOST_STEPS:,} should stand here")
    if not words.at_end and words.take("times").lower() not in ("times", "time", "x"):
        words.refuse("'times' should stand here")
    if not words.at_end:
        words.take("")
        words.refuse("a repetition is written 'Repeat 3 times', its steps in lines below, then End")
    return int(number)


def _close(blocks: list[list[Step]], opened: list[tuple[int, int, str]], text: str, line: int) -> None:
    if not opened:
        raise _refusal(text, line, "nothing is being repeated here: put 'Repeat 3 times' above the first step of it")
    if len(text.split()) > 1 and text.lower().split() != ["end", "repeat"]:
        raise _refusal(text, line, "End stands alone in its line")
    start, times, opening = opened.pop()
    block = blocks.pop()
    if not block:
        raise _refusal(opening, start, "there is no step to repeat: put one between this line and End")
    if len(blocks[-1]) + len(block) * times > MOST_STEPS:
        raise _refusal(
            opening, start, f"all repetitions together have more than {MOST_STEPS:,} steps: repeat less often"
        )
    blocks[-1].extend(block * times)


def _where(text: str, line: int) -> str:
    return f"Line {line} of the protocol, '{text}'"


def _refusal(text: str, line: int, why: str) -> ProblemError:
    return ProblemError(f"{_where(text, line)}: {why}.", ("protocol", line - 1))


class _Words:
    """The words of a step, taken one after the other; numbers and units that were written together are two."""

    def __init__(self, text: str, line: int, whole: str = "") -> None:
        self._text, self._line = whole or text, line
        self._words = text.split()
        self._next = 0

    @property
    def at_end(self) -> bool:
        return self._next >= len(self._words)

    def take(self, wanted: str) -> str:
        if self.at_end:
            raise _refusal(self._text, self._line, f"it ends where {wanted} should stand")
        self._next += 1
        return self._words[self._next - 1]

    def expect(self, word: str) -> None:
        if self.take(f"'{word}'").lower() != word:
            self.refuse(f"'{word}' should stand here")

    def refuse(self, why: str) -> NoReturn:
        raise _refusal(self._text, self._line, f"'{self._words[self._next - 1]}' is not understood; {why}")

    def quantity(self, kinds: Sequence[str]) -> Quantity:
        """A number with a unit of one of ``kinds``, or a C-rate written C/10."""
        units = ", ".join(USUAL[kind] for kind in kinds)
        word = self.take(f"a number in {units}")
        if "rate" in kinds and (match := re.fullmatch(rf"C/({_NUMBER.pattern})", word)):
            if not 0 < float(match[1]) < math.inf:
                self.refuse("C is divided by a positive number")
            return "rate", 1 / float(match[1])
        match = _NUMBER.match(word)
        if match is None or not math.isfinite(float(match[0])):
            self.refuse(f"a number in {units} should stand here")
        unit = word[match.end() :] or self.take(f"a unit ({units})")
        kind, scale = UNITS.get(unit, ("", 1.0))
        if kind not in kinds:
            self.refuse(f"the unit should be one of {units}")
        return kind, float(match[0]) * scale

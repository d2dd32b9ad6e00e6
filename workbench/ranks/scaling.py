"""How a problem's steps get shorter with ranks: measured, and projected from what was measured.

A rank of n has a part of n of the work; what it sends goes beside that work or after it. So a step of n ranks takes

    from  max(t₁/n, c)  to  t₁/n + c,      c = exchanges · (latency + bytes/bandwidth)

t₁ is measured on one rank, exchanges and bytes of a step are counted on rank 0 of two, latency and bandwidth are those
of messages between two ranks with nothing beside. Beyond two ranks a slab has two neighbours, and twice the bytes; what
ranges of neurons send to all others is not told by this.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from engines.api import Array, Simulation
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Exchange, Ranks

PROJECTED = tuple(4 << n for n in range(9))
"""Ranks: 4 … 1,024."""
SECONDS, TRIES = 0.3, 5
"""Of a batch of steps at least, and batches: the shortest counts."""
SHORT, LONG = 1 << 10, 1 << 23
"""Bytes of the messages that tell latency and bandwidth."""
MESSAGES = 20
ROUND = 16
"""Steps, at least, of which it is counted what they send: ranks meet once in several."""


@dataclass(frozen=True)
class Line:
    """Between two ranks: [s] of a short message each way, and bytes/s of long ones."""

    latency: float
    bandwidth: float


@dataclass(frozen=True)
class Sent:
    """By rank 0 in a step, on average, without what it sends once each time that a run is told to go on."""

    exchanges: float
    bytes: float


@dataclass(frozen=True)
class Measured:
    """[s] of a step on so many ranks, each on ``device``; ``sent`` and ``line`` of more than one."""

    ranks: int
    step: float
    device: str
    sent: Sent = Sent(0.0, 0.0)
    line: Line | None = None


class Counted(Ranks):
    """``ranks``, and how much goes through it."""

    def __init__(self, ranks: Ranks) -> None:
        self.rank, self.size, self._ranks = ranks.rank, ranks.size, ranks
        self.exchanges = self.bytes = 0

    def exchange(self, outgoing: Sequence[tuple[int, int, Any]], incoming: Sequence[tuple[int, int, Any]]) -> Exchange:
        self.exchanges += 1
        self.bytes += sum(int(array.nbytes) for _, _, array in outgoing)
        return self._ranks.exchange(outgoing, incoming)

    def gathered(self, values: Array) -> list[Array]:
        return self._ranks.gathered(values)


def step_seconds(simulation: Simulation) -> tuple[float, int]:
    """[s] of a step, the shortest mean of a batch, and how many steps were taken. Raises ProblemError for a run that
    ends before there is a batch to measure."""
    unit, begun_at = simulation.whole_batch, simulation.step
    simulation.advance(unit)  # compiles
    steps, times = unit, list[float]()
    while len(times) < TRIES and not simulation.finished:
        begun = time.perf_counter()
        simulation.advance(steps)
        simulation.synchronize()
        found = time.perf_counter() - begun
        if simulation.finished:  # what follows the end takes no time
            break
        if found > SECONDS:
            times.append(found / steps)
        else:
            steps = unit * max(1, round(steps / unit * min(8.0, 1.5 * SECONDS / max(found, 1e-6))))
    if not times:
        raise ProblemError(
            f"The run ends after {simulation.step - begun_at:,} steps, too soon to tell how long one takes: use a "
            "larger problem, or one that goes on for longer."
        )
    return min(times), simulation.step - begun_at


def sent_by(simulation: Simulation, counted: Counted, steps: int) -> Sent:
    """What one of ``steps`` sends, or of :data:`ROUND` where those are fewer: by the difference of twice as many to as
    many, as batches are short on a machine that is busy. Raises ProblemError for a run that ends before."""
    unit = simulation.whole_batch
    steps = unit * -(-max(steps, ROUND) // unit)
    found = []
    for number in (steps, 2 * steps):
        end, exchanges, sent = simulation.step + number, counted.exchanges, counted.bytes
        simulation.advance(number)
        if simulation.step < end:
            raise ProblemError(
                "The run ends too soon to tell what a step sends: use a larger problem, or one that goes on for longer."
            )
        found.append((counted.exchanges - exchanges, counted.bytes - sent))
    (few, less), (more, most) = found
    return Sent((more - few) / steps, (most - less) / steps)


def line_of(ranks: Ranks, backend: Backend) -> Line:
    """Between this rank and the one beside it. All ranks ask together."""
    other = ranks.rank ^ 1
    beside = other < ranks.size

    def seconds(size: int) -> float:
        sent, came = (backend.array(np.zeros(size, np.uint8)) for _ in range(2))
        found = []
        for _ in range(MESSAGES):
            backend.synchronize()
            begun = time.perf_counter()
            with backend.active():
                ranks.exchange([(other, 0, sent)] * beside, [(other, 0, came)] * beside).wait()
            backend.synchronize()
            found.append(time.perf_counter() - begun)
        return min(found)

    short, long = seconds(SHORT), seconds(LONG)
    return Line(short, (LONG - SHORT) / max(long - short, 1e-9))


def projected(measured: Sequence[Measured], ranks: int) -> tuple[float, float]:
    """[s] of a step, shortest and longest, from one rank and two (see above)."""
    one, two = measured[0], measured[1]
    assert two.line is not None
    work, ends = one.step / ranks, 1 if ranks == 2 else 2
    sent = two.sent.exchanges * two.line.latency + ends * two.sent.bytes / two.line.bandwidth
    return max(work, sent), work + sent


def table(measured: Sequence[Measured]) -> str:
    """Of what was measured, and of 4 … 1,024 ranks, in Markdown."""
    one = measured[0].step
    known = {each.ranks: each for each in measured}
    lines = ["| ranks | step | efficiency | projected step | projected efficiency |", "|---|---|---|---|---|"]
    sizes = sorted({*known, *(PROJECTED if len(measured) > 1 else ())})
    for ranks in sizes:
        step = efficiency = shown = of_shown = ""
        if ranks in known:
            step, efficiency = _time(known[ranks].step), f"{one / ranks / known[ranks].step:.3f}"
        if ranks > 1:
            shortest, longest = projected(measured, ranks)
            shown = f"{_time(shortest)} to {_time(longest)}"
            of_shown = f"{one / ranks / longest:.3f} to {one / ranks / shortest:.3f}"
        lines.append(f"| {ranks:,} | {step} | {efficiency} | {shown} | {of_shown} |")
    if len(measured) > 1 and (line := measured[1].line) is not None:
        sent = measured[1].sent
        lines.append(
            f"\nA rank of two sends {sent.bytes / 1e6:.3g} MB in {sent.exchanges:.3g} exchanges a step; between two "
            f"ranks a short message takes {line.latency * 1e6:.3g} µs, long ones go at {line.bandwidth / 1e9:.3g} GB/s."
        )
    return "\n".join(lines)


def record(measured: Sequence[Measured]) -> dict[str, Any]:
    """For programs: [s] and bytes."""
    steps = {str(ranks): projected(measured, ranks) for ranks in PROJECTED} if len(measured) > 1 else {}
    return {"measured": [asdict(each) for each in measured], "projected_step": steps}


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.3g} µs"

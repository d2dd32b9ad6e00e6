"""Both sides of a case at one size: answers first, then runs in turns, ours and theirs."""

from __future__ import annotations

import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.api.device import DeviceInfo
from workbench.bench.peers.case import PeerCase, Size
from workbench.bench.peers.process import Refused, SideProcess, environment
from workbench.bench.peers.record import PeerRecord, SideRecord


@dataclass(frozen=True)
class Effort:
    """Turns of both sides: at least ``least``, then until ``seconds`` are over or ``most`` are run.

    ready, run: seconds of patience with a side until it is ready, and with one of its runs
    """

    least: int
    most: int
    seconds: float
    ready: float = 600.0
    run: float = 120.0


Run = tuple[float, float]
"""Seconds, and those that cores worked."""
FULL, QUICK = Effort(5, 15, 20.0), Effort(3, 3, 0.0)


def contest(case: PeerCase, module: str, size: Size, device: DeviceInfo, threads: int, effort: Effort) -> PeerRecord:
    """What was measured, or why there is nothing: whatever a peer does stands in the record.

    ``module``: that of the case, for the processes.
    """
    asked = {"case": module, "values": dict(size.values), "kind": device.kind, "threads": threads}
    given = environment(device, threads)
    sides: list[SideProcess] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-peers-")))
        try:
            # The peer first: where it is missing, nobody waits for ours.
            for side, called in (("theirs", case.peer), ("ours", "ours")):
                process = stack.enter_context(SideProcess(called, {**asked, "side": side}, given, effort.ready))
                if process.about.get("missing"):
                    return PeerRecord.refusing(case, size, f"{case.peer} is not installed: {case.install}")
                sides.insert(0, process)
            first: list[float] = []
            answers = []
            for process in sides:
                first.append(_run(process, effort.ready)[0])  # compiles what is compiled when it is first called
                answers.append(process.answer(folder, effort.run))
            difference = case.differ(*answers)
            if not difference <= case.tolerance:
                wrong = (
                    f"the answers differ by {difference:.1e}, where {case.tolerance:.0e} is allowed ({case.measured})"
                )
                return PeerRecord.refusing(case, size, wrong, wrong=True)
            times: tuple[list[Run], list[Run]] = ([], [])
            begun = time.perf_counter()
            while len(times[0]) < effort.least or (
                len(times[0]) < effort.most and time.perf_counter() - begun < effort.seconds
            ):
                for process, found in zip(sides, times, strict=True):
                    found.append(_run(process, effort.run))
        except Refused as error:
            return PeerRecord.refusing(case, size, str(error))
    records = [_side(*each) for each in zip(sides, first, times, strict=True)]
    return PeerRecord.measured(case, size, difference, records[0], records[1])


def _run(process: SideProcess, patience: float) -> Run:
    found = process.ask({"do": "run"}, patience)
    return float(found["seconds"]), float(found["core_seconds"])


def _side(process: SideProcess, first: float, runs: list[Run]) -> SideRecord:
    about: dict[str, Any] = process.about
    times, used = zip(*runs, strict=True)
    return SideRecord(
        device=about["device"],
        threads=about["threads"],
        note=about["note"],
        versions=about["versions"],
        ready=about["ready"],
        first=first,
        seconds=statistics.median(times),
        least=min(times),
        most=max(times),
        runs=len(times),
        core_seconds=statistics.median(used),
    )

"""The process of one side: told what to make on its first line of input, then asked line by line to run and to answer.

One JSON document a line, both ways. What libraries print goes to the error output, for answers stay readable.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import sys
import time
from contextlib import closing
from typing import Any, TextIO

import numpy as np

from workbench.bench.peers.case import PeerCase, Place, Side

OURS = ("workbench-sim", "numpy", "numba", "llvmlite", "cupy-cuda12x", "cupy-cuda13x")
"""Distributions whose versions are told of our side."""


def keep_to(threads: int) -> None:
    """On so many of the cores that this process may use, whatever a library thinks. Before any starts threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def wait_by_itself() -> None:
    """How a peer's threads wait is left to it, and to programs that it starts, unless a person has said it: our
    modules, which some sides import for the problem's values, set it for our own when they are imported."""
    from engines.backend.threads import SLEEP_IS_OURS, WAITING

    if SLEEP_IS_OURS:
        for name in WAITING:
            os.environ.pop(name, None)


def core_seconds() -> float:
    """That cores have worked for this process, its threads, and those processes that it started and that have ended."""
    return sum(os.times()[:4])


def versions(names: tuple[str, ...]) -> dict[str, str]:
    """Of those distributions that are installed."""
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def missing(case: PeerCase) -> bool:
    try:
        return importlib.util.find_spec(case.module) is None
    except ImportError:  # of the package that the module is in
        return True


def made(asked: dict[str, Any]) -> tuple[Side | None, dict[str, Any]]:
    """The side, None where its peer is missing, and what is said of it."""
    keep_to(asked["threads"])
    begun = time.perf_counter()
    module = importlib.import_module(asked["case"])
    case: PeerCase = module.CASE
    ours = asked["side"] == "ours"
    if not ours and missing(case):
        return None, {"missing": True}
    if not ours:
        wait_by_itself()
    place = Place(asked["kind"] if ours or asked["kind"] in case.devices else "cpu", asked["threads"])
    side: Side = (module.ours if ours else module.theirs)(asked["values"], place)
    return side, {
        "ready": time.perf_counter() - begun,
        "versions": versions(OURS if ours else case.versions),
        "device": place.kind,
        "threads": side.threads,
        "note": side.note,
    }


def carried_out(side: Side, asked: dict[str, Any]) -> dict[str, Any]:
    """A run, or an answer that is written to a file."""
    if asked["do"] == "answer":
        arrays: dict[str, Any] = dict(side.answer())
        np.savez(asked["path"], **arrays)
        return {}
    side.reset()
    begun, used = time.perf_counter(), core_seconds()
    measured = side.run()
    seconds = time.perf_counter() - begun if measured is None else measured
    return {"seconds": seconds, "core_seconds": core_seconds() - used}


def serve(asked: TextIO, told: TextIO) -> None:
    """Until the input ends."""

    def tell(document: dict[str, Any]) -> None:
        print(json.dumps(document), file=told, flush=True)

    side, first = made(json.loads(asked.readline()))
    tell(first)
    if side is not None:
        with closing(side):
            for line in asked:
                tell(carried_out(side, json.loads(line)))


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        serve(sys.stdin, answers)

"""A peer that does what its size says, for the tests of how it is run: no package is needed."""

from __future__ import annotations

import os
import sys
import time

import numpy as np

from workbench.bench.peers.case import PeerCase, Side, Size

MODULE = "FAKE_PEER_MODULE"
"""Names the module by which the peer is known to be installed."""


def size(does: str) -> Size:
    return Size(does, {"does": does}, 10, 1.0)


CASE = PeerCase(
    id="fake",
    title="Counting",
    peer="Countess",
    module=os.environ.get(MODULE, "json"),
    install="pip install countess",
    versions=("numpy", "countess"),
    unit="counts/s",
    precision="fp64",
    sizes={"cpu": (size("same"), size("slightly wrong"))},
    tolerance=1e-6,
    measured="largest difference of the counts",
)


class Counting(Side):
    def __init__(self, does: str, ours: bool, threads: int) -> None:
        self.does, self.ours, self.threads, self.count = does, ours, threads, 0
        self.note = f"PID {os.getpid()}, started by {os.getppid()}"
        if does == "waits":
            from engines.backend import threads  # as for a problem's values

            assert not ours
            self.note = f"{threads.WAITING[0]} is {os.environ.get(threads.WAITING[0])}"
        if does == "late":
            time.sleep(60)
        if does == "killed":
            os.kill(os.getpid(), 9)

    def reset(self) -> None:
        self.count = 0

    def run(self) -> float | None:
        print("what libraries say goes to the error output", flush=True)
        if self.does == "raises":
            raise ArithmeticError("no more counts")
        if self.does == "slow":
            time.sleep(60)
        if self.does == "exits":
            print("out of numbers", file=sys.stderr)
            sys.exit(3)
        self.count += 10
        return 0.25 if self.ours else 0.5

    def answer(self):
        counts = np.arange(self.count, dtype=float)
        return {"counts": counts + {"wrong": 1.0, "slightly wrong": 1e-5, "none": np.nan}.get(self.does, 0.0)}


def ours(values, place):
    return Counting("same", True, place.threads)


def theirs(values, place):
    return Counting(values["does"], False, place.threads)

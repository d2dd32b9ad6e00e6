"""An edit is estimated while a run goes on: assembling beside the steps, in a process of its own.

Numba's workqueue layer (macOS; Linux without libgomp) ends a process in which two threads run parallel kernels at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.tissue import operator
from engines.geometry.meshes.box import box_mesh

SCRIPT = """
import threading
import numba
from engines.backend import open_backend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.tissue.operator import tissue_operator
from engines.cardiac.parameters import CardiacParameters, Numerics
from engines.api import Problem
from engines.geometry.meshes.box import box_mesh

mesh = box_mesh((8, 8, 8), (4.0, 4.0, 4.0), jitter=0.2)
simulation = CardiacEngine().build(Problem(CardiacParameters(numerics=Numerics(step=0.005)), mesh), open_backend("cpu"))
ended = threading.Event()

def run():
    while not ended.is_set():
        simulation.advance(5)

worker = threading.Thread(target=run)
worker.start()
edited = CardiacParameters()
for edit in range(20):
    edited.tissue.sigma_il = 0.17 + 0.001 * edit
    tissue_operator(mesh, edited)
ended.set()
worker.join()
print(numba.threading_layer(), simulation.non_finite())
"""


def test_assembling_takes_turns_with_a_run():
    environment = {**os.environ, "NUMBA_THREADING_LAYER": "workqueue", "NUMBA_NUM_THREADS": "2"}
    run = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.split() == ["workqueue", "None"]


def test_two_that_need_the_same_operator_assemble_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate and the build of one problem, at the same time on their threads."""
    mesh = box_mesh((3, 3, 3), (1.5, 1.5, 1.5))
    assembled, real = [], operator._assemble
    both_ask = threading.Barrier(2, timeout=60)

    def counted(*arguments):
        assembled.append(threading.current_thread().name)
        return real(*arguments)

    monkeypatch.setattr(operator, "_assemble", counted)
    found = []

    def ask() -> None:
        both_ask.wait()
        found.append(operator.tissue_operator(mesh, CardiacParameters()))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(assembled) == 1
    assert found[0] is found[1]


def test_a_build_that_waits_for_an_estimate_can_still_be_stopped() -> None:
    class Stopped(Exception):
        pass

    def progress(message: str, fraction: float) -> None:
        raise Stopped

    with operator._assembling:
        waiting = []

        def build() -> None:
            try:
                operator.tissue_operator(box_mesh((1, 1, 1), (1.0, 1.0, 1.0)), CardiacParameters(), progress)
            except Stopped:
                waiting.append("stopped")

        thread = threading.Thread(target=build)
        thread.start()
        thread.join(60)
    assert waiting == ["stopped"]

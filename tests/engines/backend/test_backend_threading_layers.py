"""Several threads run the backend's kernels at once, under each of Numba's threading layers, in a process of its own.

Without turns the workqueue layer ends the process ("Concurrent access has been detected").
"""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import threading
import numpy as np
import numba
from engines.api import Selection
from engines.backend.cpu import CpuBackend

values = np.arange(20_000, dtype=np.float32)
elements = np.arange(0, 20_000, 3, dtype=np.int32)
wrong = []

def work():
    backend = CpuBackend()
    handle = backend.select(Selection(elements))
    for _ in range(200):
        if not np.array_equal(backend.gather(values, handle), values[elements]):
            wrong.append("gather")
        if backend.first_non_finite(values) is not None:
            wrong.append("non finite")

workers = [threading.Thread(target=work) for _ in range(4)]
[worker.start() for worker in workers]
[worker.join() for worker in workers]
print(numba.threading_layer(), len(wrong))
"""


@pytest.mark.parametrize("layer", ["workqueue", "omp"])
def test_threads_share_the_cores(layer):
    environment = {**os.environ, "NUMBA_THREADING_LAYER": layer, "NUMBA_NUM_THREADS": "2"}
    run = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=120)
    if "No threading layer could be loaded" in run.stderr:
        pytest.skip(f"this platform's Numba has no layer '{layer}'")
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.split() == [layer, "0"]

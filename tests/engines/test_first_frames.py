"""What a first run waits for while nothing is compiled yet: no more kernels, and kinds of arguments, than stand here.

Kernels that are called, not functions that are compiled into them; so the numbers are the same where all is found on
the disk. Whoever needs one more raises a number, and says in the engine's README how long it compiles.
"""

import subprocess
import sys

import pytest

PROGRAM = """
import sys, time
import numpy as np
import engines.backend.threads
from engines.api import Selection
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher
from numba.core.sigutils import normalize_signature
from engines.backend.compile.expecting import taken
from engines.backend.compile.listed import identity
from workbench.project.presets import open_named
from workbench.run.frames import FrameRequest
from workbench.run.session import start

called, within, asked, compile_for = [], [], {}, Dispatcher.compile

def ask(self, signature):
    if not within:
        called.append(f"{self.py_func.__module__}.{self.py_func.__name__}")
        if isinstance(self._cache, FunctionCache):
            asked[identity(self.py_func, normalize_signature(signature)[0])] = called[-1]
    within.append(self)
    try:
        return compile_for(self, signature)
    finally:
        within.pop()

Dispatcher.compile = ask
document = open_named(sys.argv[1])
listed = {kernel.identity for kernel in taken()()}
runner = start(document, "cpu", autostart=True)
while runner.info is None and runner.alive:
    time.sleep(0.01)
field = runner.info.fields[0].name
runner.watch(FrameRequest(1, {"part": (field, Selection(np.zeros(1, np.int32)))}, markers=True, lines=True))
frame = None
while runner.alive and (frame is None or not frame.step):
    frame = runner.frames.take() or frame
    time.sleep(0.01)
runner.close()
assert frame is not None and frame.step
print(*sorted(called))
print(*sorted(name for told, name in asked.items() if told not in listed))
"""

OF_ONE_ELEMENT = "engines.backend.fields.cpu_kernels.gather"
"""Asked for by the frame of this program; the window asks for all elements."""


@pytest.mark.parametrize(
    ("preset", "most"),
    [
        ("small_slab", 32),
        ("thousand_cells", 7),
        ("fdtd_sphere", 15),
        ("crack_branching", 11),
        ("cuba_4000", 8),
        ("gray_scott_coral", 8),
        ("heat_on_a_plate", 9),
        ("poisson_two_charges", 11),
    ],
)
def test_kernels_that_a_first_frame_waits_for(preset, most):
    done = subprocess.run([sys.executable, "-c", PROGRAM, preset], capture_output=True, text=True, check=True)
    kernels, not_listed = map(str.split, done.stdout.splitlines()[-2:])
    assert len(kernels) > 3
    assert len(kernels) <= most, kernels
    assert set(not_listed) <= {OF_ONE_ELEMENT}, "run python docs/make_kernels.py"

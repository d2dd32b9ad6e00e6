"""Memory that nobody uses: what is free goes back to the system, and no source is kept that was only looked into."""

from __future__ import annotations

import linecache
import subprocess
import sys

import numpy as np
import pytest
import shibokensupport.feature

from ui import memory


def test_a_module_imported_beside_qt_leaves_no_lines(tmp_path, monkeypatch):
    """Shiboken looks for PySide6's name in each; its answers stay those that it would have given itself."""
    for name, source in (("with_qt_inside", "import PySide6.QtCore\n"), ("without_qt_inside", "import math\n")):
        (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("with_qt_inside", "without_qt_inside"):
        __import__(name)  # as the statement does, which Shiboken has replaced
        monkeypatch.delitem(sys.modules, name)
    switches = shibokensupport.feature.pyside_feature_dict
    assert [switches.pop("with_qt_inside"), switches.pop("without_qt_inside")] == [0, -1]
    assert not [file for file in linecache.cache if file.startswith(str(tmp_path))]


def test_modules_without_a_source_name_nothing():
    assert not memory.names_pyside(sys)
    assert not memory.names_pyside(np._core._multiarray_umath)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of glibc's allocator")
def test_holes_between_what_is_alive_go_back():
    """4,000 pieces of 20 kB of which each tenth stays: without being asked glibc keeps the nine between them."""

    def resident() -> float:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096 / 1e6

    memory.give_back_freed()
    before = resident()
    pieces = [np.ones(20_000, np.uint8) for _ in range(4000)]
    taken = resident() - before
    kept = pieces[::10]
    del pieces
    memory.give_back_freed()
    assert taken > 60.0
    assert resident() - before < 0.5 * taken
    assert len(kept) == 400


LARGE_AND_SMALL = """
import os
import numpy as np
from ui.memory import share_arenas

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

assert not SHARED or share_arenas()
np.ones(30_000_000, np.uint8)  # and gone: glibc takes note of its size
before = resident()
pairs = [(np.ones(8_000_000, np.uint8), np.ones(100_000, np.uint8)) for _ in range(12)]
taken = resident() - before
small = [pair[1] for pair in pairs]
del pairs
print((resident() - before) / taken)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of glibc's allocator")
@pytest.mark.parametrize(("shared", "most"), [(True, 0.1), (False, 1.0)])
def test_an_array_goes_back_whatever_stands_beside_it(shared, most):
    """Without being told glibc keeps nearly all of it."""
    program = LARGE_AND_SMALL.replace("SHARED", str(shared))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert most - 0.1 <= float(done.stdout) <= most

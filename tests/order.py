"""Which worker of pytest-xdist runs which tests: whole files, those that take longest first.

By whole files, since what a file's tests share is made, and compiled, once. The longest first, so that no worker waits
at the end while another one is in the midst of a long file. But one worker at a time in the tests of an engine: two
would compile the same kernels, each for itself, where the second one finds them on disk when the first is done.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest
from xdist.scheduler.loadfile import LoadFileScheduling

from tests.quick import seconds_of_tests

LONG = {
    "tests/test_kernels_compile.py": 116.0,
    "tests/engines/peridynamics/cloud/test_materials.py": 91.0,
    "tests/ui/lab/test_workspace.py": 90.0,
    "tests/engines/cardiac/multirate/test_multirate.py": 76.0,
    "tests/engines/stencil/lab/test_variants.py": 72.0,
    "tests/engines/peridynamics/contact/test_contact.py": 53.0,
    "tests/ui/session/test_house_services.py": 50.0,
    "tests/engines/fdtd/step/test_steps.py": 50.0,
    "tests/engines/test_extreme_values.py": 50.0,
    "tests/engines/stencil/equations/test_twins.py": 47.0,
    "tests/ui/window/test_every_finding.py": 45.0,
    "tests/engines/stencil/gray_scott/test_gray_scott_cuda_on_host.py": 45.0,
    "tests/engines/cardiac/compiler/test_kernels.py": 44.0,
    "tests/workbench/cli/test_cli_run_broken_off.py": 40.0,
    "tests/ui/session/test_files.py": 40.0,
    "tests/engines/battery/mpm/test_many_particles.py": 40.0,
    "tests/engines/peridynamics/cloud/test_points.py": 38.0,
    "tests/engines/fdtd/lab/test_lab.py": 31.0,
    "tests/test_house.py": 30.0,
    "tests/ui/scene/test_particle_pictures.py": 30.0,
    "tests/engines/spiking/events/test_matrix.py": 28.0,
    "tests/long/test_long.py": 27.0,
    "tests/workbench/bench/test_bench.py": 25.0,
    "tests/test_plugin.py": 25.0,
    "tests/ui/scene/test_warm.py": 25.0,
    "tests/engines/stencil/diffusion/test_diffusion_cuda_on_host.py": 25.0,
    "tests/engines/peridynamics/lab/test_studies.py": 24.0,
    "tests/engines/stencil/poisson/test_poisson.py": 23.0,
    "tests/engines/stencil/poisson/test_poisson_cuda_on_host.py": 23.0,
    "tests/engines/formulas/test_parse.py": 22.0,
    "tests/engines/cardiac/test_cardiac_engine.py": 21.0,
    "tests/ui/session/test_bpx.py": 20.0,
    "tests/ui/test_app.py": 20.0,
    "tests/engines/cardiac/diffusion/test_diffusion_step.py": 20.0,
    "tests/engines/battery/particles/step/test_diffusion.py": 19.0,
    "tests/engines/backend/test_backend_waiting.py": 19.0,
    "tests/engines/stencil/poisson/test_poisson_multigrid.py": 19.0,
    "tests/engines/battery/cells/step/test_cells.py": 16.0,
    "tests/engines/battery/bpx/test_reading.py": 10.0,
    "tests/engines/geometry/test_vtk_files.py": 9.0,
    "tests/engines/peridynamics/lattice/test_small.py": 8.0,
}
"""Seconds of the files that take longest in a fresh checkout, with what they compile; only the order depends on it."""
SECONDS = 0.1
"""Of a test that nobody has timed."""


def seconds_of_files(tests: Sequence[str], known: dict[str, float]) -> dict[str, float]:
    """How long the files of these tests will take, about."""
    seconds: dict[str, float] = defaultdict(float)
    for test in tests:
        seconds[test.split("::", 1)[0]] += known.get(test, SECONDS)
    timed = {test.split("::", 1)[0] for test in known}
    return {file: each if file in timed else max(each, LONG.get(file, 0.0)) for file, each in seconds.items()}


def room_of(file: str) -> str:
    """The folder of an engine's tests, which need the same kernels; other files are by themselves."""
    parts = file.split("/")
    return "/".join(parts[:3]) if parts[:2] == ["tests", "engines"] and len(parts) > 3 else file


class LongestFirst(LoadFileScheduling):
    """Gives out the file that takes longest, of an engine whose tests no other worker is running where there is one; a
    test that ended its worker is not tried again with the rest of its file."""

    seconds: dict[str, float] | None = None

    def _assign_work_unit(self, node: Any) -> None:
        if self.seconds is None:
            self.seconds = seconds_of_files(self.collection or (), seconds_of_tests(self.config))
        others = (files for other, files in self.assigned_work.items() if other is not node)
        busy = {room_of(file) for files in others for file, tests in files.items() if not all(tests.values())}
        apart = [file for file in self.workqueue if room_of(file) not in busy]
        self.workqueue.move_to_end(max(apart or self.workqueue, key=self.seconds.__getitem__), last=False)
        super()._assign_work_unit(node)

    def remove_node(self, node: Any) -> str | None:
        """As in the base class, where the rest of the file begins with the test that ended the worker."""
        files = self.assigned_work.pop(node)
        ended = next((test for tests in files.values() for test, done in tests.items() if not done), None)
        if ended is not None:
            files[self._split_scope(ended)][ended] = True
            self.workqueue.update({file: tests for file, tests in files.items() if not all(tests.values())})
            for other in self.assigned_work:
                self._reschedule(other)
        return ended


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LongestFirst | None:
    return LongestFirst(config, log) if config.getoption("dist") == "loadfile" else None

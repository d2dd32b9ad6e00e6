"""The analytic answers that the FDTD engine meets on a CPU (tests/engines/fdtd), on a device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engines.fdtd.grid.dimensions import ALL
from engines.fdtd.step.cuda import CudaYee
from tests.engines.fdtd import fdtd_cases, mie, pole_cases, test_physics
from tests.engines.fdtd.far import test_far_runs
from tests.engines.fdtd.grid import test_grids
from tests.engines.fdtd.media import test_dispersion, test_media
from tests.engines.fdtd.monitors import test_monitors
from tests.engines.fdtd.monitors.ringing import test_ringing
from tests.engines.fdtd.step import test_absorber

pytestmark = pytest.mark.gpu


class _Field:
    """A field on a device that is read and written as one on the host."""

    def __init__(self, steps: CudaYee, name: str) -> None:
        self._steps, self._name = steps, name

    def __getitem__(self, where: Any) -> Any:
        return self._steps._backend.to_host(getattr(self._steps, self._name)[where])

    def __setitem__(self, where: Any, values: Any) -> None:
        held = getattr(self._steps, self._name)
        with self._steps._backend.active():  # on its stream, which does not wait for that of CuPy
            held[where] = self._steps._backend.array(np.asarray(values, held.dtype))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self[...], dtype)

    def copy(self) -> Any:
        return self[...]


class OnDevice:
    """What the tests ask of a ``CpuYee``, on a device."""

    def __init__(self, backend, yee, axes, media, sources, precision, parts=ALL) -> None:
        self._made = CudaYee(backend, yee, axes, media, sources, precision, parts=parts)
        self.electric, self.magnetic = _Field(self._made, "electric"), _Field(self._made, "magnetic")
        self.states = _Field(self._made, "states")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)


CHECKS = [
    test_physics.test_cavity_has_the_frequency_of_the_discrete_dispersion,
    test_physics.test_a_lossless_cavity_keeps_its_energy,
    test_physics.test_nothing_leaks_from_the_total_field_box,
    test_physics.test_the_absorbing_layer_reflects_less_than_80_db,
    test_physics.test_a_slab_transmits_as_airy_says,
    test_dispersion.test_poles_without_loss_keep_the_energy,
    test_dispersion.test_skin_depth_of_a_metal,
    test_absorber.test_it_reflects_little,
    test_grids.test_a_line_moves_a_wave_at_one_cell_per_step,
    test_far_runs.test_a_monopole_on_a_ground,
    test_far_runs.test_a_line_current_in_two_dimensions,
    test_monitors.test_all_boxes_around_a_source_see_the_same_power,
    test_ringing.test_frequency_and_quality_of_a_cavity,
    test_media.test_a_coarse_sphere_scatters_nearly_as_mie_says,
    test_media.test_a_sphere_scatters_as_mie_says,
]


@pytest.fixture
def device(gpu, monkeypatch):
    for module in (
        fdtd_cases, mie, pole_cases, test_absorber, test_dispersion, test_grids, test_physics,
    ):  # fmt: skip
        if hasattr(module, "CpuYee"):
            monkeypatch.setattr(module, "CpuYee", OnDevice)
    return gpu


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__[5:])
def test_answer(device, check):
    check(device)


@pytest.mark.parametrize("reflection", [0.24, 1.5], ids=["scattered field", "incident taken off"])
def test_slab_by_monitors(device, reflection):
    test_monitors.test_a_slab_reflects_and_transmits_as_airy_says(device, reflection)


@pytest.mark.parametrize(
    "case", test_dispersion.test_slabs_transmit_and_reflect_as_transfer_matrices_say.pytestmark[0].args[1],
    ids=["drude", "lorentz", "debye"],
)  # fmt: skip
def test_dispersive_slabs(device, case):
    test_dispersion.test_slabs_transmit_and_reflect_as_transfer_matrices_say(device, *case)


def test_dipole(device):
    found = test_far_runs.run(test_far_runs.problem(), device)
    test_far_runs.test_a_dipole_radiates_what_its_formula_says(found)

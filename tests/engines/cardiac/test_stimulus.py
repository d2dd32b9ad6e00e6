"""Stimulus sites and pulses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.cardiac.parameters import Box, Sphere, Stimulus, Tissue, WholeRegion
from engines.cardiac.stimulus import Protocol, Pulse, protocol, site_cells
from engines.errors import ProblemError
from engines.geometry.box import box_mesh

pulses = st.lists(
    st.builds(
        lambda first, length, rest, count: Pulse(1.0, first, length, length + rest, count),
        st.integers(0, 30),
        st.integers(1, 20),
        st.integers(0, 20),
        st.integers(1, 4),
    ),
    max_size=4,
)


@given(pulses, st.lists(st.integers(0, 200), min_size=1, max_size=60))
def test_kept_currents_are_those_of_each_step(these, steps):
    """Whatever steps are asked for, in whatever order, the currents are those that each pulse has then."""
    plan = Protocol(np.zeros(1, np.uint32), these)
    for step in steps:
        expected = [float(pulse.on(step)) for pulse in these]
        got = plan.currents(step)
        assert (got is None) == (not any(expected))
        assert got is None or got.tolist() == expected


def test_a_pulse_has_its_start_length_period_and_number():
    mesh = box_mesh((2, 2, 2), (1, 1, 1))
    stimulus = Stimulus(site=Box(lower=(0, 0, 0), upper=(1, 1, 1)), start=1.0, duration=2.0, period=10.0, pulses=3)
    plan = protocol([stimulus], Tissue(), mesh, 0.5)
    on = [step * 0.5 for step in range(100) if plan.currents(step) is not None]
    assert on == [start + k * 0.5 for start in (1.0, 11.0, 21.0) for k in range(4)]


def test_the_benchmark_amplitude_in_millivolts():
    """50,000 µA/cm³ over χ Cm = 140 /mm · 0.01 µF/mm² are 35.714 mV/ms (Niederer et al. 2011)."""
    plan = protocol([Stimulus(site=Sphere(radius=9))], Tissue(), box_mesh((2, 2, 2), (1, 1, 1)), 0.5)
    assert plan.currents(0) == pytest.approx([35.714285714])


def test_sites_take_cells_by_centroid():
    mesh = box_mesh((4, 4, 4), (4.0, 4.0, 4.0))
    assert site_cells(Box(lower=(0, 0, 0), upper=(2, 4, 4)), mesh).mean() == 0.5
    ball = site_cells(Sphere(center=(2, 2, 2), radius=1.5), mesh)
    np.testing.assert_array_equal(ball, np.linalg.norm(mesh.centroids - 2, axis=1) <= 1.5)
    assert site_cells(WholeRegion(region="tissue"), mesh).all()


def test_each_stimulus_has_its_bit_and_there_are_thirty_two():
    mesh = box_mesh((2, 2, 2), (1, 1, 1))
    everywhere = Stimulus(site=Sphere(radius=9))
    assert (protocol([everywhere] * 32, Tissue(), mesh, 0.5).mask == 2**32 - 1).all()
    with pytest.raises(ProblemError, match="33 stimuli; up to 32"):
        protocol([everywhere] * 33, Tissue(), mesh, 0.5)

"""Maps, pseudo-ECG and phase on a GPU against their twins on the CPU."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend import open_backend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, Numerics, Sphere, Stimulus
from engines.cardiac.parameters.recording import Recording
from engines.geometry.meshes.box import box_mesh

pytestmark = pytest.mark.gpu

STEPS = 8000
"""400 ms: a beat to its end."""


@pytest.mark.parametrize(
    ("precision", "time_error"),
    # fp64: rounding, and field() returns float32 (3e-5 ms at 400 ms). fp32: rounding moves the end of a beat, where the
    # voltage falls by 1 mV/ms, by some 1e-2 ms.
    [("fp64", 1e-4), ("fp32", 0.1)],
)
def test_a_beat_is_recorded_alike_on_both_devices(gpu, precision, time_error):
    mesh = box_mesh((7, 3, 3), (3.5, 1.5, 1.5), jitter=0.2, seed=7)
    parameters = CardiacParameters(
        stimuli=[Stimulus(site=Sphere(radius=0.9))],
        numerics=Numerics(step=0.05, precision=precision),
        recording=Recording(phase=True),
    )
    found = []
    for backend in (gpu, open_backend("cpu")):
        simulation = CardiacEngine().build(Problem(parameters, mesh), backend)
        series = []
        for _ in range(STEPS // 40):
            simulation.advance(40)
            series.append(list(simulation.observe().values()))
        found.append(({info.name: simulation.field(info.name) for info in simulation.fields}, np.array(series)))
        simulation.close()
    (fields, series), (fields_cpu, series_cpu) = found
    assert (fields["apd"] > 200).all()
    for name in ("latest_activation", "repolarisation", "apd"):
        assert np.abs(fields[name] - fields_cpu[name]).max() < time_error, name
    for name in ("peak", "rest"):
        assert np.abs(fields[name] - fields_cpu[name]).max() < 0.5 * time_error + 1e-4, name
    turn = (fields["phase"] - fields_cpu["phase"] + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(turn).max() < 0.1 * time_error + 1e-5
    size = np.abs(series_cpu[:, :3]).max()
    assert size > 1e-3
    # An upstroke that comes 1e-4 ms later moves the lead by a part of its steep flank.
    assert np.abs(series[:, :3] - series_cpu[:, :3]).max() < (1e-6 if precision == "fp64" else 1e-2) * size

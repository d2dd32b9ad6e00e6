"""Bytes, operations and what fits, counted by hand for small cases: array by array, as the kernels take them."""

import ctypes
import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.ceilings import curve, curve_cpu, machine, memory
from engines.backend.cpu import CpuBackend
from engines.battery.mpm.many_particles import MODES, ManyParticles, graded
from engines.cardiac.watch.phase import phase_looks
from engines.fdtd.media.materials import expected_id_bytes
from engines.fdtd.monitors import traffic as fdtd_monitors
from engines.geometry.grid import Grid
from engines.peridynamics.contact import repulsion
from engines.peridynamics.lattice.solver import LatticeSolver
from engines.peridynamics.setup.base import Setup
from engines.peridynamics.state import solver as state_solver
from engines.peridynamics.watch.energies import LOOKED_WITH
from engines.spiking.network.traffic import network_traffic
from engines.spiking.parameters import SpikingParameters
from engines.spiking.setup import memory as spiking
from engines.stencil import engine as stencil
from engines.stencil.diffusion.traffic import diffusion_traffic
from engines.stencil.parameters import StencilParameters
from engines.stencil.setup import limits
from engines.stencil.setup.problem import GridProblem

GIB = 1 << 30


def test_a_network_reads_six_numbers_a_neuron_and_twelve_bytes_an_event():
    """1,000 neurons; a million synapses at 5 Hz have 500 events in 0.1 ms."""
    (step,) = network_traffic(1000, 1_000_000, 0.1, rate=5.0)
    v, g_e, g_i, ring_e, ring_i, release = (np.zeros(1000, np.float32) for _ in range(6))
    read = sum(array.nbytes for array in (v, g_e, g_i, ring_e, ring_i, release))
    written = read - release.nbytes
    assert (step.bytes_read, step.bytes_written) == (read + 500 * (8 + 4), written + 500 * 4)
    assert step.flops == 13 * 1000 + 500
    (rising,) = network_traffic(1000, 1_000_000, 0.1, rate=5.0, rising=100)
    assert rising.bytes_read - step.bytes_read == rising.bytes_written - step.bytes_written == 2 * 4 * 100
    assert rising.flops - step.flops == 600


@pytest.mark.parametrize(
    ("variable", "source", "grids", "operations"),
    [(False, False, 1, 12), (True, False, 4, 24), (False, True, 2, 14), (True, True, 5, 26)],
)
def test_diffusion_reads_a_coefficient_for_each_axis_and_adds_a_source(variable, source, grids, operations):
    """In 3D: a difference, a product and a sum for each of 6 neighbours are 12 operations, twice as many with faces."""
    grid = np.zeros((5, 6, 7), np.float32)
    told = diffusion_traffic(grid.shape, 4, variable=variable, source=source)
    assert (told.bytes_read, told.bytes_written) == (grids * grid.nbytes, grid.nbytes)
    assert told.flops == operations * grid.size


def test_a_delay_of_a_phase_is_of_whole_looks():
    every, looks = phase_looks(5.0, 0.01)
    assert every * looks * 0.01 == pytest.approx(5.0, rel=0.2)
    assert phase_looks(0.001, 0.01) == (1, 1)


def test_particles_that_push_take_their_list_their_buckets_and_a_place_each():
    """As CpuRepulsion and CudaRepulsion make them."""
    for dimensions, most in ((2, 24), (3, 64)):
        for members, buckets in ((100, 1024), (1024, 1024), (1025, 2048)):
            arrays = (
                *(np.zeros(members, np.int32) for _ in range(3)),  # members, numbers, next
                np.zeros((most, members), np.int32),
                np.zeros((dimensions, members), np.float32),
                np.zeros(members),  # energies
                np.zeros(buckets, np.int32),
            )
            assert repulsion.bytes_of(members, dimensions, 4) == sum(array.nbytes for array in arrays)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_largest_grid_that_fits_is_named_and_fits(dimensions):
    backend = SimpleNamespace(info=SimpleNamespace(memory_bytes=GIB, name="A card"), parts=1)
    room = limits.MEMORY_SHARE * GIB
    side = math.floor((room / 8) ** (1 / dimensions))
    assert side**dimensions * 8 <= room < (side + 1) ** dimensions * 8
    limits.check_memory(Grid((side,) * dimensions, (1.0,) * dimensions), 8, backend)
    with pytest.raises(ProblemError, match=f"use at most {side:,} × {side:,}"):
        limits.check_memory(Grid((side + 1,) * dimensions, (1.0,) * dimensions), 8, backend)
    unknown = SimpleNamespace(info=SimpleNamespace(memory_bytes=0, name="A card"), parts=1)
    limits.check_memory(Grid((side + 1,) * dimensions, (1.0,) * dimensions), 8, unknown)


def test_ids_take_two_bytes_where_more_than_256_mixtures_can_be():
    """Four cells around an edge, of n media: n (n+1) (n+2) (n+3) / 24 mixtures; 7 media have 210 and 8 have 330."""

    def medium(**options):
        return SimpleNamespace(**{"perfect_conductor": False, "permittivities": None, "grade": None, **options})

    assert expected_id_bytes([medium()] * 7, smoothing=False) == 1
    assert expected_id_bytes([medium()] * 8, smoothing=False) == 2
    assert expected_id_bytes([*[medium()] * 7, *[medium(perfect_conductor=True)] * 5], smoothing=False) == 1
    # One that differs by axis triples them: 4 media have 35, 5 have 70 and 6 have 126.
    assert expected_id_bytes([*[medium()] * 4, medium(permittivities=(1, 2, 3))], smoothing=False) == 1
    assert expected_id_bytes([*[medium()] * 5, medium(permittivities=(1, 2, 3))], smoothing=False) == 2
    assert expected_id_bytes([medium()], smoothing=True) == 1
    assert expected_id_bytes([medium()] * 2, smoothing=True) == 2


@pytest.mark.parametrize(
    ("memory_bytes", "quick", "first", "last", "count"),
    [
        (64 * GIB, False, 1 << 15, 1 << 32, 18),
        (64 * GIB, True, 1 << 15, 1 << 29, 8),
        (1 << 24, False, 1 << 15, 1 << 22, 8),
        (1, False, 1 << 15, 1 << 15, 1),
    ],
)
def test_sizes_of_the_curve_end_at_a_quarter_of_the_memory(memory_bytes, quick, first, last, count):
    sizes = curve.working_sets(memory_bytes, quick)
    assert (sizes[0], sizes[-1], len(sizes)) == (first, last, count)
    assert {later // earlier for earlier, later in itertools.pairwise(sizes)} <= {4 if quick else 2}


@pytest.mark.parametrize(
    ("cache", "of_memory", "elements"),
    [
        (32 << 20, 64 * GIB, (4 * 32 << 20) // 8),  # four caches
        (480 << 20, 16 * GIB, (512 << 20) // 8),  # a 32nd of the memory, which holds the cache once
        (480 << 20, 8 * GIB, (480 << 20) // 8),  # the cache itself
        (480 << 20, 2 * GIB, (256 << 20) // 8),  # an eighth of the memory
        (1 << 20, 64 * GIB, (4 * 16 << 20) // 8),  # small caches count as 16 MB
        (32 << 20, 0, (4 * 32 << 20) // 8),  # nobody knows the memory
    ],
)
def test_arrays_of_the_ceiling_are_larger_than_the_cache_and_small_beside_the_memory(
    monkeypatch, cache, of_memory, elements
):
    monkeypatch.setattr(machine, "last_level_cache_bytes", lambda: cache)
    monkeypatch.setattr(machine, "memory_bytes", lambda: of_memory)
    assert _array_size() == elements


_array_size = memory.cpu_array_size  # the conftest puts a smaller one in its place


def test_what_the_system_does_not_tell_is_none_and_no_error(monkeypatch, tmp_path):
    def refused(*_, **__):
        raise OSError(2, "No such file or directory")

    monkeypatch.setattr(machine.subprocess, "run", refused)
    assert machine._sysctl("hw.memsize") == ""
    monkeypatch.setattr(machine.os, "sysconf", refused, raising=False)
    assert machine.memory_bytes() == 0
    assert machine.free_memory_bytes(tmp_path / "nothing") == 0
    (tmp_path / "told").write_text("MemTotal: 9 kB\nMemAvailable:   2048 kB\n")
    assert machine.free_memory_bytes(tmp_path / "told") == 2 << 20


def test_the_cpu_says_what_is_free(monkeypatch):
    monkeypatch.setattr(machine, "free_memory_bytes", lambda: 12345)
    assert CpuBackend.free_memory(SimpleNamespace()) == 12345


def test_a_monitor_writes_a_sample_into_its_buffer_and_each_batch_into_its_sums():
    """90 values of 2 blocks, one of which is averaged with its neighbours; 5 frequencies; batches of 10, each 3rd step.

    The buffer is written, and read again for the sums, of which each has a real and an imaginary part.
    """
    blocks = (SimpleNamespace(size=60, neighbour=True), SimpleNamespace(size=30, neighbour=False))
    plan = SimpleNamespace(blocks=blocks, frequencies=np.ones(5), batch=10, every=3)
    sums = 2 * 5 * 90 / 10
    read, written, operations = fdtd_monitors._sums(plan)
    assert (read, written) == ((90 + 60 + 90 + sums) // 3, (90 + sums) // 3)
    assert operations == 4 * 5 * 90 // 3  # a product and a sum for either part


def test_operations_of_all_monitors_add_up():
    around = SimpleNamespace(value_bytes=4)
    plan = SimpleNamespace(
        blocks=(SimpleNamespace(size=60, neighbour=False),), frequencies=np.ones(5), batch=10, every=3
    )
    plans = SimpleNamespace(plans=[SimpleNamespace(plan=plan)] * 2, around=around)
    parameters = SimpleNamespace(ports=(), ending=SimpleNamespace(at_decay=None))
    (both,) = fdtd_monitors.monitors_traffic(plans, parameters)
    plans.plans = plans.plans[:1]
    (one,) = fdtd_monitors.monitors_traffic(plans, parameters)
    assert (both.flops, both.bytes) == (2 * one.flops, 2 * one.bytes)
    assert one.flops > 0
    plans.plans = []
    assert fdtd_monitors.monitors_traffic(plans, parameters) == ()


def test_a_state_takes_four_numbers_and_a_double_more_for_each_place(monkeypatch):
    monkeypatch.setattr(state_solver, "bytes_of", lambda layout, family, value_bytes: 1000)
    places = 37
    arrays = (np.zeros((4, places), np.float32), np.zeros(places, np.float64))
    told = state_solver.state_bytes_of(SimpleNamespace(size=places), None, 4)
    assert told == 1000 + sum(array.nbytes for array in arrays)


@pytest.mark.parametrize("law", [None, object()])
def test_a_lattice_reads_places_velocities_words_and_a_byte_of_each_particle(law):
    """Words of bonds and of those that may break; with a law a second pair of them."""
    family = SimpleNamespace(words=2, bonds=44)
    body = SimpleNamespace(places=np.zeros(100), family=family, law=law, layout=SimpleNamespace(dimensions=2))
    told = LatticeSolver.traffic.fget(SimpleNamespace(body=body, dtype=np.dtype(np.float32)))
    u, v = (np.zeros((2, 100), np.float32) for _ in range(2))
    words, kind = np.zeros((2 if law is None else 4, 100), np.uint32), np.zeros(100, np.uint8)
    assert told.bytes_read == u.nbytes + v.nbytes + 2 * words.nbytes + kind.nbytes
    assert told.bytes_written == u.nbytes + v.nbytes + words.nbytes
    assert told.flops == 100 * 44 * 24


@pytest.mark.parametrize("varying", [False, True])
def test_many_particles_read_their_modes_four_times_or_their_shells_five(varying):
    """Of both electrodes; what a particle has besides are 20 numbers in and 10 out."""
    n, rows = 50, graded.SHELLS if varying else MODES
    one = np.zeros((rows, 2 * n), np.float32).nbytes
    told = ManyParticles.traffic.fget(SimpleNamespace(dtype=np.dtype(np.float32), n=n, varying=varying))
    assert told.bytes_read == (5 if varying else 4) * one + 20 * 4 * 2 * n
    assert told.bytes_written == one + 10 * 4 * 2 * n


@pytest.mark.parametrize(
    ("equation", "grids"),
    [
        ({"kind": "diffusion"}, 2),
        ({"kind": "diffusion", "source": 2.0}, 3),
        ({"kind": "Poisson", "method": "multigrid"}, 5 * 3 / (1 - 1 / 4)),
        ({"kind": "Gray-Scott"}, 4),
    ],
)
def test_an_estimate_counts_whole_grids_and_the_levels_of_a_cycle(equation, grids):
    plane = {"kind": "2D", "cells_x": 32, "cells_y": 16, "size_x": 32.0, "size_y": 16.0}
    parameters = StencilParameters.model_validate({"grid": plane, "equation": equation})
    posed = GridProblem(Problem(parameters), SimpleNamespace(info=SimpleNamespace(memory_bytes=0, name=""), parts=1))
    assert stencil.bytes_per_step(posed) == round(grids * 32 * 16 * posed.dtype.itemsize)


def test_a_ceiling_over_a_working_set_is_measured_once(monkeypatch):
    measured = []

    def measure(threads, sizes, quick, operations):
        measured.append(sizes[0])
        return [curve.BandwidthPoint("copy", sizes[0], 7e9)]

    monkeypatch.setattr(curve, "_over", {})
    monkeypatch.setattr(curve, "fits_caches", lambda backend, size: True)
    monkeypatch.setattr(curve, "free_bytes", lambda backend: GIB)
    monkeypatch.setattr(curve_cpu, "measure", measure)
    info = SimpleNamespace(kind="cpu", threads=2)
    backend = SimpleNamespace(id="cpu", info=info, ceilings=lambda: SimpleNamespace(best=1e9))
    for size in (1 << 20, (1 << 20) + 5, 1 << 22):
        assert curve.ceiling_over(backend, size) == 7e9
    assert measured == [1 << 20, 1 << 22]


@pytest.mark.parametrize(
    ("contact", "quasi_static", "numbers", "masks"),
    [("none", False, LOOKED_WITH, 0), ("Hertz", False, LOOKED_WITH + 3, 0), ("none", True, 5 * 3, 4 * 3 + 3)],
)
def test_beside_a_solver_a_body_takes_what_is_looked_with_and_what_it_rests_with(contact, quasi_static, numbers, masks):
    """In 3D; at rest masks, loads and what was seen last: four vectors, and words; nothing that breaks."""
    parameters = SimpleNamespace(
        contact=SimpleNamespace(kind=contact), penetrators=(), numerics=SimpleNamespace(quasi_static=quasi_static)
    )
    body = SimpleNamespace(parameters=parameters, body=SimpleNamespace(dimensions=3), value_bytes=4)
    places = np.zeros((numbers + masks, 100), np.float32)  # a word is as long as a number
    assert Setup._bytes_beside(body, 100, 3) == places.nbytes


def test_what_is_needed_of_no_neurons_is_nothing():
    parameters = SpikingParameters()
    none = parameters.model_copy(
        update={"populations": [each.model_copy(update={"number": 0}) for each in parameters.populations]}
    )
    assert spiking.need(none, (0,) * len(parameters.connections)).total == 0


def test_a_plain_network_keeps_no_delays():
    parameters = SpikingParameters()
    assert spiking.is_plain(parameters)
    assert spiking.need(parameters, (100,) * len(parameters.connections)).longest == 0


@pytest.mark.parametrize(("answer", "told"), [(1, 5 * GIB), (0, 0)])
def test_windows_tells_its_memory_where_it_answers(monkeypatch, answer, told):
    def status(reference):
        asked = reference._obj
        assert asked.length == ctypes.sizeof(asked)
        asked.total, asked.free = 5 * GIB, GIB
        return answer

    assert machine._windows_memory() == 0, "on another system"
    kernel = SimpleNamespace(GlobalMemoryStatusEx=status)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel), raising=False)
    assert machine._windows_memory() == told

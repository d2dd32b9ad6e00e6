"""What solvers of bonds take and what a step moves, counted array by array for small bodies."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from engines.peridynamics.cloud.solver import CloudSolver, bytes_of_cloud
from engines.peridynamics.contact import contact, repulsion
from engines.peridynamics.lattice.solver import LatticeSolver, bytes_of
from engines.peridynamics.state.solver import StateSolver

PLACES, BONDS = 96, 20
TYPES = [np.float32, np.float64]


def taken(*arrays: np.ndarray) -> int:
    return sum(array.nbytes for array in arrays)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(
    ("paired", "softening", "mixed"),
    [(False, False, False), (True, False, False), (False, True, False), (False, False, True)],
)
def test_a_lattice_takes_vectors_numbers_words_and_a_kind(dtype, dimensions, paired, softening, mixed):
    """Four vectors, seven numbers, words of bonds twice, three doubles and a byte; for each bond a pair of numbers
    where bonds of one length differ, a number and a bit where they soften; two numbers, a word and a byte for
    mixtures."""
    words = 2
    arrays = [np.zeros((4, dimensions, PLACES), dtype), np.zeros((7, PLACES), dtype)]
    arrays += [np.zeros((2, words, PLACES), np.uint32), np.zeros((3, PLACES)), np.zeros(PLACES, np.uint8)]
    if paired:
        arrays.append(np.zeros((2, BONDS, PLACES), dtype))
    if softening:
        arrays += [np.zeros((BONDS, PLACES), dtype), np.zeros((words, PLACES), np.uint32)]
    if mixed:
        arrays += [np.zeros((2, PLACES), dtype), np.zeros(PLACES, np.uint32), np.zeros(PLACES, np.uint8)]
    layout, family = SimpleNamespace(size=PLACES, dimensions=dimensions), SimpleNamespace(words=words, bonds=BONDS)
    told = bytes_of(layout, family, np.dtype(dtype).itemsize, paired, softening, mixed)
    assert told == taken(*arrays)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(("mixed", "listed"), [(False, False), (True, False), (False, True)])
def test_a_cloud_takes_records_words_and_a_number_and_a_weight_of_each_bond(dtype, dimensions, mixed, listed):
    """Five vectors, two records of four and seven numbers, words twice, three doubles and a byte of each place; of each
    bond its neighbour (4 bytes), its weight (4) and the lists of blocks (an eighth of that)."""
    words, entries = 3, 800
    arrays = [np.zeros((5, dimensions, PLACES), dtype), np.zeros((2, 4, PLACES), dtype), np.zeros((7, PLACES), dtype)]
    arrays += [np.zeros((2, words, PLACES), np.uint32), np.zeros((3, PLACES)), np.zeros(PLACES, np.uint8)]
    arrays += [np.zeros(entries, np.int32), np.zeros(entries, np.float32), np.zeros(entries, np.uint8)]
    if mixed:
        arrays += [np.zeros((2, PLACES), dtype), np.zeros(PLACES, np.uint8)]
    if listed:
        arrays.append(np.zeros(entries, dtype))
    family = SimpleNamespace(dimensions=dimensions, size=PLACES, words=words, neighbours=np.zeros(entries))
    assert bytes_of_cloud(family, np.dtype(dtype).itemsize, mixed, listed) == taken(*arrays)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("blend", [None, object()])
def test_points_read_places_velocities_words_mass_and_kind_and_write_a_record(dtype, dimensions, blend):
    """u is written twice, once as a record of four with it; 2D 26 operations of a bond, 3D 35."""
    words, bonds = 2, 1500
    family = SimpleNamespace(words=words, bonds=bonds)
    body = SimpleNamespace(places=np.zeros(PLACES), family=family, dimensions=dimensions, blend=blend)
    told = CloudSolver.traffic.fget(SimpleNamespace(body=body, dtype=np.dtype(dtype)))
    u, v = np.zeros((2, dimensions, PLACES), dtype)
    mass, kind, record = np.zeros(PLACES, dtype), np.zeros(PLACES, np.uint8), np.zeros((4, PLACES), dtype)
    read = [u, v, mass, kind, np.zeros((words, PLACES), np.uint32), np.zeros(bonds, np.float32)]
    if blend is not None:
        read.append(np.zeros(PLACES, dtype))
    assert told.bytes_read == taken(*read)
    assert told.bytes_written == taken(u, v, record)
    assert told.flops == {2: 26, 3: 35}[dimensions] * bonds


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("dimensions", [2, 3])
def test_bonds_of_a_state_are_read_in_two_passes(dtype, dimensions):
    """u, words, the breakable and γ, and φ written; then u, v, words, φ, β and kind, and u and v written."""
    words = 2
    family = SimpleNamespace(words=words, bonds=BONDS)
    body = SimpleNamespace(places=np.zeros(PLACES), family=family, layout=SimpleNamespace(dimensions=dimensions))
    told = StateSolver.traffic.fget(SimpleNamespace(body=body, dtype=np.dtype(dtype)))
    u, v = np.zeros((2, dimensions, PLACES), dtype)
    bits, kind = np.zeros((words, PLACES), np.uint32), np.zeros(PLACES, np.uint8)
    number = np.zeros(PLACES, dtype)
    dilate, move = [u, bits, bits, number], [u, v, bits, number, number, kind]
    assert told.bytes_read == taken(*dilate, *move)
    assert told.bytes_written == taken(number, u, v)
    assert told.flops == {2: 38, 3: 51}[dimensions] * BONDS * PLACES


@pytest.mark.parametrize("dimensions", [2, 3])
def test_operations_of_a_lattice_are_24_or_32_of_a_bond(dimensions):
    family = SimpleNamespace(words=1, bonds=BONDS)
    layout = SimpleNamespace(dimensions=dimensions)
    body = SimpleNamespace(places=np.zeros(PLACES), family=family, layout=layout, law=None)
    told = LatticeSolver.traffic.fget(SimpleNamespace(body=body, dtype=np.dtype(np.float32)))
    assert told.flops == {2: 24, 3: 32}[dimensions] * BONDS * PLACES


@pytest.mark.parametrize(
    ("particles", "penetrators", "share", "vectors", "members"),
    [
        (4000, (), None, 0, 0),
        (4000, (False,), None, 1, 0),
        (4000, (False, True), None, 3, 0),
        (4000, (), 0.5, 1, 4000),  # few may all take part
        (100_000, (), 0.5, 1, contact.ALWAYS),
        (200_000, (), 0.5, 1, 100_000),
    ],
)
def test_contact_takes_what_it_pushes_with(particles, penetrators, share, vectors, members):
    """A vector of each place, one more for each penetrator where one has friction; a number of each particle beside
    penetrators; what particles that push each other take (test_accounts.py)."""
    dimensions = 3
    kind = SimpleNamespace(kind="none" if share is None else "short range", share=share)
    given = SimpleNamespace(contact=kind, penetrators=[SimpleNamespace(friction=each) for each in penetrators])
    pushes = repulsion.bytes_of(members, dimensions, 4) if members else 0
    arrays = [np.zeros((vectors, dimensions, 5000), np.float32)]
    if penetrators:
        arrays.append(np.zeros(particles, np.int32))
    assert contact.bytes_of(given, particles, 5000, dimensions, 4) == taken(*arrays) + pushes

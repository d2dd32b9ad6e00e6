"""Gathering as a GPU does it, without one: what is begun is of then, and the first that is asked for waits for all."""

import numpy as np
import pytest

from engines.api import Selection
from engines.backend.cpu import CpuBackend
from tests.cuda_on_host.backend import WaitingCudaBackend
from tests.cuda_on_host.loader import COMPILER

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
CHOSEN = Selection(np.array([7, 0, 299, 7], np.int32))
RUNS = Selection(np.array([7, 0, 299, 7, 12], np.int32), np.array([0, 2, 2, 5], np.int32))


@pytest.fixture
def device():
    return WaitingCudaBackend()


@pytest.mark.parametrize("selection", [CHOSEN, RUNS])
@pytest.mark.parametrize("shape", [(300,), (300, 3)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("missing", [None, -1.0])
def test_what_is_gathered_is_the_cpus(device, selection, shape, dtype, missing):
    values = np.random.default_rng(1).normal(0, 50, shape).astype(dtype)
    values[7] = -1
    cpu = CpuBackend()
    expected = cpu.gather(values, cpu.select(selection), missing)
    found = device.gather(device.array(values), device.select(selection), missing)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.float32


def test_several_are_waited_for_once_and_are_of_when_they_were_begun(device):
    fields, handle = [device.array(np.arange(300.0) + k) for k in range(3)], device.select(CHOSEN)
    before = device.stream.waits
    begun = [device.gather_later(field, handle) for field in fields]
    for field in fields:
        field[...] = 0
    assert device.stream.waits == before
    assert [found().tolist() for found in begun] == [[7.0 + k, k, 299.0 + k, 7.0 + k] for k in range(3)]
    assert device.stream.waits == before + 1
    assert begun[0]().tolist() == begun[0]().tolist()


def test_whoever_waited_for_something_else_has_waited_for_these(device):
    field, handle = device.array(np.arange(300.0)), device.select(CHOSEN)
    found = device.gather_later(field, handle)
    device.to_host(field)
    before = device.stream.waits
    assert found().tolist() == [7.0, 0.0, 299.0, 7.0]
    assert device.stream.waits == before


def test_nothing_is_waited_for_where_nothing_is_chosen(device):
    handle = device.select(Selection(np.empty(0, np.int32)))
    field, before = device.array(np.zeros(3)), device.stream.waits
    assert device.gather(field, handle).shape == (0,)
    assert device.stream.waits == before

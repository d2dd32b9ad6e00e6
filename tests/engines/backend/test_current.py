"""Entering a device: once, however many entries lie inside each other; again inside another; errors in sentences."""

import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from engines.api.errors import DeviceError
from engines.backend.cuda import CudaBackend
from engines.backend.devices.current import Current


class CudaError(Exception):
    """As one of CuPy's."""

    __module__ = "cupy.cuda"


@pytest.fixture
def seen():
    return []


def noted(seen, *names):
    """A device whose contexts are noted as they are entered and left."""

    @contextmanager
    def context(name):
        seen.append(f"+{name}")
        try:
            yield
        finally:
            seen.append(f"-{name}")

    return Current(lambda: tuple(context(name) for name in names))


def test_an_entry_inside_another_changes_nothing(seen):
    device = noted(seen, "device", "stream")
    with device:
        with device, device:
            assert seen == ["+device", "+stream"]
        assert seen == ["+device", "+stream"]
    assert seen == ["+device", "+stream", "-stream", "-device"]


def test_another_device_is_entered_and_the_first_one_again(seen):
    one, other = noted(seen, "one"), noted(seen, "other")
    with one, other, one:
        assert seen == ["+one", "+other", "+one"]
    assert seen == ["+one", "+other", "+one", "-one", "-other", "-one"]


def test_each_thread_enters_for_itself(seen):
    device = noted(seen, "device")

    def other():
        with device:
            pass

    with device:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert seen == ["+device", "+device", "-device"]


def test_errors_are_sentences_wherever_they_are_caught(seen):
    device = noted(seen, "device")
    with device:
        with pytest.raises(DeviceError, match="out of memory"), device:
            raise CudaError("cudaErrorMemoryAllocation: out of memory")
        with pytest.raises(ValueError, match="other"), device:
            raise ValueError("other")
        assert seen == ["+device"]
    with pytest.raises(DeviceError, match="GPU reported an error"), device:
        raise CudaError("odd")
    assert seen == ["+device", "-device"] * 2


def test_a_device_that_cannot_be_entered_is_left_as_it_was(seen):
    @contextmanager
    def lost():
        raise CudaError("cudaErrorDevicesUnavailable: busy")
        yield

    whole = noted(seen, "device")._contexts
    broken = Current(lambda: (*whole(), lost()))
    for _ in range(2):
        with pytest.raises(DeviceError, match="Another program"), broken:
            raise AssertionError
    assert seen == ["+device", "-device"] * 2


def test_leaving_may_fail_too():
    @contextmanager
    def reset():
        yield
        raise CudaError("cudaErrorDeviceLost: gone")

    device = Current(lambda: (reset(),))
    with pytest.raises(DeviceError, match="does not answer"), device:
        pass


def test_more_shared_memory_is_asked_for_on_the_backends_own_device(seen):
    """CuPy has a copy of a kernel on each device, and speaks of the current one's."""

    class Kernel:
        asked = 48 << 10

        @property
        def max_dynamic_shared_size_bytes(self):
            return self.asked

        @max_dynamic_shared_size_bytes.setter
        def max_dynamic_shared_size_bytes(self, size):
            seen.append(size)
            self.asked = size

    device, kernel = noted(seen, "device"), Kernel()
    backend = SimpleNamespace(active=lambda: device)
    for size in (1 << 10, 48 << 10, 60 << 10, 50 << 10, 70 << 10):
        CudaBackend.allow_shared(backend, kernel, size)
    assert seen == ["+device", 60 << 10, "-device", "+device", "-device", "+device", 70 << 10, "-device"]

"""A kernel whose arguments lie ready where the driver reads them."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.backend.devices.cuda_errors import as_device_error, is_cuda_error


class ReadyLaunch:
    """Put on the stream by each call, with the arguments that differ from call to call.

    CuPy looks at each argument of each launch: 17 µs for the sixteen of an event matrix, of which 5 are the driver's.

    Needs no ``backend.active``, which takes as long. CUDA errors become DeviceError.

    kernel, stream, cupy: CuPy's; arguments: arrays of the device, NumPy's numbers, or None for no array
    """

    def __init__(
        self, cupy: Any, device: int, kernel: Any, grid: Sequence[int], block: Sequence[int], shared: int, stream: Any,
        arguments: Sequence[Any],
    ) -> None:  # fmt: skip
        self._held = tuple(arguments)  # arrays live as long as this
        self._values = [_value(each) for each in arguments]
        addresses = [ctypes.addressof(value) for value in self._values]
        self._addresses = (ctypes.c_void_p * len(addresses))(*addresses)
        (x, y, z), (a, b, c) = ((*each, 1, 1)[:3] for each in (grid, block))
        last = shared, stream.ptr, ctypes.addressof(self._addresses), 0
        self._numbers = kernel.kernel.ptr, x, y, z, a, b, c, *last
        self._launch, self._current = cupy.cuda.driver.launchKernel, cupy.cuda.runtime.getDevice
        self._device = cupy.cuda.Device(device)
        self._one = threading.Lock()

    def __call__(self, changed: Mapping[int, Any]) -> None:
        """``changed``: arrays of the device, None, or NumPy's numbers, by the number of the argument."""
        try:
            if self._current() == self._device.id:
                self._put(changed)
            else:
                with self._device:
                    self._put(changed)
        except Exception as error:
            if is_cuda_error(error):
                raise as_device_error(error) from error
            raise

    def _put(self, changed: Mapping[int, Any]) -> None:
        with self._one:
            for number, argument in changed.items():
                self._values[number].value = _given(argument)
            self._launch(*self._numbers)


def _value(argument: Any) -> Any:
    kind: Any = ctypes.c_void_p
    if isinstance(argument, np.generic):
        of_number: Any = argument.dtype
        kind = np.ctypeslib.as_ctypes_type(of_number)
    return kind(_given(argument))


def _given(argument: Any) -> Any:
    if argument is None:
        return 0
    return argument.item() if isinstance(argument, np.generic) else argument.data.ptr

"""What the driver is handed by a launch whose arguments lie ready, read back as the driver reads it."""

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api.errors import DeviceError
from engines.backend.devices.launch import ReadyLaunch


class Driver:
    """Stands for CuPy: keeps where it was told to launch, and the values that lay at the addresses then."""

    def __init__(self, kinds):
        self.kinds, self.seen, self.current, self.entered = kinds, [], 1, []
        self.error = None
        runtime = SimpleNamespace(getDevice=lambda: self.current)
        self.cuda = SimpleNamespace(
            runtime=runtime, driver=SimpleNamespace(launchKernel=self.launch), Device=self.device
        )

    def device(self, number):
        driver = self

        class Device:
            id = number

            def __enter__(self):
                driver.entered.append(number)

            def __exit__(self, *_):
                driver.entered.append(None)

        return Device()

    def launch(self, *numbers):
        if self.error:
            raise self.error
        addresses = (ctypes.c_void_p * len(self.kinds)).from_address(numbers[9])
        values = [kind.from_address(place).value for kind, place in zip(self.kinds, addresses, strict=True)]
        self.seen.append((numbers[:9], values, list(self.entered)))


def on_device(address):
    return SimpleNamespace(data=SimpleNamespace(ptr=address))


def ready(driver):
    kernel, stream = SimpleNamespace(kernel=SimpleNamespace(ptr=77)), SimpleNamespace(ptr=55)
    arguments = None, on_device(1000), np.int32(-3), np.float64(0.25), np.int64(1 << 40), None
    return ReadyLaunch(driver, 1, kernel, (4, 2), (128,), 640, stream, arguments)


KINDS = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_double, ctypes.c_int64, ctypes.c_void_p


def test_what_changes_is_what_is_named():
    driver = Driver(KINDS)
    launch = ready(driver)
    launch({0: on_device(2000), 5: on_device(3000)})
    launch({0: on_device(4000), 5: None})
    where = (77, 4, 2, 1, 128, 1, 1, 640, 55)
    assert driver.seen == [
        (where, [2000, 1000, -3, 0.25, 1 << 40, 3000], []),
        (where, [4000, 1000, -3, 0.25, 1 << 40, None], []),
    ]


def test_numbers_change_as_arrays_do():
    driver = Driver(KINDS)
    launch = ready(driver)
    launch({2: np.int32(7), 3: np.float64(-1.5), 4: np.int64(-(1 << 40))})
    assert driver.seen[0][1] == [None, 1000, 7, -1.5, -(1 << 40), None]


def test_another_device_is_left_again():
    driver = Driver(KINDS)
    driver.current = 0
    ready(driver)({0: on_device(8)})
    assert driver.seen[0][2] == [1]
    assert driver.entered == [1, None]


def test_errors_of_the_driver_are_sentences_and_others_stay():
    driver = Driver(KINDS)
    launch = ready(driver)
    driver.error = type("CUDADriverError", (RuntimeError,), {"__module__": "cupy_backends.cuda.api.driver"})(
        "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
    )
    with pytest.raises(DeviceError, match="left its memory"):
        launch({})
    driver.error = KeyError("of somebody else")
    with pytest.raises(KeyError):
        launch({})

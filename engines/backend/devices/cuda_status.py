"""Whether this machine can compute on an NVIDIA GPU, and if not, which one thing is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from engines.api.device import DeviceInfo
from engines.api.errors import DeviceError
from engines.backend import cuda
from engines.backend.devices.cuda_errors import describe

Missing = Literal["", "cupy", "cupy-broken", "driver", "driver-old", "gpu", "nvrtc", "runtime"]

_CTK = "install cupy-cuda12x[ctk] or cupy-cuda13x[ctk], whichever CuPy this is"


@dataclass(frozen=True)
class CudaStatus:
    """The GPUs that can be used; without any, ``missing`` names the reason and ``sentence`` says what to do."""

    devices: tuple[DeviceInfo, ...]
    missing: Missing
    sentence: str


def cuda_status() -> CudaStatus:
    """Look for CuPy, the driver, a GPU and NVRTC, in this order; never raises."""
    try:
        cupy = cuda.load_cupy()
    except ModuleNotFoundError as error:
        if error.name == "cupy":
            return _without("cupy", "CuPy is not installed: install this package with the extra 'cuda12' or 'cuda13'.")
        return _without("cupy-broken", _broken(error))
    except Exception as error:  # whatever a half-installed package raises while it loads
        return _without("cupy-broken", _broken(error))
    runtime = cupy.cuda.runtime
    try:
        count = runtime.getDeviceCount()
    except Exception as error:
        return _no_devices(runtime, error)
    if count == 0:
        return _without("gpu", "The NVIDIA driver shows no GPU: check the variable CUDA_VISIBLE_DEVICES.")
    try:
        cupy.cuda.nvrtc.getVersion()
    except Exception as error:
        return _without("nvrtc", f"NVRTC, which compiles the kernels, does not load ({_line(error)}): {_CTK}.")
    try:
        devices = tuple(cuda.device_info(device) for device in range(count))
    except DeviceError as error:
        return _without("runtime", str(error))
    return CudaStatus(devices, "", f"{count} usable GPU{'s' if count > 1 else ''}.")


def _without(missing: Missing, sentence: str) -> CudaStatus:
    return CudaStatus((), missing, sentence)


def _broken(error: Exception) -> str:
    return f"CuPy is installed but does not load ({_line(error)}): reinstall it for this Python and CUDA version."


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _no_devices(runtime: Any, error: Exception) -> CudaStatus:
    """CUDA reports a missing driver and one that is too old by the same code; the driver's version tells them apart."""
    name = str(error).split(":")[0]
    if "NoDevice" in name:
        return _without("gpu", describe(error))
    if "InsufficientDriver" in name:
        try:
            driver = runtime.driverGetVersion()
        except Exception:
            driver = 0
        if driver == 0:
            return _without("driver", "There is no NVIDIA driver: install one, or go on with the device 'cpu'.")
        return _without("driver-old", describe(error))
    return _without("runtime", describe(error))

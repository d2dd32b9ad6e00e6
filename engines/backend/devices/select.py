"""Which devices there are, and opening one by name."""

from __future__ import annotations

import logging

from engines.api.device import Backend, DeviceInfo
from engines.api.errors import DeviceError, ProblemError

log = logging.getLogger(__name__)


def available() -> list[DeviceInfo]:
    """The devices that :func:`open_backend` can open: usable GPUs first, then the CPU (with all its cores)."""
    from engines.backend.cpu import CpuBackend
    from engines.backend.devices.cuda_status import cuda_status

    return [*cuda_status().devices, CpuBackend().info]


def open_backend(name: str = "auto", reserve_core: bool = False) -> Backend:
    """Open ``"cpu"``, ``"cuda:0"`` (any GPU by its number), or ``"auto"``: the GPU with most free memory, else the CPU.

    ``reserve_core`` leaves one core to a window. Raises ProblemError that names the valid names.
    """
    if name == "cpu":
        return _open_cpu(reserve_core)
    from engines.backend.devices.cuda_status import cuda_status

    status = cuda_status()
    if name == "auto":
        return _open_best(len(status.devices)) or _open_cpu(reserve_core)
    known = [device.id for device in status.devices]
    if name in known:
        return _open_cuda(known.index(name))
    valid = ", ".join(["auto", "cpu", *known])
    reason = f" {status.sentence}" if name.startswith("cuda") and not known else ""
    raise ProblemError(f"There is no device '{name}' here (valid names: {valid}).{reason}")


def _open_cpu(reserve_core: bool) -> Backend:
    from engines.backend.cpu import CpuBackend

    return CpuBackend(reserve_core)


def _open_cuda(device: int) -> Backend:
    from engines.backend.cuda import CudaBackend

    return CudaBackend(device)


def _open_best(count: int) -> Backend | None:
    """The GPU with most free memory that can be opened (one may be taken exclusively by another process)."""
    from engines.backend.cuda import free_memory

    free: dict[int, int] = {}
    for device in range(count):
        try:
            # Asking makes a context on the device, which costs memory there: not done for an only GPU.
            free[device] = free_memory(device) if count > 1 else 0
        except DeviceError as error:
            log.warning("GPU %d is left out: %s", device, error)
    for device in sorted(free, key=lambda device: free[device], reverse=True):
        try:
            return _open_cuda(device)
        except DeviceError as error:
            log.warning("GPU %d is left out: %s", device, error)
    return None

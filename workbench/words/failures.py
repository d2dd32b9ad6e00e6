"""What went wrong in a run, in words for people."""

from __future__ import annotations

from engines.api.errors import DeviceError, ProblemError, WorkbenchError
from engines.numba_settings import address_limit


def dotted(place: tuple[str | int, ...]) -> str:
    """A place in the parameters as a person writes it: ``protocol.2``."""
    return ".".join(str(key) for key in place)


def with_place(error: BaseException) -> str:
    """The sentence of an error, after the place in the parameters that it is about: ``numerics.step: …``."""
    place = dotted(error.place) if isinstance(error, ProblemError) else ""
    return f"{place}: {error}" if place else str(error)


def as_sentence(error: BaseException) -> WorkbenchError:
    """The error itself if it is one of ours, otherwise one of ours with a sentence."""
    if isinstance(error, WorkbenchError):
        return error
    from engines.backend.devices.cuda_errors import (  # the command line's help needs no NumPy
        as_device_error,
        is_cuda_error,
    )

    if is_cuda_error(error):
        return as_device_error(error)
    if isinstance(error, MemoryError):
        limit = address_limit()
        way = (
            "close other programs"
            if limit is None
            else f"raise the session's limit of {limit / 1e6:.0f} MB (ulimit -v)"
        )
        return DeviceError(f"There is not enough memory for this run: use a smaller problem or {way}.")
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return WorkbenchError(f"The run ended because the system refused: {error.strerror or error}{where}.")
    return WorkbenchError(f"The run ended with an unexpected {type(error).__name__}: {error}")

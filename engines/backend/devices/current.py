"""A device, its stream and its memory as those that CuPy works with on this thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from engines.backend.devices.cuda_errors import as_device_error, is_cuda_error

Context = AbstractContextManager[Any]


class _Entered(threading.local):
    """Who is inside on this thread, the innermost last, with what is to be left; nothing where it was inside before."""

    def __init__(self) -> None:
        self.stack: list[tuple[Current, list[Context]]] = []


_entered = _Entered()


class Current:
    """Entered any number of times on any thread. Each entry takes microseconds, as a launch does, so one inside another
    of the same device changes nothing. CUDA errors become DeviceError at the innermost exit.

    contexts: makes CuPy's own, entered in order; by hand, for an ExitStack takes as long as they do.
    """

    def __init__(self, contexts: Callable[[], Iterable[Context]]) -> None:
        self._contexts = contexts

    def __enter__(self) -> None:
        stack = _entered.stack
        entered: list[Context] = []
        if not stack or stack[-1][0] is not self:
            try:
                for context in self._contexts():
                    context.__enter__()
                    entered.append(context)
            except Exception as error:
                _leave(entered, None, None, None)
                if is_cuda_error(error):
                    raise as_device_error(error) from error
                raise
        stack.append((self, entered))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _, entered = _entered.stack.pop()
        failed = _leave(entered, kind, error, trace) if entered else None
        for each in (failed, error):
            if each is not None and is_cuda_error(each):
                raise as_device_error(each) from each
        if failed is not None:
            raise failed


def _leave(
    entered: list[Context], kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
) -> Exception | None:
    """All of them, the last first; what the first of them that fails raises."""
    failed: Exception | None = None
    for context in reversed(entered):
        try:
            context.__exit__(kind, error, trace)
        except Exception as raised:
            failed = failed or raised
    return failed

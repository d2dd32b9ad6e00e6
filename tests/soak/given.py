"""What malloc has given out, by glibc's own word."""

from __future__ import annotations

import ctypes


class Given(ctypes.Structure):
    """What glibc's mallinfo2 tells [bytes]: large pieces, and what is in use of the arenas, among other things."""

    _fields_ = [
        ("_", ctypes.c_size_t * 4),
        ("hblkhd", ctypes.c_size_t),
        ("__", ctypes.c_size_t * 2),
        ("uordblks", ctypes.c_size_t),
        ("___", ctypes.c_size_t * 2),
    ]


def given_out() -> int:
    """What malloc has given out of its arenas and in large pieces [bytes]."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Given
    told = libc.mallinfo2()
    return int(told.uordblks + told.hblkhd)

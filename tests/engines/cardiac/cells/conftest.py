"""What the tests of the cell model share: the host as a device, and random cells that could be alive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numba
import numpy as np
import pytest

from engines.api import Array
from engines.cardiac.cells import tt06
from engines.cardiac.cells.kinds import CHANGEABLE, Kind


class HostArrays:
    """As much of a backend as a tissue asks for, without its threads and timers."""

    id = "cpu"

    def array(self, host: Array) -> Array:
        return np.array(host, order="C")

    def empty(self, shape: Any, dtype: Any) -> Array:
        return np.empty(shape, dtype)

    def to_host(self, device: Array) -> Array:
        return np.array(device)

    def active(self) -> Any:
        return nullcontext()

    def cores_for(self, seconds: float) -> Any:
        return nullcontext()

    def timed(self, kernel: str) -> Any:
        return nullcontext()


def random_cells_of(n: int, seed: int, voltages: tuple[float, float] = (-95.0, 60.0)) -> tuple[Array, Array]:
    """States ``(19, n)`` and cell types of cells in all phases of a beat: gates anywhere in 0..1, concentrations over
    the ranges that they pass in an action potential."""
    rng = np.random.default_rng(seed)
    ranges = {
        "V": voltages, "Ca_i": (5e-5, 2e-3), "Ca_SR": (1.0, 5.0), "Ca_ss": (1e-4, 2.0),
        "Na_i": (7.0, 13.0), "K_i": (130.0, 142.0),
    }  # fmt: skip
    state = np.array([rng.uniform(*ranges.get(name, (0.0, 1.0)), n) for name in tt06.STATES])
    return state, rng.integers(0, 3, n).astype(np.uint8)


def random_kinds(n: int = 66) -> tuple[Kind, ...]:
    """``n`` kinds, types in turn; all parameters that may change scaled by 0.5 to 2, other kinds by other factors."""
    rng = np.random.default_rng(12)
    kinds = []
    for k in range(n):
        cell_type = tt06.CellType(k % 3)
        base = tt06.PARAMETERS[cell_type]
        kinds.append(Kind(cell_type, tuple((name, base[name] * 2 ** rng.uniform(-1, 1)) for name in CHANGEABLE)))
    return tuple(kinds)


def changes_of(of: tuple[Kind, ...], kinds: Array) -> dict[str, Array]:
    """What the reference takes for cells of these kinds: (n,) of each parameter that may change."""
    return {name: np.array([kind.parameters[name] for kind in of])[kinds] for name in CHANGEABLE}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """A few cells are less than one thread's work; on a busy machine waiting for a second one costs a hundredfold."""
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(threads)


@pytest.fixture(scope="session")
def random_cells() -> Callable[..., tuple[Array, Array]]:
    """``random_cells(n, seed, voltages=(-95, 60))``: states and cell types."""
    return random_cells_of


@pytest.fixture(scope="session")
def host() -> HostArrays:
    return HostArrays()

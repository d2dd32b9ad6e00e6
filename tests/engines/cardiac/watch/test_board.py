"""Numbers of several watchers are read from the device together, and no older than their looks."""

import numpy as np
import pytest

from engines.cardiac.watch.kernels import BOARD, KERNELS, Board


@pytest.fixture
def reads(backend, monkeypatch):
    found, to_host = [], type(backend).to_host
    monkeypatch.setattr(type(backend), "to_host", lambda self, array: found.append(1) or to_host(self, array))
    return found


def test_what_changed_is_read_once_for_all(backend, reads):
    board = Board(backend, BOARD)
    first, second = board.place(2), board.place(3)
    first.device[:] = backend.array(np.array([1.0, 2.0]))
    second.device[:] = backend.array(np.array([3.0, 4.0, 5.0]))
    first.change()
    assert [*first.read_later()(), *second.read_later()(), *first.read_later()()] == [1, 2, 3, 4, 5, 1, 2]
    assert len(reads) == 1
    kept = second.read_later()()
    second.device[:] = backend.array(np.array([6.0, 7.0, 8.0]))
    second.change()
    assert [*second.read_later()(), *first.read_later()()] == [6, 7, 8, 1, 2]
    assert len(reads) == 2
    assert kept.tolist() == [3, 4, 5]  # who holds what was read does not see it change


def test_more_numbers_than_are_left_get_a_board_of_their_own(backend):
    kernels = KERNELS.open(backend, 10, np.dtype(np.float32))
    places = [kernels.place(count) for count in (BOARD - 1, 2, 1)]
    for number, place in enumerate(places):
        place.device[:] = number
        place.change()
    assert [set(place.read_later()().tolist()) for place in places] == [{0.0}, {1.0}, {2.0}]

"""The frames of a run that has ended, as they stay beside those of another."""

import pytest

from tests.ui.recording.test_recording import filled, frame
from ui.recording.shelf import MOST_FRAMES, Footage


def footage(reel, *serials):
    made = Footage(None, reel)
    for serial in serials:
        made.take(frame(0, serial), serial, f"shape {serial}", "as it stood")
    return made


@pytest.mark.parametrize(
    ("last", "serial", "steps"),
    [(4, 1, [0, 1, 2, 4]), (2, 1, [0, 1, 2]), (4, 7, [0, 1, 2])],
    ids=["let go by", "kept already", "of nothing that was drawn"],
)
def test_the_last_moment_of_a_run_is_kept_once_and_only_where_it_can_be_drawn(reel, last, serial, steps):
    made = footage(reel, 1)
    filled(reel, (0, 1, 2))
    made.end(reel, frame(last, serial))
    assert [kept.step for kept in reel.frames] == steps
    assert made.newest is None


def test_a_run_of_one_moment_has_it(reel):
    made = footage(reel, 1)
    made.end(reel, frame(0))
    assert [kept.step for kept in reel.frames] == [0]


def test_of_a_run_that_has_ended_few_frames_stay_over_all_of_its_time(reel):
    made = footage(reel, 1)
    filled(reel, range(MOST_FRAMES + 61), size=3)
    made.end(reel, frame(MOST_FRAMES + 60))
    times = [kept.time for kept in reel.frames]
    assert MOST_FRAMES // 4 <= len(times) <= MOST_FRAMES + 1
    assert times == sorted(times)
    assert (times[0], times[-1]) == (0.0, 0.5 * (MOST_FRAMES + 60))


def test_shapes_that_no_kept_frame_was_drawn_on_are_let_go(reel):
    """They are megabytes each."""
    made = footage(reel, 1)
    filled(reel, (0,), serial=1)
    made.take(frame(1, 2), 2, "shape 2", "moved")
    made.take(frame(2, 3), 3, "shape 3", "moved")
    assert made.placement == "as it stood", "when it began"
    assert [made.shape(frame(0, serial)) for serial in (1, 3)] == ["shape 1", "shape 3"]
    with pytest.raises(KeyError):
        made.shape(frame(0, 2))
    made.take(frame(9, 3), 4, "shape 4", "moved")
    assert made.newest.step == 2, "a frame of an earlier request is of another picture"

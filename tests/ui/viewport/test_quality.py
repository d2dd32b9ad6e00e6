"""What drawing may cost: pace, pixels and triangles by what it has cost so far, and what is said of it."""

import threading
from types import SimpleNamespace

import pytest

from ui.viewport import quality as module
from ui.viewport.quality import Quality
from ui.viewport.viewport import Viewport

# Written out: what the sources have is held against these.
MOST_SAMPLES = 1_200_000
FAST = 0.016
FEWEST_SAMPLES = 512 * 512
LEVELS = (1.0, 0.85, 0.75, 0.65, 0.55)
SLOW = 0.032


class Surface:
    """What is asked of a layer."""

    def __init__(self, coarse=False, wants=True, note="all cells"):
        self.has_coarse, self.wants, self.said, self.asked = coarse, wants, note, threading.Event()
        self.go_on = threading.Event()

    def wants_reducing(self):
        return self.wants

    def reduce(self, cancelled):
        self.asked.set()
        while not self.go_on.is_set() and not cancelled():
            self.go_on.wait(0.01)
        return not cancelled()

    def note(self):
        return self.said


@pytest.fixture
def ready():
    return []


@pytest.fixture
def quality(ready):
    made = Quality(lambda: ready.append(1))
    yield made
    made.stop()


def draw(quality, seconds, times=12):
    for _ in range(times):
        quality.took(seconds)


def test_a_graphics_card_draws_sixty_smoothed_pictures_a_second(quality):
    quality.set_renderer("NVIDIA", software=False)
    draw(quality, 0.5, 40)
    assert quality.interval == 1 / 60
    assert quality.resolution(1000, 1000) == 2.0
    assert quality.resolution(3840, 2160) == pytest.approx((16e6 / (3840 * 2160)) ** 0.5)
    assert quality.resolution(7680, 4320) == 1.0
    assert not quality.rest()


@pytest.mark.parametrize(
    ("seconds", "pace", "with_hand"),
    [(0.001, 1 / 15, 1 / 15), (0.03, 0.1, 1 / 15), (0.06, 0.2, 0.12), (0.9, 0.25, 0.25)],
)
def test_a_processor_draws_for_three_tenths_of_the_time_and_half_under_the_hand(quality, seconds, pace, with_hand):
    quality.set_renderer("llvmpipe", software=True)
    quality.seconds = seconds
    assert quality.interval == pytest.approx(pace)
    quality.hands_on = True
    assert quality.interval == pytest.approx(with_hand)


def test_the_first_two_pictures_and_outliers_do_not_count(quality):
    quality.set_renderer("llvmpipe", software=True)
    draw(quality, 9.0, 2)
    assert quality.seconds == 0.0
    for seconds in (0.02, 0.021, 0.4, 0.5):
        quality.took(seconds)
    assert quality.seconds == 0.021, "the lower quartile of four"


def test_slow_drawing_takes_pixels_step_by_step_and_fast_drawing_gives_them_back(quality):
    quality.set_renderer("llvmpipe", software=True)
    seen = [quality.resolution(800, 600)]
    draw(quality, 0.0, 2)
    for seconds in (2 * SLOW, 2 * SLOW, 2 * SLOW, (SLOW + FAST) / 2, *[FAST / 2] * 6):
        draw(quality, seconds)
        seen.append(quality.resolution(800, 600))
    assert seen == [LEVELS[place] for place in (2, 3, 4, 4, 4, 3, 2, 1, 0, 0, 0)]
    assert not quality.rest(), "it is drawn in full already"


def test_a_level_needs_twelve_pictures(quality):
    quality.set_renderer("llvmpipe", software=True)
    draw(quality, 2 * SLOW, 2 + 11)
    assert quality.resolution(800, 600) == LEVELS[2]
    draw(quality, 2 * SLOW, 1)
    assert quality.resolution(800, 600) == LEVELS[3]


def test_at_rest_one_picture_is_drawn_in_full(quality):
    quality.set_renderer("llvmpipe", software=True)
    assert quality.rest()
    assert [quality.resolution(800, 600) for _ in range(2)] == [1.0, LEVELS[2]]


@pytest.mark.parametrize(
    ("software", "size", "samples"),
    [
        (True, (100, 100), FEWEST_SAMPLES),
        (True, (2000, 1000), round(2e6 * LEVELS[2] ** 2)),
        (False, (100, 100), MOST_SAMPLES),
        (False, (2000, 1000), round(2.6e6)),
        (False, (20000, 9000), 4 * MOST_SAMPLES),
    ],
)
def test_a_grid_shows_about_a_value_for_each_pixel(quality, software, size, samples):
    quality.set_renderer("", software=software)
    assert quality.samples(*size) == max(samples, FEWEST_SAMPLES if software else MOST_SAMPLES)


@pytest.mark.parametrize(
    ("software", "layer", "at_once"),
    [
        (True, Surface(coarse=True), True),
        (False, Surface(coarse=True), False),
        (True, Surface(wants=False), False),
        (True, None, False),
    ],
)
def test_fewer_triangles_are_for_software_alone(quality, ready, software, layer, at_once):
    quality.set_renderer("", software=software)
    quality.geometry_changed(layer)
    assert ready == [1] * at_once
    assert layer is None or not layer.asked.is_set()


def test_triangles_are_reduced_beside_and_given_up_for_another_geometry(quality, ready):
    quality.set_renderer("", software=True)
    first, second = Surface(), Surface()
    quality.geometry_changed(first)
    assert first.asked.wait(20)
    quality.geometry_changed(second)
    assert ready == []
    assert second.asked.wait(20)
    second.go_on.set()
    quality._thread.join(20)
    assert ready == [1]


def test_what_is_drawn_is_news_when_it_is_another_and_a_rate_alone_after_a_while(quality, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.clock, "monotonic", lambda: now[0])
    layer = Surface(note="one in four cells")
    assert quality.news(layer) == "In the picture: one in four cells"
    assert quality.news(layer) is None
    assert quality.news(None) == ""
    quality.set_renderer("llvmpipe", software=True)
    quality.seconds = 0.03
    said = "Software rendering: 75 % resolution, one in four cells, about {} frames a second"
    assert quality.news(layer) == said.format(10)
    quality.seconds = 0.04
    assert quality.news(layer) is None
    now[0] += module.NEWS_SECONDS
    assert quality.news(layer) == said.format(7)
    layer.said = ""
    assert quality.news(layer) == "Software rendering: 75 % resolution, about 7 frames a second"
    quality.seconds = 0.9
    now[0] += module.NEWS_SECONDS
    assert quality.news(None).endswith("about 4 frames a second")


def test_the_picture_at_rest_does_not_count_and_the_next_one_does():
    took, begun = [], []
    view = SimpleNamespace(
        _resting=True, quality=SimpleNamespace(took=took.append, news=lambda layer: None),
        scene=SimpleNamespace(layer=None), _rest_timer=SimpleNamespace(start=lambda: begun.append(True)),
    )  # fmt: skip
    for seconds in (0.9, 0.02, 0.03):
        Viewport._drawn(view, seconds)
    assert took == [0.02, 0.03]
    assert begun == [True, True], "each of them may be followed by another one at rest"


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize(("resting", "behind", "drawn"), [(0, 0, 0), (1, 0, 1), (0, 1, 1), (1, None, 1), (0, None, 0)])
def test_a_view_that_comes_to_rest_is_drawn_once_more_where_it_would_look_better(resting, behind, drawn, seen):
    calls = []
    layer = None if behind is None else SimpleNamespace(is_behind=bool(behind))
    view = SimpleNamespace(
        quality=SimpleNamespace(rest=lambda: bool(resting)), scene=SimpleNamespace(layer=layer),
        isVisible=lambda: seen, _view=SimpleNamespace(refresh=lambda: calls.append("drawn")),
    )  # fmt: skip
    Viewport._come_to_rest(view)
    assert len(calls) == (drawn if seen else 0)

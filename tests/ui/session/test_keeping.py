"""What is kept of edits that nobody has saved: when, with which picture, and where it is forgotten."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from engines.api.errors import WorkbenchError
from ui.session import keeping
from ui.session.keeping import Keeper, middle_of, middle_of_file

# Written out: what the sources have is held against these.
PICTURE = (480, 270)
PICTURE_SECONDS = 30.0


class Model(QObject):
    replacing, opened = Signal(), Signal()

    def __init__(self):
        super().__init__()
        self.document, self.revision, self.clean = object(), 0, True
        self.undo_stack = SimpleNamespace(isClean=lambda: self.clean, resetClean=self.edit)

    def edit(self):
        self.clean, self.revision = False, self.revision + 1

    def snapshot(self, view=None):
        return SimpleNamespace(view=view, revision=self.revision, project=SimpleNamespace(title="Heart"))


class Services:
    def __init__(self):
        self.done = []

    def __getattr__(self, name):
        return lambda document, picture=None: self.done.append((name, picture is not None))


class Background:
    broken = None

    def submit(self, lane, work, then=lambda _: None, otherwise=lambda _: None):
        assert lane == "autosave"
        if self.broken:
            otherwise(self.broken)
        else:
            then(work())


@pytest.fixture
def keeper(qapp, monkeypatch):
    parent = QObject()
    model, services, background = Model(), Services(), Background()
    keeper = Keeper(model, services, background, lambda: "view", lambda w, h: np.zeros((h, w, 4), np.uint8), parent)
    keeper.timer.stop()
    keeper.now, keeper.told, keeper.aside = 1000.0, [], []
    monkeypatch.setattr(keeping.clock, "monotonic", lambda: keeper.now)
    keeper.message.connect(lambda message: keeper.told.append((message.text, message.severity)))
    keeper.aside_changed.connect(lambda: keeper.aside.append(1))
    keeper.parts = parent, model, services, background
    return keeper


def done(keeper):
    found, keeper._services.done = keeper._services.done, []
    return found


def test_edits_are_kept_once_each_with_a_picture_now_and_then(keeper):
    model = keeper._model
    keeper._keep()
    assert done(keeper) == [], "nothing is edited"
    for after, pictured in ((0, True), (PICTURE_SECONDS - 1, False), (1, True), (1, False)):
        keeper.now += after
        model.edit()
        keeper._keep()
        keeper._keep()
        assert done(keeper) == [("autosave", pictured)]
    model.clean = True
    model.revision += 1
    keeper._keep()
    assert done(keeper) == [], "it is saved"
    model.document = None
    model.edit()
    keeper._keep()
    keeper.keep_at_end()
    assert done(keeper) == []
    assert keeper.told == []


def test_what_is_unsaved_is_set_aside_when_another_opens_unless_it_was_given_up(keeper):
    model = keeper._model
    model.replacing.emit()
    assert (done(keeper), keeper.told, keeper.aside) == ([("forget_autosave", False)], [], [1])
    model.edit()
    model.replacing.emit()
    assert (done(keeper), len(keeper.told), keeper.aside) == ([("set_aside", True)], 1, [1, 1])
    assert "'Heart' are kept" in keeper.told[0][0]
    keeper.gives_up = True
    model.replacing.emit()
    assert done(keeper) == [("forget_autosave", False)]
    model.opened.emit()
    assert not keeper.gives_up, "of the next one nothing was given up"
    keeper._keep()
    assert done(keeper) == [], "and it is as it was opened"
    model.edit()
    keeper._keep()
    assert done(keeper) == [("autosave", True)], "with a picture of its own at once"


@pytest.mark.parametrize(("clean", "gives_up", "name"), [
    (True, False, "forget_autosave"), (False, True, "forget_autosave"), (False, False, "autosave"),
])  # fmt: skip
def test_at_the_end_what_is_unsaved_is_kept_and_nothing_else(keeper, clean, gives_up, name):
    keeper._model.clean, keeper.gives_up = clean, gives_up
    keeper.keep_at_end()
    assert done(keeper) == [(name, name == "autosave")]


def test_what_was_left_is_edited_and_kept_in_its_place(keeper):
    keeper.take_over("left")
    assert (done(keeper), keeper.aside) == ([("adopt", False)], [1])
    keeper._keep()
    assert done(keeper) == [("autosave", True)]


def test_what_could_not_be_kept_is_told(keeper, monkeypatch):
    keeper._background.broken = WorkbenchError("the disk is full")
    keeper._model.edit()
    keeper._keep()
    keeper._model.replacing.emit()
    monkeypatch.setattr(keeper._services, "autosave", lambda *_: (_ for _ in ()).throw(WorkbenchError("gone")), False)
    keeper.keep_at_end()
    warnings = [text for text, severity in keeper.told if severity == "warning"]
    assert [text.rpartition(": ")[2] for text in warnings] == ["the disk is full", "the disk is full", "gone"]


def test_a_picture_is_the_middle_of_the_view(qapp, tmp_path):
    wide, high = PICTURE
    whole = np.zeros((high, wide, 4), np.uint8)
    whole[..., 3], whole[..., 0], whole[..., 1] = 255, np.arange(wide) // 2, np.arange(high)[:, None] // 2
    found = middle_of(lambda *size: whole if size == PICTURE else None)
    np.testing.assert_array_equal(found, whole[high // 6 : high - high // 6, wide // 6 : wide - wide // 6])

    def unseen(*_):
        raise RuntimeError

    assert middle_of(unseen) is None
    assert middle_of_file(tmp_path / "none.png") is None
    image = QImage(whole.data, wide, high, QImage.Format.Format_RGBA8888)
    for name, size in (
        ("same", PICTURE),
        ("large", (3 * wide, 3 * high)),
        ("tall", (wide, 3 * high)),
        ("wide", (3 * wide, high)),
    ):
        image.scaled(*size).save(str(tmp_path / f"{name}.png"))
        kept = middle_of_file(tmp_path / f"{name}.png")
        assert kept.shape == found.shape
        beside = [abs(int(kept[kept.shape[0] // 2, kept.shape[1] // 2, k]) - (wide, high)[k] // 4) for k in (0, 1)]
        assert max(beside) <= 2, "the middle of a picture stays in the middle"
        if name in ("same", "large"):
            assert np.abs(kept.astype(int) - found).max() <= 2

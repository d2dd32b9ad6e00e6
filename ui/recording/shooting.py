"""Draws the kept frames one after the other, and hands them to a movie: the window stays alive meanwhile.

All of them are looked through first: a movie has one range of colours and draws displacements equally often.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from engines.api import Array
from engines.api.errors import WorkbenchError
from ui.recording.movie_dialog import MovieWish
from ui.recording.playback import Playback
from ui.recording.reel import Kept, read
from ui.scene.cameras.movie_scales import MovieScales
from ui.scene.cameras.room import CENTRED
from ui.scene.visuals.plates import DARK, LIGHT
from ui.widgets.background import Background
from workbench.export.movies import Movie
from workbench.words.units import counted

LANE = "movie"


class Shooting(QObject):
    """One movie. The view shows the frames as they are drawn, and is back at the present afterwards."""

    progressed = Signal(int)
    """How many of its frames are in it."""
    ended = Signal(str, bool)
    """One sentence, and whether the movie was written, or given up as it was asked for."""

    def __init__(
        self,
        playback: Playback,
        viewport: Any,
        movie: Movie,
        wish: MovieWish,
        frames: Sequence[Kept],
        background: Background,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._playback, self._viewport, self.movie = playback, viewport, movie
        self._wish, self._background = wish, background
        self._serial = -1 if playback.newest is None else playback.newest.serial
        self._frames = frames
        self._done = self._measured = 0
        self._scene = getattr(viewport, "scene", None)
        self._unwanted = False

    def cancel(self) -> None:
        """Give it up after the frame that is being written."""
        self._unwanted = True

    def begin(self) -> None:
        if self._scene is not None:
            self._scene.movie = MovieScales()
        QTimer.singleShot(0, self._next)

    def _next(self) -> None:
        """Draw the next frame on the GUI thread, where OpenGL is at home; encode it on another."""
        if self._unwanted:
            self._give_up("The movie was given up: nothing of it was written.", worked=True)
            return
        newest = self._playback.newest
        if newest is None or newest.serial != self._serial:
            self._give_up("The movie was given up, because the view shows something else now.")
            return
        if self._scene is not None and self._measured < len(self._frames):
            self._measure(self._scene)
            return
        if self._done == len(self._frames):
            self._background.submit(LANE, self.movie.finish, lambda _: self._finish(), self._failed)
            return
        kept = self._frames[self._done]
        try:
            frame = read(kept)
        except OSError:  # thinned out meanwhile
            self._encoded()
            return
        self._playback.time = frame.time  # frames of now are kept, and not shown
        self._playback.looked.emit(frame)
        picture = self._draw()
        self._background.submit(LANE, lambda: self.movie.add(picture), lambda _: self._encoded(), self._failed)

    def _measure(self, scene: Any) -> None:
        """What the next frame needs of what all of them share; it is not drawn."""
        with suppress(OSError):  # thinned out meanwhile
            frame = read(self._frames[self._measured])
            self._playback.time = frame.time
            scene.show_frame(frame)
        self._measured += 1
        scene.movie.fixed = self._measured == len(self._frames)
        QTimer.singleShot(0, self._next)

    def _draw(self) -> Array:
        """The view without its meters, which are of now, and without the room that they take from the body."""
        self._viewport.set_overlay([])
        scene = self._scene
        picture: Array
        if scene is None:
            picture = self._viewport.image(*self._wish.size)
            return picture
        before, scene.room = (scene.room, scene.theme), CENTRED
        if self._wish.ground:
            scene.theme = LIGHT if self._wish.ground == "light" else DARK
        try:
            picture = self._viewport.image(*self._wish.size)
        finally:
            scene.room, scene.theme = before
        return picture

    def _encoded(self) -> None:
        self._done += 1
        self.progressed.emit(self._done)
        self._next()

    def _finish(self) -> None:
        self._leave()
        self.ended.emit(f"Written to {self.movie.path}: {counted(self.movie.frames, 'frame')}.", True)

    def _failed(self, error: BaseException) -> None:
        known = isinstance(error, WorkbenchError)
        self._give_up(str(error) if known else f"The movie could not be written ({type(error).__name__}: {error}).")

    def _give_up(self, sentence: str, worked: bool = False) -> None:
        self._background.submit(LANE, self.movie.abandon)
        self._leave()
        self.ended.emit(sentence, worked)

    def _leave(self) -> None:
        if self._scene is not None:
            self._scene.movie = None
        self._playback.back()

"""The recorder of frames connected with the rest of the window: timeline, view, charts, and movies of what was kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from engines.api import SimulationInfo
from engines.api.errors import WorkbenchError
from ui.charts.runs.runs import SessionRun
from ui.recording.movie_dialog import MovieDialog, MovieWish
from ui.recording.movie_progress import MovieProgress
from ui.recording.playback import Playback
from ui.recording.reel import Kept
from ui.recording.shelf import Footage, Shelf
from ui.recording.shooting import Shooting
from ui.scene.layers.layer import Plan
from ui.session.files import file_stem
from ui.session.running.phase import Phase
from ui.widgets.parts import completed
from workbench.export.movies import KINDS, open_movie
from workbench.run.frames import Frame, Message

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow

NOT_KEPT = "The moment that was looked at was not recorded in this view: what is now is shown."
NOTHING = "There are no frames for a movie yet: press Run, and wait for some."
OF_ANOTHER_VIEW = (
    "The frames of this run were kept in another view, as of another field: choose that again, or Reset and Run for a "
    "movie of what is shown now."
)
OVER = "This run has ended, and too few frames of it were kept for a movie: Reset and Run for one."


class RecordingArea(QObject):
    """Makes the recorder; :meth:`connect_all` when the rest is there."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.playback = Playback(window.background, self)
        self.shelf = Shelf(window.charts.runs.runs)
        self.present: Footage | None = None
        """What can be seen again of the run that is there."""
        self.shooting: Shooting | None = None
        self.dialog: MovieDialog | None = None
        self.progress: MovieProgress | None = None

    def connect_all(self) -> None:
        window, playback, timeline = self._window, self.playback, self._window.timeline
        playback.looked.connect(self._look)
        playback.kept_changed.connect(timeline.set_kept)
        playback.missed_changed.connect(timeline.set_missed)
        playback.left_changed.connect(timeline.set_left)
        playback.trouble.connect(lambda text: window.log.add(Message(text, "warning")))
        playback.unseen.connect(lambda _: window.controller.hint.emit(NOT_KEPT))
        timeline.look_asked.connect(self._scrub)
        timeline.missed_asked.connect(window.controller.hint)
        timeline.now_asked.connect(playback.back)
        timeline.loop_asked.connect(playback.loop)
        timeline.branch_asked.connect(playback.look_at_other_branch)
        window.starting_over.now_wanted.connect(self._show_now)
        window.charts.runs.ended.connect(self._shelve)
        window.controller.restarted.connect(self._begin)
        window.controller.info_changed.connect(self._begin)
        window.controller.rewinding.rewound.connect(playback.rewound)

    def close(self) -> None:
        """Let go of the disk; a movie that is not finished leaves nothing there."""
        if self.shooting is not None:
            self.shooting.movie.abandon()
        self.playback.forget()
        self.shelf.clear()

    def _begin(self, info: SimulationInfo | None = None) -> None:
        """Another run, or the same from time zero."""
        self.playback.forget()
        info = info or self._window.controller.info
        self.present = None if info is None else Footage(info, self.playback.reel)
        scene = getattr(self._window.viewport, "scene", None)
        if scene is not None:
            scene.earlier = self._asked

    def _asked(self, plan: Plan) -> tuple[int, Any] | None:
        return None if self.present is None else self.present.asked(plan)

    def _shelve(self, run: SessionRun) -> None:
        """A run has ended: what was seen of it is kept beside what is seen of the next."""
        if self.present is not None and self.playback.newest is not None:
            self.present.end(self.playback.hand_over(), self.playback.newest)
            self.shelf.put(run, self.present)
            self.present = None

    def remember(self, frame: Frame) -> None:
        """What this frame, which is shown now, is drawn on."""
        scene = getattr(self._window.viewport, "scene", None)
        if scene is not None and self.present is not None and (shown := scene.shown) is not None:
            serial, shape = shown
            self.present.take(frame, serial, shape, scene.marks.placement)

    def _scrub(self, time: float) -> None:
        self._window.timeline.loop_button.setChecked(False)
        self.playback.look(time)

    def _show_now(self) -> None:
        if self.shooting is None:  # a movie looks at one moment after the other
            self.playback.back()

    def _look(self, frame: Frame | None) -> None:
        window, playback = self._window, self.playback
        shown = frame if frame is not None else playback.newest
        if shown is not None:
            window.display.show_moment(shown)
        time = None if frame is None else frame.time
        window.timeline.look_back(time, left=playback.branch != playback.reel.branch)
        window.charts.panel.look_back(frame)
        window.probes.look_back(time)

    # Movies.

    def ask_for_movie(self) -> None:
        if self.progress is not None:
            self.progress.show()
            self.progress.raise_()
            self.progress.activateWindow()
            return
        frames = self.playback.frames()
        if len(frames) < 2:
            self._window.controller.problem.emit(self._why_none())
            return
        info = self._window.controller.info
        unit = "" if info is None else info.time_unit
        missed = self.playback.misses(frames, self.playback.branch)
        self.dialog = MovieDialog(frames, unit, self.playback.reel.size, self._window, missed)
        self.dialog.chosen.connect(lambda wish: self._choose_file(wish, frames))
        self.dialog.open()

    def _why_none(self) -> str:
        """And what to do: a run that is over makes no more frames."""
        if self._window.controller.phase not in (Phase.FINISHED, Phase.FAILED):
            return NOTHING
        return OF_ANOTHER_VIEW if len(self.playback.reel.seen(self.playback.branch)) > 1 else OVER

    def _choose_file(self, wish: MovieWish, frames: Sequence[Kept]) -> None:
        document = self._window.model.document
        stem = "movie" if document is None else file_stem(document.project.title)
        if not wish.suffix:
            stem = stem.replace(".", "-")  # what follows a point would name a kind of movie
        folder = Path.home() if document is None or document.path is None else document.path.parent
        suggestion = folder / f"{stem}{wish.suffix}"
        name, _ = QFileDialog.getSaveFileName(self._window, "Export movie", str(suggestion), KINDS[wish.suffix])
        path = completed(name, wish.suffix, self._window) if name else None
        if path is not None:
            self.shoot(path, wish, frames)

    def shoot(self, path: Path, wish: MovieWish, frames: Sequence[Kept] | None = None) -> None:
        """Draw these frames (None: those that are kept now) into a movie."""
        window = self._window
        try:
            movie = open_movie(path, wish.frames_per_second)
        except WorkbenchError as error:
            window.controller.problem.emit(str(error))
            return
        chosen = wish.chosen(self.playback.frames() if frames is None else frames)
        self.shooting = Shooting(self.playback, window.viewport, movie, wish, chosen, window.background, self)
        self.progress = MovieProgress(path.name, len(chosen), window)
        self.progress.rejected.connect(self.shooting.cancel)
        self.shooting.progressed.connect(self.progress.show_done)
        self.shooting.ended.connect(self._shot)
        self.progress.show()
        self.shooting.begin()

    def _shot(self, sentence: str, worked: bool) -> None:
        self.shooting = None
        if self.progress is not None:
            self.progress.hide()
            self.progress.deleteLater()
            self.progress = None
        self._window.viewport.set_overlay(self._window.meters.overlay_lines())
        if worked:
            self._window.files.done.emit(sentence)
        else:
            self._window.controller.problem.emit(sentence)

"""Looking back at a run that goes on: frames are kept as they come, and shown again when somebody asks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from ui.recording.reel import Kept, Reel, read, write
from ui.widgets.background import Background
from workbench.run.frames import Frame

LANE = "frames"
LOOP_MILLISECONDS = 40
FULL = "The frames of the run are no longer kept: {}."


class Playback(QObject):
    """Belongs to a window: :meth:`take` gets every frame that arrives."""

    looked = Signal(object)
    """A :class:`Frame` of the past is to be shown; None: the newest again."""
    kept_changed = Signal(object)
    """(first time, last time) of the frames that can be shown, or None."""
    missed_changed = Signal(bool)
    """Whether there are frames from before these, that other views than this one were shown in."""
    left_changed = Signal(tuple)
    """(first time, last time) of what each branch saw, that the run has left, after it was."""
    unseen = Signal(float)
    """The moment that is looked at was not kept as the view wants to see it now: what is now is shown."""
    trouble = Signal(str)

    def __init__(self, background: Background, parent: QObject | None = None, reel: Reel | None = None) -> None:
        super().__init__(parent)
        self.reel = reel if reel is not None else Reel()
        self._background = background
        self.newest: Frame | None = None
        self.time: float | None = None
        """The moment that is looked at; None: now."""
        self._branch: int | None = None
        """The one that is looked at; None: that of the run."""
        self._left: tuple[tuple[float, float], ...] = ()
        self._writing = self._reading = self._off = False
        self._wanted: Kept | None = None
        self._generation = object()
        """Another one for each reel."""
        self._loop = QTimer(self, interval=LOOP_MILLISECONDS)
        self._loop.timeout.connect(self._show_next)

    @property
    def looking_back(self) -> bool:
        return self.time is not None

    @property
    def looping(self) -> bool:
        return self._loop.isActive()

    @property
    def branch(self) -> int:
        """The one that is looked at."""
        return self.reel.branch if self._branch is None else self._branch

    def frames(self) -> list[Kept]:
        """Those of the branch that is looked at, that can be drawn in the view as it is, in the order of time."""
        return self._of(self.branch)

    def _of(self, branch: int) -> list[Kept]:
        return [] if self.newest is None else self.reel.of((self.newest.serial,), branch)

    def misses(self, frames: Sequence[Kept], branch: int) -> bool:
        """Whether other frames of a branch are from before these, that other views than this one were shown in."""
        seen = self.reel.seen(branch)
        return bool(seen) and (not frames or seen[0].time < frames[0].time)

    def take(self, frame: Frame) -> None:
        """A frame of now: it is kept where one is due. Frames of the past can be drawn as far as the view wanted the
        same before: where it wants something else, it stays where it looks at if such are kept, else it shows now."""
        changed = self.newest is None or frame.serial != self.newest.serial
        self.newest = frame
        if changed:
            self._look_again()
            self._tell()
        if not self._writing and not self._off and self.reel.due(frame):
            self._writing, generation = True, self._generation
            try:
                file = self.reel.begin()
            except OSError as error:
                self._failed(error, generation)
                return
            self._background.submit(
                LANE,
                lambda: write(frame, file),
                lambda done: self._written(*done, generation),
                lambda error: self._failed(error, generation),
            )

    def _look_again(self) -> None:
        time, frames = self.time, self.frames()
        if time is not None and frames and frames[0].time <= time:
            self._show_nearest(time)
            return
        self.back()
        if time is not None:
            self.unseen.emit(time)

    def _written(self, kept: Kept, seconds: float, generation: object) -> None:
        self._writing = False
        if generation is self._generation:
            self.reel.add(kept, seconds)
            self._tell()
        else:
            kept.file.unlink(missing_ok=True)  # of a run that is over

    def _failed(self, error: BaseException, generation: object) -> None:
        self._writing = False
        if generation is self._generation:  # else the folder went with the run that it was of
            self._off = True
            self.trouble.emit(FULL.format(getattr(error, "strerror", None) or type(error).__name__))

    def look(self, time: float) -> None:
        """Show the kept frame that is nearest to ``time``: beyond what the run has come to, one of a branch that was
        left farther on."""
        if self._branch is None and self.newest is not None and time > self.newest.time:
            farther = (branch for branch in self.reel.left() if any(kept.time >= time for kept in self._of(branch)))
            self._branch = next(farther, None)
        self._show_nearest(time)

    def look_at_other_branch(self) -> None:
        """The same moment on the next of the branches, that of the run among them."""
        branches = [self.reel.branch, *self.reel.left()]
        at = branches.index(self.branch) if self.branch in branches else -1
        self._branch = [*branches[1:], None][at] if at >= 0 else None
        if self.time is not None:
            self._show_nearest(self.time)

    def _show_nearest(self, time: float) -> None:
        frames = self.frames()
        if frames:
            self._show(min(frames, key=lambda kept: abs(kept.time - time)))

    def back(self) -> None:
        """To what is now."""
        self._loop.stop()
        self._wanted, self._branch = None, None
        if self.time is not None:
            self.time = None
            self.looked.emit(None)

    def loop(self, on: bool) -> None:
        """Show all frames one after the other, again and again."""
        if on and self.frames():
            self._loop.start()
        else:
            self._loop.stop()

    def hand_over(self) -> Reel:
        """The frames of a run that has ended, for whoever keeps them; the next run has a reel of its own."""
        reel, self._generation = self.reel, object()
        self.reel = reel.another()
        self.back()
        self._tell()
        return reel

    def forget(self) -> None:
        """The run begins anew, or is another."""
        self.back()
        self._generation = object()
        self.newest, self._off = None, False
        self.reel.clear()
        self._tell()

    def rewound(self, time: float) -> None:
        """The run stands at ``time`` again, and what came after it is of another branch."""
        self.back()
        self._generation = object()
        self.reel.rewound(time)
        self._tell()

    def _show_next(self) -> None:
        frames = self.frames()
        if frames and not self._reading:
            time = self.time
            later = (kept for kept in frames if time is None or kept.time > time)
            self._show(next(later, frames[0]))

    def _show(self, kept: Kept) -> None:
        """The newest wish wins: dragging asks for more than can be read."""
        self.time = kept.time
        self._wanted = kept
        if not self._reading:
            self._read()

    def _read(self) -> None:
        kept, self._wanted = self._wanted, None
        if kept is not None:
            self._reading = True
            self._background.submit(LANE, lambda: read(kept), self._shown, lambda _: self._gone())

    def _shown(self, frame: Frame) -> None:
        self._reading = False
        if self._wanted is not None:
            self._read()
        elif self.time is not None and self.newest is not None and frame.serial == self.newest.serial:
            self.time = frame.time
            self.looked.emit(frame)

    def _gone(self) -> None:
        """The frame was dropped meanwhile."""
        self._reading = False
        self._read()

    def _tell(self) -> None:
        frames = self._of(self.reel.branch)
        self.kept_changed.emit((frames[0].time, frames[-1].time) if len(frames) > 1 else None)
        self.missed_changed.emit(self.misses(frames, self.reel.branch))
        own = {kept.file for kept in frames}
        apart = ([kept.time for kept in self._of(branch) if kept.file not in own] for branch in self.reel.left())
        left = tuple((times[0], times[-1]) for times in apart if times)
        if left != self._left:
            self._left = left
            self.left_changed.emit(left)

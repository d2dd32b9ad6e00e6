"""Pictures of a run without a window: copied on the worker, drawn on the main thread, where OpenGL is at home.

Without a renderer the run goes on and says so.
"""

from __future__ import annotations

import math
import shlex
import threading
import time as clock
from collections import deque
from pathlib import Path

from engines.api import Array, FieldInfo, Simulation, SimulationInfo
from engines.api.errors import ProblemError, WorkbenchError, nearest_told
from workbench.cli.arguments import Unasked
from workbench.cli.runs.kept_moments import read_moment, write_moment
from workbench.export.movies import open_movie
from workbench.export.png import save_snapshot
from workbench.project.document import Document
from workbench.run.frames import RunState, Sample
from workbench.run.moments import PictureMoment, Render, find_renderer, render_moment, take_moment
from workbench.run.observer import Observer
from workbench.storage.atomic import storing
from workbench.words.units import counted, percent

MOST_WAITING = 2
FRAMES_PER_SECOND = 25.0
WAITS = "picture_{}.waiting.npz"
"""What is still to be drawn of a step, when a run had no time for it."""


class Pictures(Observer):
    """``number`` pictures at equal distances up to ``until``, the last one at the end. ``ranged``: a range of colours
    was asked for, and it is told where it is not that of what is drawn.

    A run without an ``until`` ends at a time that nobody knows before: it has one picture, of its end.
    """

    few = "There is a picture of each step"

    def __init__(
        self, folder: Path, document: Document, number: int, until: float | None, ranged: bool = False
    ) -> None:
        self.drawn: list[Path] = []
        self.trouble = ""
        self._folder, self._document, self._ranged = folder, document, ranged
        self._asked = 0 if isinstance(number, Unasked) else number
        self._times = [] if until is None else [until * (k + 1) / number for k in range(number)]
        self._of_the_end = until is None and number > 0
        self._finished: int | None = None
        """The step at which the run has come to its end."""
        self._waiting: deque[PictureMoment] = deque()
        self._left: list[Path] = []
        """Moments of the run before this one, which it had no time to draw."""
        self._latest, self._lock = math.inf, threading.Lock()
        """When the last picture may be begun, on the clock."""
        self._abandoned, self._given_up = threading.Event(), threading.Event()
        self._render: Render | None = None
        self._sample: Sample | None = None

    # On the worker.

    def begin(self, simulation: Simulation, info: SimulationInfo) -> None:
        self._info, self._left = info, self._left_there()
        steps = (time / simulation.dt for time in self._times)
        self._steps = [max(1, round(step)) for step in steps if math.isfinite(step)]
        if simulation.step in self._steps:  # it is taken again
            self._left = [path for path in self._left if path != self._path_of(simulation.step)]
        if not simulation.step:
            with storing(self._folder):
                while self._left:
                    self._left.pop().unlink()
        wanted, names = self._document.project.view.field, [field.name for field in info.fields]
        if (self._times or self._of_the_end) and wanted and wanted not in names:
            self.trouble = (
                f"The project shows a field '{wanted}' that this run does not have{nearest_told(wanted, names)}: "
                f"pictures are of '{names[0]}'."
            )
        if self._ranged:
            self._tell_of_unranged()

    def _left_there(self) -> list[Path]:
        return sorted(self._folder.glob(WAITS.format("*")))

    def next_step(self, after: int) -> int | None:
        if self._abandoned.is_set():
            return None
        return next((step for step in self._steps if step > after), None)

    def observe(self, simulation: Simulation) -> None:
        moment = take_moment(simulation, self._document.project.view)
        while len(self._waiting) >= MOST_WAITING and self._has_time:
            clock.sleep(0.01)  # two moments wait at most: memory is bounded, the run waits instead
        if not self._given_up.is_set():
            self._waiting.append(moment)

    def settle(self) -> None:
        """Come back when nothing waits but on the disk: a run that goes on from a checkpoint has passed the pictures
        before it."""
        while self._waiting and self._has_time:
            clock.sleep(0.01)
        self._keep()

    @property
    def _has_time(self) -> bool:
        return math.isinf(self._latest) and not self._given_up.is_set()

    def finish(self, simulation: Simulation, state: RunState, error: WorkbenchError | None) -> None:
        if state is RunState.FINISHED:
            self._finished = simulation.step
            if self._of_the_end:
                self.observe(simulation)

    def sampled(self, sample: Sample) -> None:
        self._sample = sample

    # On the main thread.

    def abandon(self, within: float = math.inf) -> None:
        """No more pictures; of those that wait none is begun after so many seconds, but kept for who goes on."""
        self._abandoned.set()
        self._latest = min(self._latest, clock.monotonic() + within)

    def draw(self) -> bool:
        """Draw what waits, and say whether anything did. A failure is kept in ``trouble`` and ends the drawing, not the
        run."""
        waited = bool(self._left or self._waiting)
        while self._left and self._may_draw:
            try:
                self._try(read_moment(self._left[0]))
            except ProblemError as error:
                self._tell(str(error))
            self._left.pop(0).unlink(missing_ok=True)
        while self._waiting and self._may_draw:
            moment = self._waiting[0]  # and there still, if Ctrl-C comes while it is drawn
            self._try(moment)
            with self._lock:
                self._waiting.popleft()
                self._path_of(moment.step).unlink(missing_ok=True)
        return waited

    @property
    def _may_draw(self) -> bool:
        return clock.monotonic() < self._latest and not self._given_up.is_set()

    def _try(self, moment: PictureMoment) -> None:
        try:
            self._draw(moment)
        except WorkbenchError as error:
            self._give_up(str(error))
        except Exception as error:  # a renderer meets drivers of every kind; the run matters more than its picture
            self._give_up(f"No picture could be drawn ({type(error).__name__}: {error}); the results are complete.")

    def _path_of(self, step: int) -> Path:
        return self._folder / WAITS.format(f"{step:09d}")

    def _keep(self) -> None:
        """Write what waits, for a run that goes on to draw. From any thread."""
        with self._lock:
            for moment in [] if self._given_up.is_set() else list(self._waiting):
                try:
                    write_moment(self._path_of(moment.step), moment)
                except WorkbenchError as error:  # a checkpoint is worth more
                    self._give_up(str(error))
                    return

    def _draw(self, moment: PictureMoment) -> None:
        if self._render is None:
            self._render = find_renderer()
        if self._render is None:
            self._give_up("This installation has no renderer, so there are no pictures; the results are complete.")
            return
        view = self._document.project.view
        lines = [self._document.title, self._info.device]
        if self._sample is not None:
            rate, fraction = self._sample.bytes_per_second / 1e9, self._sample.fraction_of_ceiling
            lines.append(f"{rate:.3g} GB/s, {percent(fraction)} of the measured ceiling")
        self.take(moment, render_moment(self._render, self._document, self._info, moment, view, lines))

    def take(self, moment: PictureMoment, rgba: Array) -> None:
        """Keep what was drawn of a moment."""
        path = self._folder / f"picture_{moment.step:09d}.png"
        save_snapshot(path, rgba, self._document)
        self.drawn.append(path)

    def end(self) -> None:
        """The run is over, and all of it was drawn that there was time for."""
        left = len(self._left) + len(self._waiting)
        if left and not self._given_up.is_set():
            self._keep()
            command = f"workbench resume {shlex.quote(str(self._folder))}"
            self._tell(f"There was no time for {counted(left, 'picture')}: '{command}' draws what is left.")
        self._tell_of_few()

    def _tell_of_few(self) -> None:
        """Where there are fewer pictures than were asked for, and why."""
        if self._given_up.is_set() or self._finished is None:
            return
        steps = set(self._steps)
        missed = sum(step > self._finished for step in steps)
        if self._of_the_end and self._asked > 1:
            self._tell(
                f"There is one picture, of the end, where {self._asked} were asked for: to divide the run, say with "
                f"--until T [{self._document.time_unit}] how far it goes."
            )
        if not self._of_the_end and len(steps) < self._asked:
            self._tell(f"{self.few}, {len(steps)}, where {self._asked} were asked for.")
        if missed and self._asked:
            self._tell(f"The run came to its end before the times of {missed} of {counted(self._asked, 'picture')}.")

    def _tell_of_unranged(self) -> None:
        field, view = self._shown, self._document.project.view
        if field.cyclic:
            why = "values go round, as angles do, and keep their colours"
        elif field.names and not view.volume and not view.height:  # which are drawn between values
            why = "values are names, each of its own colour"
        elif view.field not in (None, field.name):
            why = "colours are its own: the range was for a field that is not there"
        else:
            return
        self._tell(f"--range does not apply to '{field.title}', whose {why}.")

    @property
    def _shown(self) -> FieldInfo:
        fields, wanted = self._info.fields, self._document.project.view.field
        return next((each for each in fields if each.name == wanted), fields[0])

    def _tell(self, text: str) -> None:
        self.trouble = f"{self.trouble} {text}".strip()

    def _give_up(self, text: str) -> None:
        self.trouble = text
        self._given_up.set()
        self.abandon(0.0)


class RunMovie(Pictures):
    """A movie of ``number`` pictures at equal distances up to ``until``.

    Raises ProblemError where the run has no end to divide, and where no such movie can be written.
    """

    few = "The movie has a picture of each step"

    def __init__(self, path: Path, document: Document, number: int, until: float | None) -> None:
        if until is None:
            raise ProblemError(f"A movie needs an end of the run: add --until T [{document.time_unit}].")
        super().__init__(path.parent, document, number, until)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._movie = open_movie(path, FRAMES_PER_SECOND)

    def take(self, moment: PictureMoment, rgba: Array) -> None:
        self._movie.add(rgba)

    def _left_there(self) -> list[Path]:
        """A run that goes on draws no movie."""
        return []

    def _keep(self) -> None: ...

    def end(self) -> None:
        """Complete the file with what was drawn; without a picture there is none."""
        if self._waiting:
            self._tell(f"There was no time for {counted(len(self._waiting), 'picture')} of the movie.")
        if not self._movie.frames:
            self._movie.abandon()
            self.trouble = self.trouble or "No picture was drawn, so there is no movie; the results are complete."
            return
        try:
            self._movie.finish()
            self.drawn.append(self._movie.path)
            self._tell_of_few()
            self._tell_of_scales()
        except WorkbenchError as error:
            self._movie.abandon()
            self.trouble = str(error)

    def _tell_of_scales(self) -> None:
        """What each picture chose by itself: it is drawn while nobody knows yet what comes after it."""
        view, info, field = self._document.project.view, self._info, self._shown
        followed = view.follow or (field.guessed and (view.range is None or view.field not in (None, field.name)))
        ways = {}
        if info.displaced is not None and view.deformation is None:
            ways["magnification"] = "set 'deformation' in the project's view"
        if followed and not field.cyclic and not field.names:
            ways["range of colours"] = "add --range=LOW:HIGH"
        if ways:
            self._tell(
                f"Each picture of the movie has a {' and a '.join(ways)} of its own: for one in all of them "
                f"{' and '.join(ways.values())}, or export the movie in the window."
            )

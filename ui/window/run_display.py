"""What the window shows of a run, and of what the document stands on: the panels follow the controller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from engines.api import SimulationInfo
from ui.session.running.phase import Phase
from ui.widgets.icons import dress
from ui.window.actions import EXPORTS
from workbench.project.project import ViewSettings
from workbench.remote.streams import SOCKETS, LineLost
from workbench.run.frames import Frame, Message, Sample
from workbench.run.streams.curves import Curves
from workbench.words.units import clock_text

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow

SAID = {Phase.PAUSED: "Paused", Phase.FINISHED: "Finished"}


class RunDisplay(QObject):
    """Passes on to the window's panels what comes from its controller; :meth:`connect_all` when they are there."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._geometry: Any = None

    def connect_all(self) -> None:
        controller = self._window.controller
        controller.phase_changed.connect(self.show_phase)
        self._window.model.changed.connect(self._note_changes)  # after the controller, which tells what waits
        controller.info_changed.connect(self._info_changed)
        controller.frame_arrived.connect(self._show_frame)
        controller.samples_arrived.connect(self._take_samples)
        controller.probes_read.connect(self._window.probes.show_reading)
        controller.curves_found.connect(self._show_earlier)
        controller.restarted.connect(self._restarted)
        controller.rewinding.rewound.connect(self._rewound)
        controller.rewinding.marks_changed.connect(self._window.timeline.set_marks)
        controller.progressed.connect(self._show_progress)

    def show_geometry(self, geometry: Any) -> None:
        """What the document stands on now, without values; None where that cannot be told."""
        window = self._window
        self._geometry = geometry
        window.viewport.set_geometry(geometry)
        window.charts.show_geometry(geometry)
        window.view_panel.set_geometry(geometry)
        window.status.set_geometry_info(geometry)

    def follow_parameters(self) -> None:
        """Some parameters make another grid or count time in another unit; a run that goes on keeps its own."""
        model, controller = self._window.model, self._window.controller
        if model.document is None:
            return
        if not controller.locked:
            self._window.timeline.set_unit(model.document.time_unit)
        if controller.info is None and (geometry := model.geometry) is not self._geometry:
            self.show_geometry(geometry)

    def apply_view(self, view: ViewSettings) -> None:
        """What the panel of the view says, from where the person is looking now."""
        self._window.viewport.apply_view(view.model_copy(update={"camera": self._window.view_settings().camera}))
        self._show_limits()

    def show_phase(self, name: str) -> None:
        """Which buttons can be pressed, and what is said of the run."""
        window, phase = self._window, Phase(name)
        if phase is Phase.BUILDING:
            window.banner.hide()  # what it says is of the run before
        runner = window.controller.runner
        error = None if runner is None else runner.error
        why = window.controller.ending.why if phase is Phase.FINISHED else ""
        window.timeline.set_phase(phase, away=isinstance(error, LineLost) and error.goes_on, why=why)
        if why and runner is not None and not runner.noticed:  # that is said in the same place, and weighs more
            window.banner.say(why, "info")
        self._note_changes()
        window.problem.set_locked(window.controller.locked)
        window.findings.set_locked(window.controller.locked)
        window.placing.set_locked(window.controller.locked)
        if phase in (Phase.READY, Phase.RUNNING, Phase.FAILED) and window.estimates.estimate is None:
            window.estimates.recompute()
        if phase in (Phase.FINISHED, Phase.FAILED):
            window.meters.forget_remaining()
            window.viewport.set_overlay(window.meters.overlay_lines())
        if phase in SAID:
            window.log.add(Message(f"{SAID[phase]} at {window.timeline.run_text}."))
        running = phase is Phase.RUNNING
        window.welcome.run_note.setVisible(running)
        if running and window.pages.lab_is_measuring:
            sentence = "The Kernel Lab is measuring: its figures are too low while a simulation runs."
            window.banner.say(sentence, "warning")
        actions = window.actions_
        dress(actions["run"], "pause" if running else "play", "accent")
        actions["run"].setToolTip("Pause (Space)" if running else "Run (Space)")
        actions["run"].setEnabled(window.timeline.run_button.isEnabled())
        actions["step"].setEnabled(window.timeline.step_button.isEnabled())
        actions["reset"].setEnabled(window.timeline.reset_button.isEnabled())
        for each in ("save", "save_as", *EXPORTS, "fit"):
            actions[each].setEnabled(phase is not Phase.EMPTY)

    def _note_changes(self) -> None:
        self._window.problem.note_changes(self._window.controller.stale)

    def _info_changed(self, info: SimulationInfo | None) -> None:
        window = self._window
        if info is not None and info.geometry is not self._geometry:
            self.show_geometry(info.geometry)
        window.viewport.set_simulation(info)
        window.view_panel.set_info(info)
        window.probes.set_info(info)
        window.status.set_info(info)
        if info is not None:
            window.log.add(Message(f"Built on {info.device}, step {clock_text(info.dt, info.time_unit, '.4g')}."))
            window.timeline.set_unit(info.time_unit)
            window.meters.set_info(info)
            window.meters.takes_turns = SOCKETS and window.services.place is None and not window.controller.away
            window.view_panel.set_view(window.view_settings())

    def _show_frame(self, frame: Frame) -> None:
        playback = self._window.recording.playback
        playback.take(frame)
        if not playback.looking_back:
            self.show_moment(frame)
            self._window.timeline.set_time(frame.time)
        self._window.recording.remember(frame)

    def show_moment(self, frame: Frame) -> None:
        """In the 3D view, of now or of the past."""
        self._window.viewport.show_frame(frame)
        self._window.view_panel.moved.show_scale(self._window.viewport.deformation)
        self._window.view_panel.levels.show_range(self._window.viewport.limits)
        self._show_limits()

    def _show_limits(self) -> None:
        if (limits := self._window.viewport.limits) is not None:
            self._window.view_panel.colours.show_range(self._window.viewport.shown_field, limits)

    def _take_samples(self, samples: list[Sample]) -> None:
        window = self._window
        document = window.model.document
        window.meters.pace = None if document is None else document.project.run.pace
        window.meters.take(samples)
        window.probes.take(samples)
        window.charts.panel.take()
        window.viewport.set_overlay(window.meters.overlay_lines())
        window.timeline.set_part(samples[-1].part)
        window.timeline.set_time(samples[-1].time, samples[-1].remaining)

    def _show_earlier(self, curves: Curves) -> None:
        self._window.probes.put_before(curves)
        self._window.charts.panel.take()

    def _restarted(self) -> None:
        window = self._window
        window.probes.clear_traces()
        window.meters.clear()
        window.viewport.set_overlay([])
        window.timeline.set_part(None)
        window.timeline.set_time(0.0)

    def _rewound(self, time: float) -> None:
        window = self._window
        window.probes.rewind(time)
        if window.controller.info is not None:
            window.meters.stand_at(round(time / window.controller.info.dt))
            window.viewport.set_overlay(window.meters.overlay_lines())
        window.charts.panel.take()
        window.timeline.set_part(None)
        window.timeline.set_time(time)
        text = f"Rewound to {window.timeline.run_text}: going on from here is another branch."
        window.log.add(Message(text))

    def _show_progress(self, text: str, fraction: float) -> None:
        self._window.status.set_activity(text, fraction)
        self._window.viewport.set_busy(text or None, fraction)

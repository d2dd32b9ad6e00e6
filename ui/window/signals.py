"""Which signal of the window's parts calls what.

A signal that may come while the window dies is connected to a method of what dies first: with it, the connection goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from ui.forms.fields.line import Line
from ui.forms.fields.lines import LineText
from ui.forms.refusals import refusing, told
from ui.window.actions import one_of_many
from ui.window.questions.preferences import PreferencesDialog

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow


def connect_all(window: MainWindow) -> None:
    """Once, when its parts are there."""
    for part in (window.document_display, window.display, window.recording, window.comparing, window.pages):
        part.connect_all()
    _connect_pages(window)
    _connect_run(window)
    _connect_view(window)
    _connect_placing(window)
    _connect_actions(window)


def _connect_pages(window: MainWindow) -> None:
    """What opens problems, and what is said."""
    window.model.undo_stack.cleanChanged.connect(window.show_clean)
    window.new_menu.chosen.connect(window.new_project)
    window.recent_menu.chosen.connect(window.open_path)
    window.tour_menu.chosen.connect(window.help.tour.start)
    window.welcome.tour_button.setMenu(window.tour_menu)
    window.welcome.gallery.opened.connect(window.open_preset)
    window.welcome.gallery.run.connect(window.run_preset)
    window.welcome.gallery.new_asked.connect(
        lambda id: window.new_project(next(engine for engine in window.services.engines() if engine.id == id))
    )
    window.welcome.open_asked.connect(window.files.open)
    window.welcome.path_chosen.connect(window.open_path)
    window.files.path_chosen.connect(window.open_path)
    window.files.recent_changed.connect(window.pages.show_recent)
    window.files.done.connect(window.sentences.say)
    window.controller.problem.connect(window.sentences.say_problem)
    window.controller.hint.connect(lambda sentence: window.banner.say(sentence, "info"))
    window.controller.alarm.connect(lambda sentence: window.banner.say(sentence, "warning"))
    window.estimates.found.connect(window.sentences.say_once)
    window.charts.lines.said.connect(window.sentences.say_what_is_next)
    for source in (window.controller.message, window.keeper.message, window.controller.kept_paint.message):
        source.connect(window.log.add)
    window.dock_layout.docks["log"].visibilityChanged.connect(window.log.set_in_front)
    window.log.attention.connect(window.sentences.show_attention)
    window.status.log_asked.connect(lambda: window.show_dock("log"))


def _connect_run(window: MainWindow) -> None:
    """The timeline, the device and the charts."""
    controller, timeline = window.controller, window.timeline
    window.device_menu.chosen.connect(lambda name: _edit_run(window, "device", name, "choice of the device"))
    window.forecaster.solved.connect(window.charts.panel.show_forecast)
    window.charts.connect_with(window.files, window.dock_layout)
    window.tools.taken_over.connect(lambda result: window.charts.bring(result.shows))
    window.problem.follow(controller.live)
    window.model.refused = lambda: next(map(told, _refused(window)), "")
    controller.refused_field_asked.connect(lambda: window.show_field(next(_refused(window))))
    timeline.toggled.connect(window.starting_over.toggle)
    timeline.step_asked.connect(window.starting_over.step)
    timeline.reset_asked.connect(controller.reset)
    timeline.rewind_asked.connect(controller.rewinding.rewind)
    timeline.until_edited.connect(lambda until: _edit_run(window, "until", until, "end of the run"))
    timeline.pace_edited.connect(lambda pace: _edit_run(window, "pace", pace, "pace of the run"))
    timeline.refused.connect(lambda sentence: window.banner.say(sentence, "info"))
    timeline.mended.connect(window.banner.take_back)
    window.problem.form.mended.connect(window.sentences.look_again)
    window.probes.export_asked.connect(window.actions_["traces"].trigger)


def _refused(window: MainWindow) -> Iterator[Line | LineText]:
    """The fields of a run whose text is not their value."""
    return chain(window.problem.form.refused(), refusing(window.timeline))


def _connect_view(window: MainWindow) -> None:
    """The 3D view, its panel and the brush."""
    controller, viewport, panel = window.controller, window.viewport, window.view_panel
    viewport.request_changed.connect(controller.viewers.watch)
    controller.is_frame_due = lambda: viewport.is_due
    viewport.view_changed.connect(lambda: panel.set_view(viewport.view_settings()))
    viewport.quality_changed.connect(window.status.set_quality)
    viewport.stroke_began.connect(controller.painting.begin)
    viewport.dabbed.connect(controller.painting.add)
    viewport.dabbed.connect(window.brushing.tell_what_is_unseen)
    viewport.brush_resized.connect(panel.brush.set_radius)
    panel.brush.changed.connect(viewport.set_brush)
    panel.brush.share(window.actions_["brush"])
    one_of_many(*(window.actions_[name] for name in ("brush", "measure", "line")))
    panel.grid.set_refusal(viewport.volume_refusal)
    panel.edited.connect(window.display.apply_view)
    for asking in (panel, viewport):
        asking.fit_asked.connect(lambda: panel.colours.fit_range(viewport.span()))
    panel.clip_active.connect(viewport.set_clip_active)
    panel.camera_asked.connect(
        lambda where: viewport.reset_camera() if where == "reset" else viewport.view_along(where)
    )


def _connect_placing(window: MainWindow) -> None:
    """What stands in space and is placed by hand."""
    placing, viewport = window.placing, window.viewport
    placing.marks_changed.connect(viewport.set_marks)
    window.previews.failed.connect(lambda sentence: window.banner.say(sentence, "warning"))
    placing.refused.connect(lambda sentence: window.banner.say(sentence, "warning"))
    placing.changed.connect(lambda: window.view_panel.show_placed(placing.placement is not None))
    viewport.item_chosen.connect(placing.choose)
    viewport.item_dragged.connect(placing.drag)
    viewport.item_dropped.connect(placing.drop)
    viewport.item_deleted.connect(placing.remove)
    tree = window.problem.objects
    tree.slice_button.clicked.connect(lambda: window.view_panel.show_slices(placing.middle()))


def _connect_actions(window: MainWindow) -> None:
    """Menus, tool bar, keys and the palette."""
    files, controller, help = window.files, window.controller, window.help
    window.actions_.connect(
        gallery=window.pages.show_gallery,
        back=window.pages.show_workspace,
        open=files.open,
        open_folder=files.open_folder,
        save=files.save,
        save_as=files.save_as,
        snapshot=files.export_snapshot,
        movie=window.recording.ask_for_movie,
        results=files.export_results,
        mesh=files.export_mesh,
        parameters=files.export_parameters,
        timing_log=files.export_timing_log,
        traces=lambda: files.export_traces(window.probes.store.probes, window.probes.as_csv),
        copy_as_python=files.copy_as_python,
        open_copied=files.open_copied,
        rename=window.rename,
        preferences=lambda: PreferencesDialog(window, window.settings).open(),
        quit=window.close,
        run=window.starting_over.toggle,
        step=window.starting_over.step,
        reset=controller.reset,
        rewind=controller.rewinding.rewind_to_last,
        where=window.connecting.ask,
        sweep=window.sweeps.open,
        converge=window.sweeps.converge,
        theme=window.switch_theme,
        layout=window.dock_layout.first_layout,
        fit=window.viewport.reset_camera,
        outlines=window.view_panel.switch_outlines,
        help=help.help,
        manual=help.manual,
        palette=help.open_palette,
        shortcuts=help.shortcuts,
        about=help.about,
    )


def _edit_run(window: MainWindow, name: str, value: object, title: str) -> None:
    if window.model.document is not None:
        run = window.model.draft["run"]
        if value is None and run[name] is not None:
            run[f"last_{name}"] = run[name]
        window.model.edit(("run", name), value, title)

"""Paint that is kept in the project: offered where a run keeps it, one edit of parameters and mesh, and refusals."""

from dataclasses import replace

import pytest

from engines.api.errors import ProblemError
from engines.api.tools import ToolResult
from tests.ui.wave import Wave
from ui.session.paint.kept_paint import NOTHING


@pytest.fixture
def painted(monkeypatch, tmp_path, request, services, window, qtbot):
    """The window with a run that keeps paint."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(Wave, "keeps", "Keep the paint", raising=False)
    return request.getfixturevalue("opened")


def kept(simulation, problem):
    tissue = problem.parameters.tissue.model_copy(update={"sigma_il": 0.3})
    parameters, mesh = problem.parameters.model_copy(update={"tissue": tissue}), problem.geometry
    regions, names = mesh.regions.copy(), {**mesh.region_names, 77: "Paint"}
    regions[0] = 77
    mesh = replace(mesh, regions=regions, region_names=names)
    return ToolResult("1 cell was kept.", parameters=parameters, geometry=mesh)


def keep(window, qtbot):
    button = window.view_panel.brush.keep_button
    button.click()
    assert not button.isEnabled(), "one at a time"
    qtbot.waitUntil(button.isEnabled, timeout=5000)


def test_it_is_one_edit_of_parameters_and_mesh(painted, qtbot, monkeypatch):
    monkeypatch.setattr(Wave, "kept", kept, raising=False)
    document = painted.model.document
    before, button = document.loaded, painted.view_panel.brush.keep_button
    assert button.text() == "Keep the paint"
    assert not button.isHidden()
    painted.model.edit(("parameters", "tissue", "sigma_el"), 0.7)
    keep(painted, qtbot)
    assert "Paint" in document.loaded.region_names.values()
    assert (document.parameters.tissue.sigma_il, document.parameters.tissue.sigma_el) == (0.3, 0.7)
    assert painted.model.undo_stack.undoText() == "'Keep the paint'"
    painted.model.undo_stack.undo()
    assert document.loaded is before
    assert document.parameters.tissue.sigma_il == 0.17


def test_without_paint_it_says_so_and_a_refusal_is_a_sentence(painted, qtbot, monkeypatch):
    keep(painted, qtbot)
    assert painted.banner.label.text() == NOTHING
    assert not painted.model.undo_stack.canUndo()

    def refused(simulation, problem):
        raise ProblemError("Not on this mesh: open another.")

    monkeypatch.setattr(Wave, "kept", refused, raising=False)
    keep(painted, qtbot)
    assert painted.banner.label.text() == "Not on this mesh: open another."


def test_runs_that_keep_nothing_do_not_offer_it(opened):
    assert opened.view_panel.brush.keep_button.isHidden()

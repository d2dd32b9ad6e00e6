"""The form of another problem of the same engine: what was chosen before is none of its business."""

from PySide6.QtWidgets import QWidget

from engines.stencil.engine import StencilEngine
from engines.stencil.parameters.equations import OwnEquations
from ui.panels.problem import ProblemPanel
from ui.session.model import DocumentModel
from ui.session.placing import Placing
from workbench.project.document import new_document


def test_a_kind_begins_with_its_first_values_and_not_with_those_of_the_problem_before(qtbot):
    model = DocumentModel()
    panel = ProblemPanel(model, Placing(model), QWidget())
    qtbot.addWidget(panel)
    model.open(new_document(StencilEngine()))
    model.edit(("parameters", "equation"), OwnEquations(lines=["du/dt = 7*laplacian(u)"]).model_dump())
    model.open(new_document(StencilEngine()))
    panel.form.editor_at(("equation",)).kind.edited.emit((), "own equations")
    assert model.document.parameters.equation.lines == OwnEquations().lines

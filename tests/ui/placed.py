"""A Maxwell problem whose objects, sources and layers are placed, and the list of them."""

from __future__ import annotations

from types import SimpleNamespace

from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import Box, FdtdParameters, GridSetting, PointSource, Sphere
from ui.panels.object_tree import ObjectTree
from ui.session.model import DocumentModel
from ui.session.placing import Placing
from workbench.project.document import Document
from workbench.project.project import Project

GRID = GridSetting(cells_x=40, cells_y=40, cells_z=40, size_x=4.0, size_y=4.0, size_z=4.0)
BALL, BOX = Sphere(center=(2.0, 1.5, 2.0), radius=0.5), Box(low=(2.0, 2.0, 2.0), high=(3.0, 3.0, 3.0))


def document(**fields) -> Document:
    values = {"objects": [BALL, BOX], "sources": [PointSource(place=(2.0, 2.0, 2.0))], **fields}
    return Document(Project(engine="fdtd"), FdtdEngine(), FdtdParameters(grid=GRID, **values))


def rows(tree, group) -> list[str]:
    return [group_row(tree, group).child(k).text(0) for k in range(group_row(tree, group).childCount())]


def group_row(tree, title):
    tops = [tree.tree.topLevelItem(k) for k in range(tree.tree.topLevelItemCount())]
    return next(row for row in tops if row.text(0) == title)


def placing_of(opened, qtbot) -> SimpleNamespace:
    """A problem that is open, what is placed of it, and the tree that lists that."""
    model = DocumentModel()
    placing = Placing(model)
    tree = ObjectTree(placing)
    qtbot.addWidget(tree)
    refused, revealed = [], []
    placing.refused.connect(refused.append)
    placing.revealed.connect(revealed.append)
    model.open(opened)
    return SimpleNamespace(model=model, placing=placing, tree=tree, refused=refused, revealed=revealed)

"""What a rank has of a heart, and how parts make the whole."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Part, Share
from engines.cardiac.multirate.groups import GROUP, PER_GROUP
from engines.cardiac.parameters import VERTEX_CENTRED, CardiacParameters
from engines.cardiac.ranks.cut import OwnRows
from engines.cardiac.step.simulation import CardiacSimulation
from engines.cardiac.tissue.operator import TissueOperator, VertexTissueOperator
from engines.cardiac.watch.conduction import between


def check_ranks(parameters: CardiacParameters) -> None:
    """Raises ProblemError for what runs on one rank."""
    if parameters.numerics.discretisation == VERTEX_CENTRED and parameters.recording.phase:
        raise ProblemError(
            "The phase of vertices is found on one rank: do not record it, choose the cell-centred discretisation, or "
            "run it without --ranks.",
            ("recording", "phase"),
        )


def as_part(
    simulation: CardiacSimulation, parameters: CardiacParameters, operator: TissueOperator, own: OwnRows
) -> Part:  # fmt: skip
    """``simulation`` of these rows of ``operator``: its elements are their sites."""
    return Part(
        simulation,
        simulation.geometry,
        operator.order[own.rows],
        _shares(parameters, own),
        dict.fromkeys((info.name for info in simulation.series), "same"),
        asked={"measure": between},
        sites=operator.sites if isinstance(operator, VertexTissueOperator) else None,
    )


def _shares(parameters: CardiacParameters, own: OwnRows) -> Mapping[str, Share]:
    """Of the state's arrays, which rows are told in the order of the whole."""
    recording = parameters.recording
    axes = {"voltage": 0, "cells": 1, "activation": 0}
    axes |= {name: 1 for name, on in (("maps", recording.maps), ("phase", recording.phase)) if on}
    shares = {name: Share(axis, own.whole, own.rows.astype(np.int64)) for name, axis in axes.items()}
    if parameters.numerics.multirate.on:
        groups = Share(0, -(-own.whole // GROUP), own.groups.astype(np.int64))
        shares |= {f"groups_{name}": groups for name in PER_GROUP}
    return shares

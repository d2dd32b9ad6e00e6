"""Which kind of bonds a problem has."""

from __future__ import annotations

from engines.api.device import Backend
from engines.peridynamics.parameters import PeridynamicParameters, PointBody
from engines.peridynamics.setup.base import Setup
from engines.peridynamics.setup.bonds import BondSetup
from engines.peridynamics.setup.cloud import CloudSetup
from engines.peridynamics.setup.state import StateSetup


def setup_of(parameters: PeridynamicParameters, backend: Backend) -> Setup:
    """Raises ProblemError."""
    if isinstance(parameters.body, PointBody):
        return CloudSetup(parameters, backend)
    return (BondSetup if parameters.bonds.theory == "bond-based" else StateSetup)(parameters, backend)

"""The models of the battery engine by the name that they have in the parameters."""

from __future__ import annotations

from collections.abc import Mapping

from engines.battery.cells.model import SingleParticle
from engines.battery.mpm.model import ManyParticleModel
from engines.battery.pack.model import PackHeat
from engines.battery.particles.model import BareParticles
from engines.battery.step.model import Model

MODELS: Mapping[str, Model] = {
    "SPM": SingleParticle(),
    "SPMe": SingleParticle(),
    "particles": BareParticles(),
    "MPM": ManyParticleModel(),
    "pack": PackHeat(),
}

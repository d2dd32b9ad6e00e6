"""The product of a dense weight matrix with spikes in the ways that people write it, for the Kernel Lab."""

from __future__ import annotations

from engines.api.lab import Study


def studies() -> tuple[Study, ...]:
    """All studies of spiking networks; imported when they are asked for."""
    from engines.spiking.variants import matvec

    return matvec.STUDIES

"""All cases of the engine."""

from engines.stencil.verification.modes import MODES
from engines.stencil.verification.patterns import PATTERNS
from engines.stencil.verification.slab import SLAB
from engines.stencil.verification.typed import TYPED

CASES = (*MODES, SLAB, *PATTERNS, *TYPED)

"""What may be done with a cardiac problem besides running it."""

from engines.cardiac.tools.velocity import TuneVelocity
from engines.tools import Tool

TOOLS: tuple[Tool, ...] = (TuneVelocity(),)

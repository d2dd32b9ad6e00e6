"""What may be done with a cardiac problem besides running it."""

from engines.cardiac.tools.fibres_from_file import FibresFromFile
from engines.cardiac.tools.make_fibres import MakeFibres
from engines.cardiac.tools.refine import RefineMesh
from engines.cardiac.tools.restitution import Restitution
from engines.cardiac.tools.velocity import TuneVelocity
from engines.tools import Tool

TOOLS: tuple[Tool, ...] = (TuneVelocity(), Restitution(), MakeFibres(), FibresFromFile(), RefineMesh())

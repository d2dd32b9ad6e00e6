"""A stand-in engine with two small tables: times of a step beside two published devices, and a map of block shapes."""

from engines.api import no_progress
from engines.api.errors import ProblemError
from engines.api.lab import Column, LabTable, PublishedRows
from tests.workbench.fake_engine import WaveEngine

SIZES = (1000.0, 11_688_851.0)


class StepTimes(LabTable):
    """Two sizes and two kernels; one value is missing, one published size is not measured."""

    id = "wave_step"
    title = "Time of a step by kernel (paper, table 5.4)"
    summary = "The wave's two kernels at sizes that were published."
    columns = (
        Column("Kernel", result=False),
        Column("N", digits=2, result=False),
        Column("Time", "ms", digits=3),
        Column("Throughput", "cells/s", digits=4),
        Column("Limit"),
    )
    published = (
        PublishedRows(
            "A paper on waves, table 5.4",
            "Tesla P100",
            (
                ("follow", 1000.0, 0.008, 1.25e8, "launch"),
                ("follow", 11_688_851.0, 7.6, 1.538e9, "memory"),
                ("lead", 14_007_495.0, 10.5, 1.334e9, "memory"),
            ),
        ),
        PublishedRows(
            "A paper on waves, table 5.4", "Tesla V100-SXM3",
            (("follow", 11_688_851.0, 4.2, 2.783e9, "memory"), ("lead", 11_688_851.0, 5.0, None, "memory")),
        ),
    )  # fmt: skip

    def rows(self, speed=1.0):
        """What the device of the tests needs, ``speed`` times as fast."""
        return (
            ("follow", 1000.0, 0.00512 / speed, 1.953125e8 * speed, "launch"),
            ("follow", 11_688_851.0, 2.1 / speed, 5.566e9 * speed, "memory"),
            ("lead", 11_688_851.0, None, None, None),
        )

    def measure(self, backend, progress=no_progress, thorough=False):
        progress("follow", 0.5)
        return self.rows()[: 3 if thorough else 1]


class DiffusionBlocks(LabTable):
    """A map: milliseconds by cluster and block size; the least is at cluster 20, block 128."""

    id = "wave_blocks"
    title = "Time of a step by cluster and block size (paper, figure 4.2)"
    summary = "Which clusters and which blocks of threads the diffusion wants."
    columns = (
        Column("Cluster size", "cells", result=False),
        Column("Block size", "threads", result=False),
        Column("Time", "ms", digits=3),
    )
    heat = ("Cluster size", "Block size", "Time")
    published = (PublishedRows("A paper on waves, figure 4.2", "Tesla P100", ((20.0, 128.0, 4.3), (40.0, 128.0, 4.9))),)

    def rows(self, speed=1.0):
        """2 ms at the best place, more with the distance from it."""
        return tuple(
            (float(cluster), float(block), (2 + abs(cluster - 20) / 50 + abs(block - 128) / 400) / speed)
            for cluster in (10, 20, 40, 80)
            for block in (32, 64, 128, 256, 512, 1024)
        )

    def measure(self, backend, progress=no_progress, thorough=False):
        return self.rows()


class Trouble(LabTable):
    """Cannot be measured; ``error`` is what it raises."""

    id = "wave_trouble"
    title = "What goes wrong"
    summary = "Nothing."
    columns = (Column("N", result=False), Column("Time", "s"))

    def __init__(self, error=None):
        self.error = error or ProblemError("The wave is too small: choose a larger one.")

    def measure(self, backend, progress=no_progress, thorough=False):
        raise self.error


class OnGpu(StepTimes):
    id = "wave_gpu"
    devices = ("cuda",)


STEP_TIMES, DIFFUSION_BLOCKS = StepTimes(), DiffusionBlocks()


class TabledEngine(WaveEngine):
    """The wave with its tables."""

    def tables(self):
        return (STEP_TIMES, DIFFUSION_BLOCKS)

"""The general network on both kinds of device."""

from engines.backend.twins import Twins
from engines.spiking.step.network import Network

NETWORK = Twins[Network](__package__, cpu="cpu:CpuNetwork", cuda="cuda:CudaNetwork")
"""Opened with a :class:`plan.Plan`, the synapses and first values."""

"""The plain network on both kinds of device."""

from engines.backend.twins import Twins
from engines.spiking.step.network import Network

LIF = Twins[Network](__package__, cpu="cpu:CpuLif", cuda="cuda:CudaLif")
"""Opened with the neuron (:class:`model.Lif`), its populations, synapses and first voltages."""

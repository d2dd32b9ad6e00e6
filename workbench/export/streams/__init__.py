"""HDF5 files that grow while a run goes on: every spike, and rows of values of every cell; spikes as NWB."""

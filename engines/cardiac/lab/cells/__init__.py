"""Tables of the cell kernel: schemes, instructions, code paths, throughput."""

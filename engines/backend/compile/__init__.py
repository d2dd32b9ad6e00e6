"""From a ``.cu`` file to a kernel: its text, the variants that it declares, NVRTC, and what is compiled beforehand."""

"""CUDA kernels of diffusion, and the shapes that they are launched in."""

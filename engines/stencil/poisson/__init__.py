"""Iterative solvers for -div(k grad u) = s on uniform grids: Jacobi, red-black SOR and geometric multigrid."""

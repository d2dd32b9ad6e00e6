"""Ordinary state-based peridynamics: the linear solid of Silling et al. (2007), of any Poisson's ratio."""

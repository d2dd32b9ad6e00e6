"""Diffusion on tetrahedra and the benchmark slab of Niederer et al. 2011."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engines.api import Array, Problem, Selection
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.cardiac.diffusion.forward_euler import DIFFUSION
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.lab.diffusion.convergence import cosine_error
from engines.cardiac.lab.meshes import cube
from engines.cardiac.parameters import VERTEX_CENTRED, Box, CardiacParameters, Numerics, Recording, Stimulus
from engines.cardiac.tissue.operator import TissueOperator, tissue_operator
from engines.geometry.meshes.box import box_mesh

THESIS = {15: 0.027, 23: 0.011}
"""Errors of the thesis' table 3.1 on TetGen's cubes of 19,505 and 68,368 cells, by the cubes along an edge of ours."""
SLAB = (20.0, 7.0, 3.0)
SLAB_ANSWERS = {"cell-centred": (0.2, 42.75, 1.5), VERTEX_CENTRED: (0.2, 54.2, 1.0)}
"""Edge [mm], activation of the far corner [ms] and how far from it, by discretisation."""


def diffusion(backend: Backend) -> Sequence[Answer]:
    answers, found = [], []
    for side, expected in THESIS.items():
        mesh = cube(side, 1.0 / side)
        _, error = cosine_error(backend, mesh)
        found.append((mesh.n_cells ** (-1 / 3), error))
        answers.append(Answer(f"relative error on {mesh.n_cells:,} cells", error, expected, 0.25 * expected))
    (coarse, one), (fine, other) = found
    answers.append(Answer("order", math.log(one / other) / math.log(coarse / fine), 2.0, 0.25))
    return answers


def conservation(backend: Backend) -> Sequence[Answer]:
    """What a sharp blob holds after a thousand steps in a jittered anisotropic box, and how far a constant moves."""
    mesh = box_mesh((10, 10, 10), (5.0, 5.0, 5.0), jitter=0.2, fibre=(1.0, 2.0, 3.0))
    operator = tissue_operator(mesh, CardiacParameters())
    volumes = mesh.volumes[operator.order]
    blob = np.where(np.linalg.norm(mesh.centroids[operator.order] - 1.0, axis=1) < 1.0, 1.0, 0.0)
    answers = []
    for name, start in (("integral of a blob", blob), ("a constant", np.full(mesh.n_cells, -85.0))):
        after = _diffused(backend, operator, start, 1000)
        before = float(volumes @ start)
        answers.append(Answer(f"{name}, relative change", float(volumes @ after) / before - 1.0, 0.0, 1e-12))
    return answers


def _diffused(backend: Backend, operator: TissueOperator, start: Array, steps: int) -> Array:
    step = DIFFUSION.open(backend, operator.matrix, 0.9 * operator.stable_step, "float64")
    u, out = backend.array(start), backend.array(start)
    with backend.active():
        for _ in range(steps):
            step.step(u, out)
            u, out = out, u
    backend.synchronize()
    return backend.to_host(u)


def slab(backend: Backend) -> Sequence[Answer]:
    answers = []
    for discretisation, (edge, expected, tolerance) in SLAB_ANSWERS.items():
        counts = tuple(round(length / edge) for length in SLAB)
        parameters = CardiacParameters(
            stimuli=[Stimulus(site=Box(upper=(1.5, 1.5, 1.5)), duration=2.0, amplitude=50_000.0)],
            numerics=Numerics.model_validate(
                {"discretisation": discretisation, "step": 0.02, "initial_state": "published"}
            ),
            recording=Recording(maps=False, ecg="off"),
        )
        mesh = box_mesh(counts, SLAB)
        limit = CardiacEngine().estimate(Problem(parameters, mesh), backend).stable_step or 0.02
        if limit < parameters.numerics.step:
            step = 0.01 if limit >= 0.01 else 0.005
            numerics = parameters.numerics.model_copy(update={"step": step})
            parameters = parameters.model_copy(update={"numerics": numerics})
        run = CardiacEngine().build(Problem(parameters, mesh), backend)
        point = np.array([np.linalg.norm(mesh.points - SLAB, axis=1).argmin()], np.int32)
        corner = run.select(Selection(mesh.nearest(np.array([SLAB])).astype(np.int32), points=point))
        while run.time < expected + 10.0:
            run.advance(round(1.0 / run.dt))
            time = float(run.gather("activation", corner)[0])
            if time >= 0:
                break
        answers.append(Answer(f"last corner, {discretisation}, dx {edge:g} mm", time, expected, tolerance, "ms"))
        run.close()
    return answers


CASES = (
    VerificationCase(
        "diffusion-order",
        "Diffusion of a cosine on unit cubes of tetrahedra",
        "The thesis' equations 3.10 and 3.11 and its table 3.1, on TetGen's meshes of about as many cells; the scheme "
        "is of second order.",
        15.0,
        diffusion,
    ),
    VerificationCase(
        "diffusion-conservation",
        "What diffusion neither makes nor loses",
        "Zero flux through the surface: the integral stays, and a constant does. Round-off of a thousand steps.",
        2.0,
        conservation,
    ),
    VerificationCase(
        "niederer-slab",
        "The benchmark slab of Niederer et al. 2011 at 0.2 mm",
        "Cells: the converged activation of the last corner, 42.5 to 43 ms (doi 10.1098/rsta.2010.0139), which coarse "
        "cells reach early by 1 ms at most. Vertices with lumped mass are slow at 0.2 mm, as is known of the scheme: "
        "54.2 ms by second-order finite differences on the same nodes, written independently.",
        120.0,
        slab,
    ),
)

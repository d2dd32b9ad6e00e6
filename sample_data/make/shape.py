"""The solid of the idealised biventricular heart: truncated ellipsoids, joined by a smooth groove, meshed with gmsh.

The left ventricle is a thick truncated ellipsoid; the right ventricle is the part of a second, thinner one that lies
outside the left. gmsh meshes the sharp-edged union; before the interior is filled, the surface nodes move onto a
blended implicit surface, so that the interventricular groove and the corners of the right cavity are rounded as in
a real heart. All lengths in mm; the valve plane is z = 0 and the apex points to −z.
"""

from __future__ import annotations

from dataclasses import dataclass

import gmsh
import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid, leaning by ``tilt`` [rad] about the y axis (the top towards +x)."""

    centre: tuple[float, float, float]
    radii: tuple[float, float, float]
    tilt: float = 0.0

    def local(self, points: Points) -> Points:
        """Coordinates along the ellipsoid's own axes, from its centre [mm]."""
        x, y, z = (points - np.array(self.centre)).T
        c, s = np.cos(self.tilt), np.sin(self.tilt)
        return np.stack([c * x - s * z, y, s * x + c * z], axis=1)

    def level(self, points: Points) -> Points:
        """First-order signed distance [mm] (negative inside): F(F−1)/|∇½F²| with F = |(x−c)/r|."""
        offset = self.local(points) / np.array(self.radii)
        radius = np.linalg.norm(offset, axis=1)
        gradient = np.linalg.norm(offset / np.array(self.radii), axis=1)
        return radius * (radius - 1.0) / np.maximum(gradient, 1e-12)

    def project(self, points: Points) -> Points:
        """Points pushed radially (in the ellipsoid's own metric) onto its surface."""
        radius = np.linalg.norm(self.local(points) / np.array(self.radii), axis=1)
        return np.array(self.centre) + (points - np.array(self.centre)) / radius[:, None]

    def add(self) -> int:
        tag = gmsh.model.occ.addSphere(0, 0, 0, 1)
        gmsh.model.occ.dilate([(3, tag)], 0, 0, 0, *self.radii)
        gmsh.model.occ.rotate([(3, tag)], 0, 0, 0, 0, 1, 0, self.tilt)
        gmsh.model.occ.translate([(3, tag)], *self.centre)
        return int(tag)


# Rabbit-sized: 29.5 mm from valve plane to apex, left wall 5 mm (4.5 at the apex), right wall 2.4 mm.
LV_OUTER = Ellipsoid((0.0, 0.0, -7.5), (10.6, 10.6, 22.0))
LV_INNER = Ellipsoid((0.0, 0.0, -7.5), (5.6, 5.6, 17.5))
RV_OUTER = Ellipsoid((7.4, 0.0, -6.0), (10.4, 10.2, 19.2), tilt=0.26)
RV_INNER = Ellipsoid((7.4, 0.0, -6.0), (8.0, 7.8, 16.8), tilt=0.26)
GROOVE = 2.5  # blending width of the interventricular groove
CORNER = 1.2  # blending width of the right cavity's corners


def smooth_minimum(a: Points, b: Points, width: float) -> Points:
    """Polynomial smooth minimum: equals min(a, b) where |a − b| > width, once differentiable everywhere."""
    overlap = np.maximum(width - np.abs(a - b), 0.0) / width
    return np.minimum(a, b) - 0.25 * width * overlap**2


def epicardium(points: Points) -> Points:
    return smooth_minimum(LV_OUTER.level(points), RV_OUTER.level(points), GROOVE)


def left_cavity(points: Points) -> Points:
    return LV_INNER.level(points)


def right_cavity(points: Points) -> Points:
    return -smooth_minimum(-RV_INNER.level(points), LV_OUTER.level(points), CORNER)


SURFACES = {"epi": epicardium, "lv": left_cavity, "rv": right_cavity}


def pull(points: Points, level, flat: npt.NDArray[np.bool_], steps: int = 12) -> Points:
    """Newton steps along the gradient onto ``level = 0``; ``flat`` nodes stay in the valve plane."""
    points = points.copy()
    h = 1e-4
    for _ in range(steps):
        value = level(points)
        gradient = np.stack([(level(points + h * e) - level(points - h * e)) / (2 * h) for e in np.eye(3)], axis=1)
        gradient[flat, 2] = 0.0
        step = value / np.maximum(np.einsum("ij,ij->i", gradient, gradient), 0.05)
        points -= np.clip(step, -0.4, 0.4)[:, None] * gradient
    return points


def build_solid() -> None:
    """The sharp-edged solid in the current gmsh model."""
    occ = gmsh.model.occ
    lv_outer, rv_outer = LV_OUTER.add(), RV_OUTER.add()
    muscle, _ = occ.fuse([(3, lv_outer)], [(3, rv_outer)])
    right, _ = occ.cut([(3, RV_INNER.add())], [(3, LV_OUTER.add())])
    muscle, _ = occ.cut(muscle, [*right, (3, LV_INNER.add())])
    above = occ.addBox(-60, -60, 0, 120, 120, 60)
    occ.cut(muscle, [(3, above)])
    occ.synchronize()


def classify(points: Points) -> str:
    """Name of the surface that a patch of (sharp) nodes lies on: ``base``, ``epi``, ``lv`` or ``rv``."""
    if np.abs(points[:, 2]).max() < 1e-6:
        return "base"
    sharp = {
        "epi": np.minimum(LV_OUTER.level(points), RV_OUTER.level(points)),
        "lv": LV_INNER.level(points),
        "rv": np.maximum(RV_INNER.level(points), -LV_OUTER.level(points)),
    }
    return min(sharp, key=lambda name: float(np.abs(sharp[name]).mean()))


def round_off() -> dict[str, set[int]]:
    """Move the surface nodes onto the blended surfaces; node tags of each named surface (closure included)."""
    members: dict[str, set[int]] = {"base": set(), "epi": set(), "lv": set(), "rv": set()}
    for dim, tag in gmsh.model.getEntities(2):
        nodes, xyz, _ = gmsh.model.mesh.getNodes(dim, tag, includeBoundary=True)
        members[classify(xyz.reshape(-1, 3))].update(int(n) for n in nodes)
    tags, xyz, _ = gmsh.model.mesh.getNodes()
    where = {int(t): k for k, t in enumerate(tags)}
    points = xyz.reshape(-1, 3).copy()
    faces = np.concatenate(
        [gmsh.model.mesh.getElementsByType(2, tag)[1] for _, tag in gmsh.model.getEntities(2)]
    ).reshape(-1, 3)
    faces = np.vectorize(where.__getitem__)(faces)
    flat = np.zeros(len(points), bool)
    flat[[where[n] for n in members["base"]]] = True
    wall = np.zeros(len(points), bool)
    for name in SURFACES:
        wall[[where[n] for n in members[name]]] = True
    edges = np.unique(np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0)
    rim = flat & wall
    keep = ~rim[edges[:, 0]] | ~rim[edges[:, 1]]  # the rim itself relaxes only along itself
    rim_edges = edges[rim[edges[:, 0]] & rim[edges[:, 1]]]
    for sweep in range(30):
        total, count = np.zeros_like(points), np.zeros(len(points))
        for use, targets in ((edges[keep], ~rim), (rim_edges, rim)):
            for a, b in ((0, 1), (1, 0)):
                hit = targets[use[:, a]]
                np.add.at(total, use[hit, a], points[use[hit, b]])
                np.add.at(count, use[hit, a], 1.0)
        if sweep:  # the first pass only pulls
            move = count > 0
            points[move] += 0.4 * (total[move] / count[move, None] - points[move])
        points[flat, 2] = 0.0
        for name, level in SURFACES.items():
            index = np.array([where[n] for n in members[name]])
            points[index] = pull(points[index], level, flat[index])
    for dim, tag in [e for d in (0, 1, 2) for e in gmsh.model.getEntities(d)]:
        for node in gmsh.model.mesh.getNodes(dim, tag)[0]:
            gmsh.model.mesh.setNode(node, points[where[int(node)]], [])
    return members


def tetrahedra(size: float) -> tuple[Points, npt.NDArray[np.int64], dict[str, npt.NDArray[np.int64]]]:
    """Points [mm], cells (0-based) and the nodes of ``base``, ``epi``, ``lv`` and ``rv``, at edge length ``size``."""
    gmsh.initialize()
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setNumber("General.NumThreads", 1)
        gmsh.option.setNumber("Mesh.MeshSizeMin", size)
        gmsh.option.setNumber("Mesh.MeshSizeMax", size)
        gmsh.option.setNumber("Mesh.Algorithm", 6)
        gmsh.option.setNumber("Mesh.OptimizeNetgen", 1)
        gmsh.option.setNumber("Mesh.OptimizeThreshold", 0.45)
        build_solid()
        gmsh.model.mesh.generate(2)
        members = round_off()
        gmsh.model.mesh.generate(3)
        gmsh.model.mesh.optimize("Netgen")
        gmsh.model.mesh.optimize("Relocate3D", niter=3)
        tags, xyz, _ = gmsh.model.mesh.getNodes()
        cells = gmsh.model.mesh.getElementsByType(4)[1].astype(np.int64).reshape(-1, 4)
    finally:
        gmsh.finalize()
    number = np.full(int(tags.max()) + 1, -1, np.int64)
    used = np.unique(cells)
    order = {int(t): k for k, t in enumerate(tags)}
    points = xyz.reshape(-1, 3)[[order[int(t)] for t in used]]
    number[used] = np.arange(len(used))
    names = {name: np.array(sorted(number[t] for t in nodes if number[t] >= 0)) for name, nodes in members.items()}
    return points, number[cells], names

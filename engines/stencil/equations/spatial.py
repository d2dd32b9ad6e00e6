"""Derivatives in space within formulas, and what becomes of them on a grid: differences between cells and their
neighbours.

Of second order, from the cell and those that touch it. A formula in a derivative is worked out in each of these cells;
``div`` of a flux is the difference of what goes through opposite faces, so that what leaves one cell enters the next:
in a face there is the difference of both cells for ``grad``, and the mean of both for all that it is multiplied by.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations

from engines.formulas import rules
from engines.formulas.graph import Node, const, make, ordered, symbol
from engines.formulas.parse import Function

AXES = ("x", "y", "z")
Offset = tuple[int, int, int]
"""Of a neighbour: cells along x, y and z."""
HERE: Offset = (0, 0, 0)
INDICES = ("@column", "@row", "@layer")
"""Symbols of the cell's number along each axis."""
SPACINGS = ("@dx", "@dy", "@dz")
"""Symbols of the size of a cell along each axis."""
FIRST = {f"d{axis}": (number,) for number, axis in enumerate(AXES)}
SECOND = {
    f"d{a}{b}": (AXES.index(a), AXES.index(b)) for a, b in [*combinations(AXES, 2), *zip(AXES, AXES, strict=True)]
}
OF_FLUXES = ("div", "dot")
VECTORS = ("grad", "vector")
OPERATORS = ("laplacian", *FIRST, *SECOND, *OF_FLUXES, *VECTORS, "upwind")
DIVERGENCE = "divergence"
"""The node of ``div``, whose name a division has."""


def _operator(name: str, least: int = 1, more: bool = False) -> Function:
    op = DIVERGENCE if name == "div" else name
    return Function(least, lambda *values: make(op, *values), more=more)


FUNCTIONS: Mapping[str, Function] = {
    **{name: _operator(name) for name in ("laplacian", *FIRST, *SECOND, "grad", "div")},
    "dot": _operator("dot", 2),
    "vector": _operator("vector", 2, more=True),
    "upwind": _operator("upwind", 1, more=True),
}
"""laplacian(u), dx(u) … dyz(u), grad(u), vector(a, b), div(flux), dot(a, b); of a velocity v = (a, b) upwind(v, u) or
upwind(a, b, u), and the flux upwind(v*u)."""
OPS = frozenset((*(each for each in OPERATORS if each != "div"), DIVERGENCE))


class SpatialError(ValueError):
    """A formula whose derivatives make no sense; the message goes on where a line has been named."""


def is_vector(root: Node) -> bool:
    """Raises SpatialError as :func:`vectors_in`."""
    return root in _vectors(root)


def vectors_in(root: Node) -> frozenset[Node]:
    """The nodes that are vectors. Raises SpatialError where one stands in the place of a number, or the other way."""
    found = _vectors(root)
    if root in found:
        raise SpatialError("is a vector, and no number: take 'div' or 'dot' of it")
    return found


def _vectors(root: Node) -> frozenset[Node]:
    found: set[Node] = set()
    for node in ordered([root]):
        inside = [arg in found for arg in node.args]
        name = "div" if node.op == DIVERGENCE else node.op
        if node.op in ("dot", DIVERGENCE):
            if not all(inside):
                what = (
                    "a flux, as in div(D*grad(u))"
                    if node.op == DIVERGENCE
                    else "two vectors, as in dot(grad(u), grad(v))"
                )
                raise SpatialError(f"takes '{name}' of a number: it takes {what}")
        elif node.op in VECTORS:
            found.add(node)
        elif node.op == "upwind":
            if inside == [True]:
                found.add(node)
            elif inside != [True, False] and (any(inside) or len(inside) < 3):
                raise SpatialError("takes 'upwind' of other than upwind(v, u), upwind(a, b, u) or a flux, upwind(v*u)")
        elif node.op in ("add", "sub") and any(inside):
            if not all(inside):
                raise SpatialError("adds a vector and a number")
            found.add(node)
        elif any(inside):
            scaled = (node.op == "mul" and sum(inside) == 1) or (node.op == "div" and inside == [True, False])
            if not scaled and node.op != "neg":
                raise SpatialError("has a vector where a number is wanted: take 'div' or 'dot' of it")
            found.add(node)
        if node.op in VECTORS and any(inside):
            raise SpatialError(f"takes '{name}' of a vector")
    return frozenset(found)


def added_upwind(root: Node) -> bool:
    """Whether ``div(upwind(…))`` is added to a rate: what is carried would come from where it flows to."""
    signs: dict[Node, set[int]] = {root: {1}}
    for node in reversed(ordered([root])):
        for sign in signs.get(node, ()):
            if node.op == DIVERGENCE and sign > 0 and any(each.op == "upwind" for each in ordered(node.args)):
                return True
            for place, arg in enumerate(node.args if node.op in ("add", "sub", "neg", "mul", "div", "select") else ()):
                turned = node.op == "neg" or (node.op == "sub" and place == 1)
                if node.op == "mul" and node.args[1 - place].op == "const":
                    turned = node.args[1 - place].number < 0
                signs.setdefault(arg, set()).add(-sign if turned else sign)
    return False


def differentiated(root: Node) -> list[tuple[str, Node]]:
    """(operator, argument) of all that derivatives in space are taken of, and the factors within a flux."""
    vectors = vectors_in(root)
    found: list[tuple[str, Node]] = []
    for node in ordered([root]):
        if node.op == DIVERGENCE:
            for inner in ordered(node.args):
                if inner in vectors:
                    found += [("div", arg) for arg in inner.args if arg not in vectors]
        elif node.op in OPS and node.op not in VECTORS and node not in vectors:
            found += [(node.op, arg) for arg in node.args if arg not in vectors]
            for inner in ordered([arg for arg in node.args if arg in vectors]):
                if inner.op == "grad":
                    found.append(("grad", inner.args[0]))
    return found


_RULES: Mapping[str, Callable[..., Node]] = {
    "add": rules.add, "sub": rules.subtract, "mul": rules.multiply, "neg": rules.negate,
}  # fmt: skip


def combined(op: str, *args: Node) -> Node:
    """A node; constants are worked out, and nothing else is changed in what it says."""
    if op == "pow":
        return powered(*args)
    rule = _RULES.get(op)
    return rule(*args) if rule is not None else make(op, *args)


def powered(base: Node, exponent: Node) -> Node:
    """Whole powers are products, halves have a root; others are left as they are."""
    twice = 2.0 * exponent.number if exponent.op == "const" else 0.5
    if abs(twice) > 2 * rules.LARGEST_POWER or twice != round(twice):
        return make("pow", base, exponent)
    whole, half = divmod(int(abs(twice)), 2)
    product: Node | None = make("sqrt", base) if half else None
    square = base
    while whole:
        if whole % 2:
            product = square if product is None else rules.multiply(product, square)
        whole //= 2
        square = rules.multiply(square, square) if whole else square
    if product is None:
        return const(1.0)
    return product if twice > 0 else make("div", const(1.0), product)


def neighbour(name: str, offset: Offset) -> Node:
    """The symbol of a field's value there."""
    return symbol(f"{name}@{offset[0]},{offset[1]},{offset[2]}")


def cell_of(name: str) -> tuple[str, Offset] | None:
    """(field, offset) of a symbol's name; None for other symbols."""
    field, at, offset = name.partition("@")
    if not field or not at or (not offset[:1].lstrip("-").isdigit() and offset[:1] != "-"):
        return None
    x, y, z = map(int, offset.split(","))
    return field, (x, y, z)


class Stencil:
    """Formulas with derivatives as formulas of neighbours, on a grid of ``dimensions``; ``equal``: cells are squares or
    cubes. ``fields``: the names whose values are stored for each cell; ``wraps``: the axes that are periodic, beyond
    whose sides is the opposite cell, at its own place."""

    def __init__(
        self, fields: Collection[str], dimensions: int, equal: bool, wraps: Sequence[bool] = (False, False, False)
    ) -> None:
        self._fields, self.dimensions, self._equal, self._wraps = frozenset(fields), dimensions, equal, wraps
        self._shifted: dict[Offset, dict[Node, Node]] = {}
        self._here: frozenset[Node] = frozenset()

    # --- formulas without derivatives, elsewhere ---------------------------------------------------------------------

    def at(self, root: Node, offset: Offset = HERE) -> Node:
        """The formula, which has no derivatives in it, in the neighbour there."""
        made = self._shifted.setdefault(offset, {})
        for node in ordered([root]):
            if node in made:
                continue
            if node.op == "symbol":
                made[node] = self._symbol(str(node.value), node, offset)
            else:
                made[node] = combined(node.op, *(made[arg] for arg in node.args)) if node.args else node
        return made[root]

    def _symbol(self, name: str, node: Node, offset: Offset) -> Node:
        if name in self._fields:
            return neighbour(name, offset)
        if name in AXES:
            axis = AXES.index(name)
            cell, by = symbol(INDICES[axis]), offset[axis]
            place = rules.add(cell, const(by + 0.5))
            if by and self._wraps[axis]:
                count = make("div", symbol(f"size_{name}"), symbol(SPACINGS[axis]))
                last = rules.subtract(make("floor", rules.add(count, const(0.5))), const(1.0))
                if by > 0:
                    place = make("select", make("lt", cell, last), place, const(0.5))
                else:
                    place = make("select", make("lt", cell, const(0.5)), rules.add(last, const(0.5)), place)
            return rules.multiply(place, symbol(SPACINGS[axis]))
        return node

    def _moves(self, root: Node) -> bool:
        """Whether a formula differs from cell to cell."""
        return any(
            node.op == "symbol" and (node.value in self._fields or node.value in AXES) for node in ordered([root])
        )

    # --- formulas with derivatives, here -----------------------------------------------------------------------------

    def lowered(self, root: Node) -> Node:
        """The same formula of the cell and its neighbours. Raises SpatialError."""
        vectors = vectors_in(root)
        made: dict[Node, Node] = {}
        for node in ordered([root]):
            if node in vectors:
                continue
            if node.op in OPS:
                made[node] = self._operator(node, vectors, made)
            elif node.op == "symbol":
                made[node] = self._symbol(str(node.value), node, HERE)
            else:
                made[node] = combined(node.op, *(made[arg] for arg in node.args)) if node.args else node
        return made[root]

    def _operator(self, node: Node, vectors: frozenset[Node], made: Mapping[Node, Node]) -> Node:
        op, args = node.op, node.args
        if op == "laplacian":
            return self._laplacian(args[0])
        if op in FIRST:
            return self._first(args[0], self._axis(op, FIRST[op][0]))
        if op in SECOND:
            a, b = (self._axis(op, axis) for axis in SECOND[op])
            return self._second(args[0], a) if a == b else self._mixed(args[0], a, b)
        if op == "upwind":
            if args[0] in vectors:
                velocity = [self._component(args[0], axis, vectors, made) for axis in range(self.dimensions)]
            else:
                velocity = [made[part] for part in self._of_all_axes(op, args[:-1])]
            return self._upwind(velocity, args[-1])
        if op == "dot":
            parts = [[self._component(arg, axis, vectors, made) for axis in range(self.dimensions)] for arg in args]
            return _sum([rules.multiply(a, b) for a, b in zip(*parts, strict=True)])
        return _sum([self._divergence(args[0], axis, vectors) for axis in range(self.dimensions)])

    def _axis(self, op: str, axis: int) -> int:
        if axis >= self.dimensions:
            raise SpatialError(f"takes '{op}', and a grid of two dimensions has no z")
        return axis

    def _of_all_axes(self, op: str, parts: Sequence[Node]) -> Sequence[Node]:
        if len(parts) != self.dimensions:
            raise SpatialError(
                f"gives '{op}' a vector of {len(parts)} parts: this grid has {self.dimensions} dimensions"
            )
        return parts

    def _laplacian(self, root: Node) -> Node:
        if not self._equal:
            return _sum([self._second(root, axis) for axis in range(self.dimensions)])
        pairs = [self._pair(root, axis) for axis in range(self.dimensions)]
        here = rules.multiply(const(2.0 * self.dimensions), self.at(root))
        return rules.multiply(_squared(0), rules.subtract(_sum(pairs), here))

    def _pair(self, root: Node, axis: int) -> Node:
        return rules.add(self.at(root, step(axis, -1)), self.at(root, step(axis, 1)))

    def _second(self, root: Node, axis: int) -> Node:
        here = rules.multiply(const(2.0), self.at(root))
        return rules.multiply(_squared(axis), rules.subtract(self._pair(root, axis), here))

    def _first(self, root: Node, axis: int) -> Node:
        difference = rules.subtract(self.at(root, step(axis, 1)), self.at(root, step(axis, -1)))
        return rules.multiply(rules.multiply(const(0.5), _inverse(axis)), difference)

    def _mixed(self, root: Node, a: int, b: int) -> Node:
        corners = []
        for i, j in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            (ax, ay, az), (bx, by, bz) = step(a, i), step(b, j)
            corners.append(self.at(root, (ax + bx, ay + by, az + bz)))
        difference = rules.subtract(rules.subtract(corners[0], corners[1]), rules.subtract(corners[2], corners[3]))
        scale = rules.multiply(const(0.25), rules.multiply(_inverse(a), _inverse(b)))
        return rules.multiply(scale, difference)

    def _upwind(self, velocity: Sequence[Node], root: Node) -> Node:
        """v·∇u with differences towards where the flow comes from, of first order."""
        here, zero, parts = self.at(root), const(0.0), []
        for axis, speed in enumerate(velocity):
            behind = rules.multiply(make("max", speed, zero), rules.subtract(here, self.at(root, step(axis, -1))))
            ahead = rules.multiply(make("min", speed, zero), rules.subtract(self.at(root, step(axis, 1)), here))
            parts.append(rules.multiply(_inverse(axis), rules.add(behind, ahead)))
        return _sum(parts)

    def _component(self, root: Node, axis: int, vectors: frozenset[Node], made: Mapping[Node, Node]) -> Node:
        """Of a vector in the cell itself, where what has derivatives is ``made``."""
        return self._carried(root, vectors, made.__getitem__, lambda inner: self._first(inner, axis), axis)

    def _divergence(self, root: Node, axis: int, vectors: frozenset[Node]) -> Node:
        plain = not any(node.op == "vector" for node in ordered([root]) if node in vectors)
        sides = []
        for low, high in ((HERE, step(axis, 1)), (step(axis, -1), HERE)):
            ends = low, high

            def difference(inner: Node, low: Offset = low, high: Offset = high) -> Node:
                found = rules.subtract(self.at(inner, high), self.at(inner, low))
                return found if plain else rules.multiply(_inverse(axis), found)

            def mean(inner: Node, low: Offset = low, high: Offset = high) -> Node:
                if not self._moves(inner):
                    return self.at(inner)
                return rules.multiply(const(0.5), rules.add(self.at(inner, low), self.at(inner, high)))

            sides.append(self._carried(root, vectors, mean, difference, axis, ends))
        return rules.multiply(_squared(axis) if plain else _inverse(axis), rules.subtract(*sides))

    def _carried(
        self, root: Node, vectors: frozenset[Node], of_number: Callable[[Node], Node], of_gradient: Callable[[Node],
        Node], axis: int, ends: tuple[Offset, Offset] | None = None,
    ) -> Node:  # fmt: skip
        """A component of a vector, from its factors and gradients; in the face between ``ends``, if these are given."""
        made: dict[Node, Node] = {}
        for node in ordered([root]):
            if node not in vectors:
                continue
            if node.op == "grad":
                made[node] = of_gradient(node.args[0])
            elif node.op == "vector":
                made[node] = of_number(self._of_all_axes("vector", node.args)[axis])
            elif node.op == "upwind":
                if ends is None:
                    raise SpatialError("takes 'upwind' of a flux outside of 'div': write upwind(v, u) for v·grad(u)")
                made[node] = self._upstream(node.args[0], vectors, made, ends)
            else:
                made[node] = combined(node.op, *(made[arg] if arg in vectors else of_number(arg) for arg in node.args))
        return made[root]

    def _upstream(
        self, flux: Node, vectors: frozenset[Node], made: Mapping[Node, Node], ends: tuple[Offset, Offset]
    ) -> Node:
        """A flux through the face between ``ends``: what differs from cell to cell among its factors is that of the
        cell that the rest of it, the velocity, comes from."""
        carried, velocity = const(1.0), const(1.0)
        while flux.op in ("mul", "div", "neg"):
            if flux.op == "neg":
                velocity, flux = rules.negate(velocity), flux.args[0]
                continue
            number, inner = flux.args if flux.args[1] in vectors else flux.args[::-1]
            if self._moves(number):
                carried = combined(flux.op, carried, number)
            else:
                velocity = combined(flux.op, velocity, number)
            flux = inner
        if flux.op not in VECTORS:
            raise SpatialError("takes 'upwind' of a sum: take it of each part")
        velocity, zero = rules.multiply(self.at(velocity), made[flux]), const(0.0)
        forth, back = (
            rules.multiply(make(op, velocity, zero), self.at(carried, end))
            for op, end in zip(("max", "min"), ends, strict=True)
        )
        return rules.add(forth, back)


def step(axis: int, by: int) -> Offset:
    """The neighbour along an axis."""
    return (by if axis == 0 else 0, by if axis == 1 else 0, by if axis == 2 else 0)


def _sum(parts: Sequence[Node]) -> Node:
    total = parts[0]
    for part in parts[1:]:
        total = rules.add(total, part)
    return total


def _inverse(axis: int) -> Node:
    return make("div", const(1.0), symbol(SPACINGS[axis]))


def _squared(axis: int) -> Node:
    """1/h²."""
    return make("div", const(1.0), make("mul", symbol(SPACINGS[axis]), symbol(SPACINGS[axis])))

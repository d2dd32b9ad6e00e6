"""Regions of an openCARP file on a mesh: conductivities (gregion) and cells (imp_region) by tags of elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engines.cardiac.carp.lines import Parameters
from engines.cardiac.cells.kinds import CHANGEABLE
from engines.cardiac.cells.tt06 import PARAMETERS
from engines.cardiac.compiler.model import shipped
from engines.cardiac.parameters import CellType, RegionSetting, Tissue
from engines.cardiac.parameters.cells import COMPILED, NON_CONDUCTING, TT06, CellChange, CellModelName

USUAL = {"g_il": 0.174, "g_it": 0.019, "g_el": 0.625, "g_et": 0.236}
"""openCARP's own [S/m]; across sheets as across fibres."""
USUAL_RATIO = 0.14
"""Membrane area per volume of tissue [1/µm]."""
MODELS: dict[str, CellModelName] = {
    "tentusscherpanfilov": TT06,
    "tt2": TT06,
    "courtemanche": "Courtemanche 1998",
    "ohara": "O'Hara-Rudy 2011",
    "ohararudy": "O'Hara-Rudy 2011",
    "mitchellschaeffer": "Mitchell-Schaeffer 2003",
    "alievpanfilov": "Aliev-Panfilov 1996",
    "buenoorovio": "Bueno-Orovio 2008",
}
"""Names of ionic models, as :func:`_plain` has them."""
TYPES: dict[str, CellType] = {"epi": "epi", "endo": "endo", "mcell": "M"}
CHANGE = re.compile(r"\s*(\w+)\s*([=*/+-])\s*([-+.\w]+)(%?)\s*")
SAME = 1e-6
"""Relative: conductivities that differ by less are the same, written with fewer digits."""


@dataclass(frozen=True)
class Conduction:
    """``inner``, ``outer``: intracellular and extracellular conductivity along and across fibres [S/m]; ``ratio``:
    membrane area per volume [1/mm]."""

    inner: tuple[float, float]
    outer: tuple[float, float]
    ratio: float

    def spreads(self, axis: int) -> float:
        """What voltage spreads by, up to the membrane's capacitance: conductivity by membrane [S]."""
        total = self.inner[axis] + self.outer[axis]
        return self.inner[axis] * self.outer[axis] / total / self.ratio if total > 0 else 0.0


@dataclass(frozen=True)
class Cells:
    """What the cells of an imp_region are; ``model`` is None where there is none like it here."""

    model: CellModelName | None
    cell_type: CellType
    changes: tuple[CellChange, ...]


@dataclass(frozen=True)
class Regions:
    """On a mesh: the bulk tissue, the cell model, and what is set of each region by name."""

    tissue: Tissue
    model: CellModelName
    settings: tuple[RegionSetting, ...]


def regions_of(file: Parameters, names: Mapping[int, str], told: list[str]) -> Regions:
    """``names``: of the mesh's regions by tag; what does not map is added to ``told``."""
    tissue = _by_tag(file, "gregion", "num_gregions", names)
    membranes = _by_tag(file, "imp_region", "num_imp_regions", names)
    bath = _bath(file, names)
    kinds = {number: _cells(file, number, told) for number in dict.fromkeys(membranes.values())}
    conduction = {tag: _conduction(file, tissue[tag], membranes[tag], told) for tag in names}
    inside = [tag for tag in names if tag not in bath] or list(names)
    first = min(inside, key=lambda tag: (tissue[tag], membranes[tag]))
    base, model = conduction[first], kinds[membranes[first]].model
    settings = []
    for tag, name in names.items():
        if tag in bath:
            told.append(f"{name} is no tissue but a bath: it is left out of the problem")
        cells = kinds[membranes[tag]]
        if cells.model != model:
            told.append(f"the cells of {name} are of another ionic model than those of {names[first]}: one serves all")
        scale = None if tag in bath else _scale(conduction[tag], base, name, told)
        settings.append(
            RegionSetting(region=name, condition=NON_CONDUCTING)
            if scale is None
            else RegionSetting(
                region=name,
                cell_type=cells.cell_type,
                conductivity_scale=scale,
                changes=list(cells.changes) if cells.model == model else [],
            )
        )
    along, across = zip(base.inner, base.outer, strict=True)
    bulk = Tissue(
        sigma_il=along[0], sigma_el=along[1], sigma_it=across[0], sigma_et=across[1], surface_to_volume=base.ratio
    )
    return Regions(bulk, model or TT06, tuple(settings))


def _by_tag(file: Parameters, family: str, counter: str, names: Iterable[int]) -> dict[int, int]:
    """Which of the family's regions each tag belongs to; the first takes those that none names."""
    found = dict.fromkeys(names, 0)
    for number in file.indices(family, counter):
        file.entry(f"{family}[{number}].name")
        found |= {tag: number for tag in file.tags(f"{family}[{number}]") if tag in found}
    return found


def _bath(file: Parameters, names: Iterable[int]) -> set[int]:
    """Tags of elements that are outside of cells alone."""
    inside, outside = set[int](), set[int]()
    for number in file.indices("phys_region", "num_phys_regions"):
        file.entry(f"phys_region[{number}].name")
        kind = file.number(f"phys_region[{number}].ptype")
        if kind in (0, 1):
            (inside if kind == 0 else outside).update(file.tags(f"phys_region[{number}]"))
    return {tag for tag in names if tag in outside and tag not in inside} if inside else set()


def _conduction(file: Parameters, tissue: int, membrane: int, told: list[str]) -> Conduction:
    group, cells = f"gregion[{tissue}]", f"imp_region[{membrane}]"
    il, it, el, et = (file.number(f"{group}.{name}", usual) for name, usual in USUAL.items())
    for sheet, across, value in ((".g_in", "g_it", it), (".g_en", "g_et", et)):
        if abs(file.number(group + sheet, value) - value) > SAME * abs(value):
            told.append(f"{group}{sheet} differs from {across}: tissue conducts alike in all directions across fibres")
    scale = file.number(f"{group}.g_mult", 1.0)
    ratio = 1e3 * file.number(f"{cells}.cellSurfVolRatio", USUAL_RATIO) * file.number(f"{cells}.volFrac", 1.0)
    if file.number("bidm_eqv_mono", 1.0) == 0 and file.number("bidomain") == 0:
        return Conduction((2 * scale * il, 2 * scale * it), (2 * scale * il, 2 * scale * it), ratio)
    return Conduction((scale * il, scale * it), (scale * el, scale * et), ratio)


def _scale(here: Conduction, base: Conduction, name: str, told: list[str]) -> float | None:
    """The factor on the bulk conductivities that makes voltage spread as it does here; None where it does not."""
    along, across = (here.spreads(axis) / base.spreads(axis) if base.spreads(axis) > 0 else 0.0 for axis in (0, 1))
    if along <= 0:
        told.append(f"{name} does not conduct: its cells are left out of the problem")
        return None
    if abs(across / along - 1) > 1e-3:
        told.append(
            f"{name} differs by a factor of {along:.3g} along fibres and {across:.3g} across: the first serves both"
        )
    return 1.0 if abs(along - 1) < SAME else along


def _cells(file: Parameters, number: int, told: list[str]) -> Cells:
    group = f"imp_region[{number}]"
    called = file.text(f"{group}.im")
    model = MODELS.get(_plain(called))
    if model is None:
        what = (
            f"the ionic model '{called[:40]}' of {group} is not among those here" if called else f"{group} names none"
        )
        told.append(f"{what}: cells are {TT06}'s; choose another, or a CellML file under Cells")
    cell_type: CellType = "epi"
    changes: list[CellChange] = []
    for part in filter(None, (part.strip() for part in file.text(f"{group}.im_param").split(","))):
        name, _, flag = part.partition("=")
        if name.strip() == "flags" and model == TT06 and flag.strip().lower() in TYPES:
            cell_type = TYPES[flag.strip().lower()]
            continue
        change = None if model is None else _change(part, model)
        if change is None:
            told.append(f"'{part[:40]}' in im_param of {group} is not read: the cells go without it")
        else:
            changes.append(change)
    return Cells(model, cell_type, tuple(changes))


def _change(text: str, model: CellModelName) -> CellChange | None:
    """``GNa*0.5``, ``GKs/2``, ``g_CaL-55%``, ``K_o=9``; None for what names no parameter of the model."""
    found = CHANGE.fullmatch(text)
    if found is None:
        return None
    called, sign, number, percent = found.groups()
    known = {_plain(each.rpartition(".")[2]): each for each in _parameters(model)}
    try:
        value = float(number)
    except ValueError:
        return None
    if _plain(called) not in known or abs(value) > 1e6 or (percent and sign not in "+-") or (sign == "/" and not value):
        return None
    name = known[_plain(called)]
    if sign == "=":
        return CellChange(parameter=name, by="value", number=value)
    if sign in "+-" and not percent:
        return None
    factors = {"*": value, "/": 1 / value if value else 0.0, "+": 1 + value / 100, "-": 1 - value / 100}
    return CellChange(parameter=name, by="factor", number=factors[sign]) if abs(factors[sign]) <= 1e6 else None


def _parameters(model: CellModelName) -> Iterable[str]:
    if model == TT06:
        return [name for name in CHANGEABLE if name in next(iter(PARAMETERS.values()))]
    return [each.name for each in shipped(COMPILED[model]).parameters]


def _plain(name: str) -> str:
    """Without what spellings differ by: ``g_Na`` is ``GNa``."""
    return re.sub(r"[\W_]", "", name).lower()

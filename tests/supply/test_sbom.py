"""The list of parts: every package that an extra of the product may bring stands in it, with its licence."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution

import locked
import sbom
from packaging.licenses import canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

BILL = sbom.bill_of_materials()
PARTS = {part["name"]: part for part in BILL["components"]}


def reached(requirements: list[str]) -> set[str]:
    """Names of the installed packages that these requirements lead to, by what the packages say of themselves."""
    found: set[str] = set()
    waiting = [Requirement(line) for line in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        try:
            waiting += map(Requirement, distribution(name).requires or [])
        except PackageNotFoundError:
            continue  # an extra that is not installed here
        found.add(name)
    return found


def test_every_package_of_the_product_is_listed():
    asked = locked.project()
    assert {"window", "cuda12", "cuda13", "cellml", "movie", "nwb"} <= set(sbom.extras())
    found = reached([line for extra in ["", *sbom.extras()] for line in asked[extra]])
    assert len(found) > 20
    assert not found - set(PARTS)


def test_every_licence_is_one_and_none_is_left_over():
    for part in PARTS.values():
        expression = part["licenses"][0]["expression"]
        assert canonicalize_license_expression(expression) == expression, part["name"]
    known = sbom.licences()
    assert set(known["packages"]) | set(known["assets"]) == set(PARTS)


def test_licences_are_those_that_the_packages_declare():
    compared = 0
    for name in sbom.licences()["packages"]:
        try:
            declared = distribution(name).metadata.get("License-Expression")
        except PackageNotFoundError:
            continue
        if declared:
            compared += 1
            assert PARTS[name]["licenses"][0]["expression"] == declared, name
    assert compared > 8


def test_references_lead_somewhere():
    references = [BILL["metadata"]["component"]["bom-ref"], *(part["bom-ref"] for part in BILL["components"])]
    assert len(references) == len(set(references))
    edges = {edge["ref"]: edge["dependsOn"] for edge in BILL["dependencies"]}
    assert {target for targets in edges.values() for target in targets} <= set(references)
    product = edges[BILL["metadata"]["component"]["bom-ref"]]
    asked = {locked.canonical(line) for extra in ["", *sbom.extras()] for line in locked.project()[extra]}
    assert {re.sub(r"pkg:pypi/|@.*", "", target) for target in product} == asked
    numba, llvmlite = (PARTS[name]["bom-ref"] for name in ("numba", "llvmlite"))
    assert llvmlite in edges[numba]


def test_fonts_have_their_licences_beside_them():
    fonts = list((locked.ROOT / "assets").rglob("*.otf"))
    assert fonts
    for font in fonts:
        assert (font.parent / f"LICENSE-{font.stem.partition('-')[0]}.txt").is_file()
    for asset in sbom.licences()["assets"].values():
        assert (locked.ROOT / asset["file"]).is_file()


def test_the_command_writes_both_lists(tmp_path):
    done = subprocess.run([sys.executable, "-I", str(locked.ROOT / "packaging" / "sbom.py"), str(tmp_path)])
    assert done.returncode == 0
    assert json.loads((tmp_path / "sbom.cdx.json").read_text("utf-8")) == BILL
    rows = (tmp_path / "licences.md").read_text("utf-8").splitlines()[4:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == list(PARTS)

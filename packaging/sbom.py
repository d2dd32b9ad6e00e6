"""What the product is made of: every package that an extra may bring, with version, licence and what it asks for.

    python packaging/sbom.py [FOLDER]      sbom.cdx.json (CycloneDX 1.6) and licences.md, in out/sbom without FOLDER

Both come of requirements.lock and packaging/licences.toml alone, so that they are the same on every machine and need
nothing installed. The extras that only developers install are left out. The files' SHA-256 stand in the lock.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # python -I leaves it out

from locked import ROOT, Pin, canonical, needed, project

FOR_DEVELOPERS = ("dev", "bundle")


def extras() -> list[str]:
    """The extras that a user may install."""
    return [name for name in project() if name.isalnum() and name not in FOR_DEVELOPERS]


def parts() -> list[Pin]:
    """Every package of the product with all its extras, by name."""
    asked = project()
    return needed(line for group in ["", *extras()] for line in asked[group])


def licences() -> dict[str, Any]:
    """packaging/licences.toml: SPDX expressions of packages by name, and what the repository carries of others."""
    return tomllib.loads((ROOT / "packaging" / "licences.toml").read_text(encoding="utf-8"))


def bill_of_materials() -> dict[str, Any]:
    """A CycloneDX 1.6 document. Raises KeyError for a package whose licence nobody has written down."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known, pins = licences(), {pin.name: pin for pin in parts()}
    asked = project()
    direct = sorted({canonical(line) for group in ["", *extras()] for line in asked[group]})
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component("application", told["name"], told["version"], told["license"])},
        "components": [
            *(_component("library", pin.name, pin.version, known["packages"][pin.name]) for pin in pins.values()),
            *(_component("data", name, asset["version"], asset["licence"]) for name, asset in known["assets"].items()),
        ],
        "dependencies": [
            {"ref": _purl(told["name"], told["version"]), "dependsOn": [_reference(pins[name]) for name in direct]},
            *(
                {
                    "ref": _reference(pin),
                    "dependsOn": [_reference(other) for other in pins.values() if pin.name in other.wanted_by],
                }
                for pin in pins.values()
            ),
        ],
    }


def _component(kind: str, name: str, version: str, licence: str) -> dict[str, Any]:
    """One part; what is no package of Python has no address among these."""
    reference = name if kind == "data" else _purl(name, version)
    address = {} if kind == "data" else {"purl": reference}
    about = {"type": kind, "bom-ref": reference, "name": name, "version": version}
    return {**about, "licenses": [{"expression": licence}], **address}


def _reference(pin: Pin) -> str:
    return _purl(pin.name, pin.version)


def _purl(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def licence_list() -> str:
    """Markdown: a row for each part."""
    rows = [
        f"| {part['name']} | {part['version']} | {part['licenses'][0]['expression']} |"
        for part in bill_of_materials()["components"]
    ]
    head = ["# Licences of what Workbench is made of", "", "| Part | Version | Licence |", "|---|---|---|"]
    return "\n".join([*head, *rows, ""])


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out" / "sbom")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sbom.cdx.json").write_text(json.dumps(bill_of_materials(), indent=2) + "\n", encoding="utf-8")
    (folder / "licences.md").write_text(licence_list(), encoding="utf-8")
    print(f"{folder / 'sbom.cdx.json'} and {folder / 'licences.md'}: {len(bill_of_materials()['components'])} parts")
    return 0


if __name__ == "__main__":
    sys.exit(main())

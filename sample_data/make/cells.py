"""The sample BPX files: published parameter sets of the battery engine, written by its exporter.

python -m sample_data.make.cells
"""

from __future__ import annotations

from pathlib import Path

from engines.battery.bpx import write_bpx
from engines.battery.parameter_sets import PARAMETER_SETS

FOLDER = Path(__file__).parent.parent / "bpx"
FILES = {"lg_m50_chen2020.json": "Chen2020", "kokam_marquis2019.json": "Marquis2019"}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, identifier in FILES.items():
        write_bpx(PARAMETER_SETS[identifier], FOLDER / name)


if __name__ == "__main__":
    main()

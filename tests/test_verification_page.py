"""docs/verification.md holds the figures of the records beside it, and no others."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

from engines.api.registry import engines
from tests.workbench.fake_engine import FakeBackend
from tests.workbench.verify import doubles
from workbench.verify.cases import chosen_cases
from workbench.verify.record import VerificationRecord, from_json, to_json
from workbench.verify.running import run_case

SCRIPT = Path(__file__).parents[1] / "docs" / "make_verification.py"


def test_the_page_is_made_of_the_records():
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"])
    assert done.returncode == 0, "run python docs/make_verification.py"


def test_each_case_has_a_record():
    """Of the processor: what a machine without a GPU can check stands on the page, and it was right there."""
    records = [
        from_json(path.read_text("utf-8"), path.name) for path in (SCRIPT.parent / "verification").glob("*.json")
    ]
    recorded = {
        outcome.name: outcome.right
        for record in records
        if record.device["kind"] == "cpu"
        for outcome in record.outcomes
    }
    cases = {one.name for one in chosen_cases(list(engines().values()))}
    assert cases == set(recorded), "run workbench verify --out DIR and python docs/make_verification.py DIR/verify.json"
    assert all(recorded.values())


def test_a_record_that_is_taken_over_comes_into_the_page(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("make_verification", shutil.copy(SCRIPT, tmp_path))
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "PAGE", tmp_path / "verification.md")
    monkeypatch.setattr(script, "RECORDS", tmp_path / "verification")
    assert script.main(["--check"]) == 1
    assert script.main([]) == 0
    assert "No record has been made yet" in script.PAGE.read_text()
    backend = FakeBackend()
    (chosen,) = chosen_cases([doubles.engine_with(doubles.relaxation)])
    record = VerificationRecord.of(backend, [run_case(chosen, backend)])
    (tmp_path / "verify.json").write_text(to_json(record))
    assert script.main([str(tmp_path / "verify.json")]) == 0
    assert [path.name for path in script.RECORDS.iterdir()] == ["numpy-on-paper-wave.json"]
    assert "| relaxation | Voltage behind the front [mV] | 7.0114" in script.PAGE.read_text()
    assert script.main(["--check"]) == 0

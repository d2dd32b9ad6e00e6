"""Recipes in packaging/: what can be said of them without their builders."""

import re

import locked
import yaml


def test_the_conda_recipe_asks_for_what_the_product_needs():
    text = (locked.ROOT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    first, window = text.split("- name: workbench-sim-window")
    named = {part: set(re.findall(r"^        - ([a-z0-9-]+)(?= |$)", part, re.MULTILINE)) for part in (first, window)}
    asked = locked.project()
    assert {locked.canonical(line) for line in asked[""]} <= named[first]
    brought = {locked.canonical(line) for line in asked["window"]} - {"shiboken6", "pyside6-essentials"}
    assert brought | {"pyside6"} <= named[window]  # conda-forge has Qt for Python as one package


def test_the_workflow_takes_the_steps_of_the_readme():
    workflow = yaml.safe_load((locked.ROOT / "packaging" / "bundles.yml").read_text(encoding="utf-8"))
    steps = " ".join(step.get("run", "") for step in workflow["jobs"]["bundle"]["steps"])
    lines = (locked.ROOT / "packaging" / "README.md").read_text(encoding="utf-8").splitlines()
    told = [re.sub(r" > \S+", "", line).split()[1:] for line in lines if line.startswith("    python3 packaging/")]
    assert len(told) == 2
    for words in told:
        assert " ".join(words) in steps
    compile((locked.ROOT / "packaging" / "workbench.spec").read_text(encoding="utf-8"), "workbench.spec", "exec")

"""Attacks in Python: what they find of runs, from files and from classes, and what goes wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import overhear
from overhear import process

EXAMPLE = Path(__file__).parents[1] / "examples" / "inversion.py"

SCENARIO: dict[str, Any] = {
    "name": "attacked",
    "problem": {"data": "wdbc", "train": 0.8, "rho": 0.22},
    "network": {"topology": {"kind": "ring", "nodes": 6}, "latency": "20ms"},
    "rounds": {"count": 10},
    "algorithm": {"kind": "admm", "eta": 0.05},
    "adversary": {"knows": {"victim": 2, "all-but": 3}},
}


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_finds_the_sample_that_is_not_known() -> None:
    run = overhear.run(SCENARIO)[0]
    found = overhear.attack(run, by=["kkt-inversion", overhear.attacker(EXAMPLE)])[0]
    assert [f["attack"] for f in found.found["findings"]] == ["kkt-inversion", "python:inversion"]
    assert [f["outcome"] for f in found.found["findings"]] == ["exact", "exact"]
    assert b"same 2 findings" in process.call("verify", str(run.directory)).stdout


def test_a_class_attacks_a_scenario_and_a_method_of_one_s_own() -> None:
    sys.path.insert(0, str(EXAMPLE.parent))
    try:
        from inversion import Inversion  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    assert overhear.attack(SCENARIO, by=Inversion)[0].found["findings"][0]["outcome"] == "exact"
    Path("leaks.py").write_text("class Leaks:\n    def update(self, node, t):\n        node.f = node.rows_signed[3]\n")
    Path("listens.py").write_text("class Listens:\n    def estimate(self, view):\n        return view.value(2, 1)\n")
    leaking = {**SCENARIO, "name": "leaking", "algorithm": overhear.method("leaks.py")}
    finding = overhear.attack(leaking, by=overhear.attacker("listens.py"))[0].found["findings"][0]
    assert finding["outcome"] == "exact" and finding["attack"] == "python:listens"


def test_what_goes_wrong_is_said() -> None:
    Path("wrong.py").write_text("class Wrong:\n    def estimate(self, view):\n        return view.value(0, 99) + 1\n")
    with pytest.raises(overhear.OverhearError, match=r'(?s)TypeError.*wrong.py", line 3, in estimate'):
        overhear.attack(SCENARIO, by=overhear.attacker("wrong.py"))
    with pytest.raises(overhear.ScenarioError, match="no attack") as e:
        overhear.attack(SCENARIO, by="kkt-inversoin")
    assert e.value.mistakes[0].remedy
    with pytest.raises(overhear.OverhearError, match=r"dict has no estimate\(view\) or members\(view\)"):
        overhear.attacker(dict)

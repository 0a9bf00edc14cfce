"""Methods in Python: the engine's bits, what is refuted, and what goes wrong."""

from __future__ import annotations

import linecache
import subprocess
from pathlib import Path
from typing import Any

import pytest

import overhear
from overhear import process
from overhear.method import method

EXAMPLES = Path(__file__).parents[1] / "examples"
DVP = (EXAMPLES / "dvp.py").read_text()

SMALL: dict[str, Any] = {
    "name": "own",
    "problem": {"data": "wdbc", "train": 0.8, "rho": 0.22},
    "network": {"topology": {"kind": "ring", "nodes": 6}, "latency": "20ms"},
    "rounds": {"count": 20},
}

JUDGED: dict[str, Any] = {
    "name": "judged",
    "problem": {"data": {"set": "twonorm", "rows": 15000, "dimension": 2}, "rho": 0.0003, "scale": {"intercept": False}},
    "network": {"topology": {"kind": "complete", "nodes": 3}},
    "rounds": {"count": 1},
    "adversary": {"audit": {"pair": {"a": [-0.96, 0.25], "b": [0.25, -0.96]}}},
}


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dvp.py").write_text(DVP)


@pytest.mark.parametrize("rounds", [{"count": 20}, {"count": 20, "mode": "asynchronous", "quorum": 0.5}])
@pytest.mark.parametrize("alpha", [1, 0.001])
def test_has_the_bits_of_the_engine_s_own(rounds: dict[str, Any], alpha: float) -> None:
    scenario = {**SMALL, "rounds": rounds, "network": {**SMALL["network"], "latency": {"kind": "exponential",
                                                                                      "mean": "20ms"}}}
    own = overhear.run(scenario, seeds=2, algorithm=method("dvp.py", eta=0.05, alpha=alpha), out="own")
    theirs = overhear.run(scenario, seeds=2, algorithm={"kind": "dvp", "eta": 0.05, "alpha": alpha}, out="theirs")
    assert [r.digest for r in own] == [r.digest for r in theirs]
    assert own[0].final["distance"] == theirs[0].final["distance"]


def test_a_misprint_is_refuted_and_the_right_one_is_not() -> None:
    for listing in (0, 1):
        algorithm = method("dvp.py", eta=0.0002, alpha=3, claim=3, listing=listing)
        a = overhear.audit(JUDGED, runs=2000, black_box=True, algorithm=algorithm, out=f"judged{listing}")
        assert a.stands == (not listing)
        assert ("VIOLATED" in str(a.verdicts)) == bool(listing)


def test_a_class_of_a_notebook() -> None:
    cell = "import overhear\nraise SystemExit\n" + DVP + "\nafter = 1\n"
    linecache.cache["<cell>"] = (len(cell), None, cell.splitlines(True), "<cell>")
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile("\n\n" + DVP, "<cell>", "exec"), space)
    algorithm = method(space["DVP"], eta=0.05, alpha=1)
    text = Path(algorithm["file"]).read_text()
    assert "class DVP" in text and "SystemExit" not in text and "after" not in text
    assert overhear.run(SMALL, algorithm=algorithm)[0].digest == overhear.run(
        SMALL, algorithm={"kind": "dvp", "eta": 0.05, "alpha": 1}, out="theirs")[0].digest


@pytest.mark.parametrize("body, says", [
    ("node.f = node.f[:2]", r"left in node.f an array of shape \(2,\), and it must be \(31,\)"),
    ("node.f = undefined", "NameError: name 'undefined' is not defined"),
    ("import os; os._exit(3)", "ended: exit status 3"),
    ("node.noise(-1.0)", "noise of level -1"),
    ("node.f = node.f + float('nan')", "component 0 is NaN"),
])
def test_what_goes_wrong_is_said(body: str, says: str) -> None:
    Path("wrong.py").write_text(f"class Wrong:\n    def update(self, node, t):\n        {body}\n")
    with pytest.raises(overhear.OverhearError, match=says):
        overhear.run(SMALL, algorithm=method("wrong.py"))


def test_what_a_dual_raises_and_prints() -> None:
    Path("wrong.py").write_text("class Wrong:\n    def update(self, node, t):\n        print('hello')\n"
                                "    def dual(self, node, t):\n        raise KeyError('here')\n")
    with pytest.raises(overhear.OverhearError, match="round 2: the class raised KeyError: 'here'"):
        overhear.run(SMALL, algorithm=method("wrong.py"))


def test_noise_is_new_at_every_call_and_not_for_duals() -> None:
    Path("draws.py").write_text("class Draws:\n    def update(self, node, t):\n        a, b = node.noise(1.0), "
                                "node.noise(1.0)\n        node.f = 0 * node.f\n        node.f[:2] = a[0], b[0]\n")
    run = overhear.run(SMALL, algorithm=method("draws.py"))[0]
    drawn = run.iterates[run.iterates["round"] > 0][["v0", "v1"]].to_numpy()
    assert len(set(drawn.ravel())) == drawn.size
    Path("wrong.py").write_text("class Wrong:\n    def update(self, node, t): pass\n"
                                "    def dual(self, node, t):\n        node.noise(1.0)\n")
    with pytest.raises(overhear.OverhearError, match="noise is drawn in update only"):
        overhear.run(SMALL, algorithm=method("wrong.py"))


def test_files_that_are_not_there_and_classes_that_are_several() -> None:
    with pytest.raises(overhear.OverhearError, match="algorithm.file"):
        overhear.run(SMALL, algorithm=method("nowhere.py"))
    Path("two.py").write_text("class A:\n    def update(self, node, t): pass\nclass B(A):\n    pass\n")
    with pytest.raises(overhear.OverhearError, match="2 classes with update; `class` names"):
        overhear.run(SMALL, algorithm=method("two.py"))
    assert overhear.run(SMALL, algorithm=method("two.py", name="B"))[0].info["rounds"] == 20
    with pytest.raises(overhear.OverhearError, match="has no update"):
        method(dict)


def test_verify_repeats_it_and_says_that_the_class_has_changed() -> None:
    run = overhear.run(SMALL, algorithm=method("dvp.py", eta=0.05, alpha=1))[0]
    assert b"same files, same digest" in process.call("verify", str(run.directory)).stdout
    Path("dvp.py").write_text(DVP.replace("rate / 2)", "rate / 2.000001)"))
    done = subprocess.run([process.binary(), "verify", str(run.directory)], capture_output=True, text=True)
    assert done.returncode == 3 and "dvp.py has changed since the run" in done.stderr
    assert "first event" in done.stderr or "event " in done.stderr


def test_verify_repeats_a_class_without_parameters() -> None:
    body = "class Plain:\n    def update(self, node, t):\n        node.f = node.f / 2 + 1\n"
    Path("plain.py").write_text(body)
    run = overhear.run(SMALL, algorithm=method("plain.py"))[0]
    assert b"same files, same digest" in process.call("verify", str(run.directory)).stdout


def test_a_class_whose_name_begins_another_s() -> None:
    cell = "class Own:\n    def update(self, node, t):\n        pass\n\n\n"
    cell += cell.replace("Own", "OwnToo")
    linecache.cache["<cells>"] = (len(cell), None, cell.splitlines(True), "<cells>")
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(cell, "<cells>", "exec"), space)
    assert "class Own:" in Path(method(space["Own"])["file"]).read_text()
    assert "class OwnToo:" in Path(method(space["OwnToo"])["file"]).read_text()

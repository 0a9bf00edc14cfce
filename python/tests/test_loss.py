"""Losses in Python: a run with one, what is verified, and what goes wrong."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

import overhear
from overhear import process

EXAMPLE = Path(__file__).parents[1] / "examples" / "logcosh.py"

SCENARIO: dict[str, Any] = {
    "name": "regression",
    "problem": {"data": {"set": "linear", "rows": 200, "dimension": 5}, "train": 0.8, "rho": 0.1},
    "network": {"topology": {"kind": "ring", "nodes": 5}, "latency": "20ms"},
    "rounds": {"count": 30},
    "algorithm": {"kind": "admm", "eta": 0.2},
}


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(EXAMPLE.read_text())


def test_is_minimised_and_verified() -> None:
    run = overhear.run(SCENARIO, problem__loss=overhear.loss("mine.py", width=0.1))[0]
    assert run.final["distance"] < 0.01
    # Of a width that is great beside the residuals it is z²/2 over the width.
    wide = overhear.run(SCENARIO, problem__loss=overhear.loss("mine.py", width=10), rounds__count=300, out="wide")[0]
    squared = overhear.run(SCENARIO, problem__loss="squared", problem__rho=1, rounds__count=300, out="squared")[0]
    assert wide.final["test_rmse"] == pytest.approx(squared.final["test_rmse"], rel=0.002)
    assert b"same files, same digest" in process.call("verify", str(run.directory)).stdout
    Path("mine.py").write_text(EXAMPLE.read_text().replace("2 * sigmoid", "2.0000001 * sigmoid"))
    done = subprocess.run([process.binary(), "verify", str(run.directory)], capture_output=True, text=True)
    assert done.returncode != 0 and "steepest" in done.stderr
    Path("mine.py").write_text(EXAMPLE.read_text().replace("2 * z / self.width", "2.0000001 * z / self.width"))
    done = subprocess.run([process.binary(), "verify", str(run.directory)], capture_output=True, text=True)
    assert done.returncode == 3 and "mine.py has changed since the run" in done.stderr


def test_with_a_method_of_one_s_own() -> None:
    Path("own.py").write_text("class ADMM:\n    def update(self, node, t):\n"
                              "        node.minimise(node.pull(0.2), 0.4 * node.degree)\n"
                              "    def dual(self, node, t):\n        node.ascend(0.2)\n")
    loss = overhear.loss("mine.py", width=0.1)
    own = overhear.run(SCENARIO, problem__loss=loss, algorithm=overhear.method("own.py"), out="own")[0]
    assert own.digest == overhear.run(SCENARIO, problem__loss=loss)[0].digest


def test_what_goes_wrong_is_said() -> None:
    Path("mine.py").write_text(EXAMPLE.read_text().replace("return 2 * sigmoid", "return undefined * sigmoid"))
    with pytest.raises(overhear.OverhearError, match=r'(?s)problem.loss: .*undefined.*mine.py", line \d+, in slope'):
        overhear.run(SCENARIO, problem__loss=overhear.loss("mine.py", width=0.1))
    with pytest.raises(overhear.OverhearError, match="must name the file of the class"):
        overhear.run(SCENARIO, problem__loss="python")
    with pytest.raises(overhear.OverhearError, match=r"dict has no slope\(z\)"):
        overhear.loss(dict)

"""The package as a user has it: through the command that $OVERHEAR_SIMULATE names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas
import pytest

import overhear
from overhear import process, scenario, tables

PACKAGE = Path(__file__).resolve().parents[1]
QUICK = str(PACKAGE.parent / "scenarios" / "quickstart.yaml")
SMALL = {
    "name": "small",
    "problem": {"train": 0.8, "rho": 0.02},
    "network": {"topology": {"kind": "ring", "nodes": 4}, "latency": {"kind": "constant", "value": "20ms"}},
    "rounds": {"count": 5},
    "algorithm": {"kind": "admm"},
}


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(1)
    X = draw.normal(size=(n, 3))
    return X, X @ [2.0, -1.0, 0.5] + 0.1 * draw.normal(size=n)


def test_run_has_the_digest_of_the_command_and_its_tables() -> None:
    runs = overhear.run(QUICK, seeds=2)
    assert [r.seed for r in runs] == [1, 2]
    first = runs[0]
    assert first.digest.startswith("968b5a550e3abc20")  # as README.md has it
    assert first.metrics["round"].dtype == np.int64
    assert "characters" in repr(first.plots["distance-round"])
    assert len(first.metrics) == 151 and first.metrics["loss"].iloc[-1] == first.final["loss"]
    assert first.iterates.shape == (10 * 151, 3 + 31)
    last = first.iterates[first.iterates["round"] == 150].filter(regex="^v").to_numpy()
    apart = np.linalg.norm(last - last.mean(axis=0), axis=1).max()
    assert apart == pytest.approx(first.final["consensus"], rel=1e-9)
    assert len(first.messages) == first.final["messages"] and set(first.messages["kind"]) >= {"value"}
    assert list(runs.table["seed"]) == [1, 2]
    assert "<svg" in runs._repr_html_() and "968b5a55" in first._repr_html_()


def test_values_that_are_set() -> None:
    words = scenario.sets({"algorithm.eta": np.float64(0.5)}, {"adversary__knows__all_but": 0})
    assert words == ["--set", "algorithm.eta=0.5", "--set", "adversary.knows.all-but=0"]
    run, = overhear.run(QUICK, seeds=[7], rounds__count=3, set={"algorithm.eta": 0.01})
    assert run.seed == 7 and run.info["rounds"] == 3 and len(run.metrics) == 4


def test_without_pandas_tables_are_arrays_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    run, = overhear.run(QUICK, rounds__count=3)
    monkeypatch.setitem(sys.modules, "pandas", None)
    metrics = run.table("metrics")
    assert isinstance(metrics, np.ndarray) and metrics["round"].tolist() == [0, 1, 2, 3]
    assert run.table("messages")["kind"][0] == "value"
    again = tables.from_csv(run.directory / "metrics.csv")
    np.testing.assert_array_equal(again["loss"], metrics["loss"])
    assert "<table>" in overhear.Runs([run])._repr_html_()


def test_mistakes_say_where_and_what_would_be_right() -> None:
    rest = "network: {topology: {kind: ring, nodes: 3}}\nalgorithm: {kind: admm}\n"
    Path("bad.yaml").write_text("name: q\nproblem: {datas: wdbc, rho: x}\n" + rest)
    with pytest.raises(overhear.ScenarioError) as e:
        overhear.run("bad.yaml")
    assert (e.value.file, e.value.line, e.value.key) == ("bad.yaml", 2, "problem.datas")
    assert e.value.remedy == 'did you mean "data"?' and len(e.value.mistakes) == 2 and e.value.code == 2
    with pytest.raises(overhear.ScenarioError, match="must be positive") as e:
        overhear.run(QUICK, algorithm__eta=-1)
    assert e.value.key == "algorithm.eta" and e.value.file == ""
    with pytest.raises(overhear.OverhearError, match="no such file"):
        overhear.run("nosuch.yaml")
    with pytest.raises(TypeError, match="go together"):
        overhear.run(SMALL, X=rows()[0])


def test_own_arrays_and_their_kinds_of_labels() -> None:
    X, y = rows()
    two, = overhear.run(SMALL, X=X, y=y > 0)
    assert two.info["columns"] in (3, 4) and two.info["train_rows"] == 96
    three, = overhear.run({**SMALL, "name": "three"}, X=X, y=np.digitize(y, [-1, 1]))
    assert len(three.info["classes"]["names"] if isinstance(three.info["classes"], dict)
               else three.info["classes"]) == 3
    number, = overhear.run({**SMALL, "name": "number"}, X=X, y=y, problem__loss="huber")
    assert number.final["test_rmse"] < np.std(y)
    file, = overhear.run(QUICK, X=X, y=y > 0, rounds__count=2)
    assert file.info["nodes"] == 10 and file.info["train_rows"] == 96


def test_own_values_arrive_bit_by_bit(tmp_path: Path) -> None:
    X, y = rows()
    described = scenario.data(X, y > 0, tmp_path)
    read = np.genfromtxt(described["csv"], delimiter=",", skip_header=1, usecols=(0, 1, 2))
    assert read.tobytes() == X.tobytes()


def test_own_frames_with_categories(tmp_path: Path) -> None:
    X, y = rows()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    frame["ward"] = pandas.Categorical.from_codes(np.arange(len(X)) % 3, ["north", "south, east", "west"])
    frame["code"] = (np.arange(len(X)) % 2).astype(str)  # words that are digits
    described = scenario.data(frame, pandas.Series(y > 0, name="ill"), tmp_path)
    assert described["categorical"] == ["ward", "code"] and described["numeric"] == ["a", "b", "c"]
    assert described["label"] == "ill"
    run, = overhear.run(SMALL, X=frame, y=pandas.Series(y > 0, name="ill"))
    plain, = overhear.run({**SMALL, "name": "plain"}, X=X, y=y > 0)
    assert run.info["columns"] >= plain.info["columns"] + 4  # an indicator for each value


def test_paths_in_a_dictionary_are_of_the_working_directory() -> None:
    X, y = rows(40)
    Path("data").mkdir()
    pandas.DataFrame(X, columns=["a", "b", "c"]).assign(kind=y > 0).to_csv("data/own.csv", index=False)
    own = {**SMALL, "problem": {**SMALL["problem"], "data": {"csv": "data/own.csv", "label": "kind"}}}  # type: ignore
    run, = overhear.run(own)
    assert run.info["rounds"] == 5


def test_a_column_of_nothing_but_different_texts_is_asked_about(tmp_path: Path) -> None:
    X = pandas.DataFrame({"a": range(60), "who": [f"w{k}" for k in range(60)]})
    y = np.arange(60) % 2
    with pytest.raises(ValueError, match="column who has 60 different texts in 60 rows"):
        scenario.data(X, y, tmp_path)
    assert "who" in scenario.data(X.astype({"who": "category"}), y, tmp_path)["categorical"]


def test_the_text_na_is_a_category(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"clinic": ["NA", "north", "?", None] * 30, "age": range(120)})
    run, = overhear.run(SMALL, X=frame, y=[0, 1] * 60)
    two, = overhear.run({**SMALL, "name": "two"}, X=frame.replace({"NA": None}), y=[0, 1] * 60)
    rows = [r.info["train_rows"] + r.info["test_rows"] for r in (run, two)]
    assert rows == [90, 60], "only cells that are None are missing"
    assert run.info["columns"] == two.info["columns"] + 1


@pytest.mark.parametrize("labels", [
    pandas.Series(["ill", "well"] * 10, dtype=object),
    pandas.Series([True, False] * 10, dtype="boolean"),
    pandas.Series([0, 1] * 10, dtype="Int64"),
])
def test_a_label_that_is_missing_is_no_class(labels: "pandas.Series[object]", tmp_path: Path) -> None:
    labels[3] = None
    described = scenario.data(np.ones((20, 2)), labels, tmp_path)
    assert described["label"] and "classes" not in described
    assert Path(described["csv"]).read_text().splitlines()[4].endswith(",")


@pytest.mark.parametrize("X, y, words", [
    (np.zeros(3), [0, 1, 0], "a row a sample"),
    (np.zeros((3, 2)), [0, 1], "3 rows and y has 2"),
    (np.zeros((3, 2)), [1, 1, 1], "two or more"),
    (np.zeros((3, 2)), [0.5, np.nan, 1], "not finite"),
])
def test_own_data_that_cannot_be(X: np.ndarray, y: list[float], words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=words):
        scenario.data(X, y, tmp_path)


def test_attack_audit_report() -> None:
    found = overhear.attack(QUICK, adversary__knows__all_but=0, rounds__count=5)[0]
    outcomes = dict(zip(found.table["attack"], found.table["outcome"]))
    assert outcomes["kkt-inversion"] == "exact"
    shown = overhear.report(found)
    assert shown.path.exists() and "<iframe" in shown._repr_html_()
    listing = str(PACKAGE.parent / "scenarios" / "audit-dvp-listing.yaml")
    assert not overhear.audit(listing, runs=40).stands
    proof = overhear.audit(listing, runs=40, algorithm__calibration="proof")
    assert proof.stands and "VIOLATED" not in proof.verdicts


def test_sweep_and_its_picture() -> None:
    s = overhear.sweep(QUICK, {"algorithm.eta": [0.001, 0.01]}, seeds=2, rounds__count=3)
    assert len(s.table) == 4 and set(s.table["algorithm.eta"]) == {0.001, 0.01}
    assert "<svg" in s.plot("loss", x="algorithm.eta")


def test_interrupt_keeps_what_is_computed() -> None:
    """The interrupt is of this process alone, as a notebook's is."""
    timer = threading.Timer(3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(overhear.Interrupted, match="finished and kept") as e:
        overhear.run(QUICK, seeds=100000)
    timer.join()
    assert time.monotonic() - begun < 60 and isinstance(e.value, KeyboardInterrupt)
    kept = len(list(Path("results/runs/quickstart").glob("*/run.json")))
    assert kept > 0
    assert overhear.run(QUICK, seeds=1)[0].digest.startswith("968b5a55")


def test_binary_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVERHEAR_SIMULATE", "/nowhere/simulate")
    with pytest.raises(overhear.OverhearError, match="/nowhere/simulate"):
        process.binary()
    monkeypatch.delenv("OVERHEAR_SIMULATE")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(overhear.OverhearError, match="go install"):
        process.binary()


def test_wheel_has_the_binary_and_runs_without_another(tmp_path: Path) -> None:
    made = subprocess.run([sys.executable, PACKAGE / "wheel_of_overhear.py", "v1.2.0-3-gabc", process.binary(),
                           "linux_x86_64", tmp_path], check=True, capture_output=True, text=True).stdout.strip()
    assert made == "overhear-1.2.0+3.gabc-py3-none-linux_x86_64.whl"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target",
                    tmp_path / "site", tmp_path / made], check=True)
    code = f"import overhear; print(overhear.run({QUICK!r}, rounds__count=2)[0].info['rounds'])"
    environment = {"PATH": "/nowhere", "PYTHONPATH": str(tmp_path / "site"), "HOME": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == "2", run.stderr
    with zipfile.ZipFile(tmp_path / made) as z:
        assert {i.date_time for i in z.infolist()} == {(1980, 1, 1, 0, 0, 0)}

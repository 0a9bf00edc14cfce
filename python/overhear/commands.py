"""The commands: run, attack, audit, sweep, report, reproduce."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from .method import attacker
from .process import VERDICT, call
from .results import Attacked, Audit, Page, Report, Run, Runs, Sweep
from .scenario import Scenario, place, sets, text

PathLike = Union[str, "os.PathLike[str]"]
RESULTS = Path("results") / "runs"  # where simulate writes unless told otherwise


def run(scenario: Scenario, seeds: int | Iterable[int] | None = None, *, X: Any = None, y: Any = None,
        set: Mapping[str, Any] | None = None, out: PathLike | None = None, again: bool = False,
        workers: int | None = None, data: PathLike | None = None, **keywords: Any) -> Runs:
    """Run a scenario; finished seeds are kept and not run again.

    scenario: a file, or a dictionary of what would be in it.
    seeds: how many, from the scenario's first; or which.
    X, y: rows, n×d, and labels or targets, length n, in place of the scenario's data.
    set, keywords: values to override, {"algorithm.eta": 0.1} or algorithm__eta=0.1.
    out: the directory of results; data: that of data sets; workers: goroutines, which change no result.
    """
    words = _words(scenario, X, y, set, keywords, out, workers, data) + (["--again"] if again else [])
    return Runs([Run(d) for s in _seeds(seeds) for d in call("run", *words, *s, "--json").written])


def attack(scenario: Scenario | Run, seeds: int | Iterable[int] | None = None, *, by: Any = None, X: Any = None,
           y: Any = None, set: Mapping[str, Any] | None = None, out: PathLike | None = None, replace: bool = False,
           workers: int | None = None, data: PathLike | None = None, **keywords: Any) -> list[Attacked]:
    """Carry out a scenario's attacks on its runs, or on a recorded run, of whose adversary values can be set.

    by: which attacks: the name of one, a class in Python, what attacker() gives, or a list of such.
    """
    if by is not None:
        several = by if isinstance(by, (list, tuple)) else [by]
        keywords["adversary__attacks"] = [attacker(b) if isinstance(b, type) else b for b in several]
    if isinstance(scenario, Run):
        scenario = scenario.directory
    words = _words(scenario, X, y, set, keywords, out, workers, data) + (["--replace"] if replace else [])
    all_of_them: list[Attacked] = []
    for s in _seeds(seeds):
        output = call("attack", *words, *s, "--json")
        all_of_them += map(Attacked, output.written, json.loads(output.stdout))
    return all_of_them


def audit(scenario: Scenario, *, runs: int | None = None, black_box: bool = False, X: Any = None, y: Any = None,
          set: Mapping[str, Any] | None = None, out: PathLike | None = None, workers: int | None = None,
          data: PathLike | None = None, **keywords: Any) -> Audit:
    """Measure in so many runs of two worlds what a method's messages say about one sample, beside its claim.

    With black_box, no model of the method is known: half of the runs teach what tells the worlds apart.
    """
    words = _words(scenario, X, y, set, keywords, out, workers, data)
    if runs is not None:
        words += ["--runs", str(runs)]
    if black_box:
        words.append("--black-box")
    output = call("audit", *words, "--json")
    return Audit(output.written[0], json.loads(output.stdout)[0], output.code != VERDICT)


def sweep(scenario: Scenario, grid: Mapping[str, Sequence[Any]] | None = None, seeds: int | None = None, *,
          X: Any = None, y: Any = None, set: Mapping[str, Any] | None = None, rows: str | None = None,
          out: PathLike | None = None, workers: int | None = None, data: PathLike | None = None,
          **keywords: Any) -> Sweep:
    """Run a scenario with every combination of a grid of values, {"algorithm.eta": [0.1, 1]}, and every seed.

    rows: "last", a row a run, or "rounds", a row a round of every run. What is finished is never computed again.
    """
    words = _words(scenario, X, y, set, keywords, out, workers, data)
    for path, values in (grid or {}).items():
        words += ["--grid", f"{path}=" + ",".join(text(v) for v in values)]
    if seeds is not None:
        words += ["--seeds", str(seeds)]
    if rows is not None:
        words += ["--rows", rows]
    return Sweep(call("sweep", *words).written[0])


def report(*results: Run | Attacked | Audit | PathLike, out: PathLike | None = None,
           title: str | None = None) -> Report:
    """Write the attack-evaluation report of runs and audits; a notebook shows it."""
    words = [str(r if isinstance(r, (str, os.PathLike)) else r.directory) for r in results]
    if out is not None:
        words += ["--out", os.fspath(out)]
    if title is not None:
        words += ["--title", title]
    files = call("report", *words).stdout.decode().splitlines()
    return Report(Path(next(f for f in files if f.endswith(".html"))))


def reproduce(name: str, *, seeds: int | None = None, out: PathLike | None = None,
              data: PathLike | None = None) -> list[Page]:
    """Compute a paper's figure or a study anew; each gets a directory in `out`."""
    words = [name]
    for flag, value in (("--seeds", seeds), ("--out", out), ("--data", data)):
        if value is not None:
            words += [flag, str(value)]
    return [Page(d) for d in call("reproduce", *words).written]


def _words(scenario: Scenario, X: Any, y: Any, values: Mapping[str, Any] | None, keywords: Mapping[str, Any],
           out: PathLike | None, workers: int | None, data: PathLike | None) -> list[str]:
    """The arguments that all commands take."""
    file, words = place(scenario, Path(out) if out is not None else RESULTS, X, y)
    words = ["./" + file if file.startswith("-") else file, *words, *sets(values or {}, keywords)]
    for flag, value in (("--out", out), ("--workers", workers), ("--data", data)):
        if value is not None:
            words += [flag, str(value)]
    return words


def _seeds(seeds: int | Iterable[int] | None) -> list[list[str]]:
    """Flags of each call that the seeds take."""
    if seeds is None:
        return [[]]
    if isinstance(seeds, int):
        return [["--seeds", str(seeds)]]
    return [["--seed", str(s)] for s in seeds]

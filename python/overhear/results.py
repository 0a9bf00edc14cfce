"""What commands give back: results with tables, and pictures that a notebook shows."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from .process import call
from .tables import Table, from_csv, from_npy, from_rows


class SVG(str):
    """A picture, which a notebook shows."""

    def _repr_svg_(self) -> str:
        return self

    def __repr__(self) -> str:
        return f"<picture, SVG of {len(self)} characters>"


class _Directory:
    """Results that are in a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @property
    def plots(self) -> dict[str, SVG]:
        """The pictures, by name, such as "distance-round"."""
        found = sorted([*self.directory.glob("plots/*.svg"), *self.directory.glob("*.svg")])
        return {p.stem: SVG(p.read_text(encoding="utf-8")) for p in found}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.directory)!r})"


class Run(_Directory):
    """A finished run: one scenario and one seed."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        #: run.json: see docs/formats.md
        self.info: dict[str, Any] = json.loads((directory / "run.json").read_text(encoding="utf-8"))

    @property
    def name(self) -> str:
        """The scenario's name."""
        return str(self.info["name"])

    @property
    def seed(self) -> int:
        """The seed of all that was drawn."""
        return int(self.info["seed"])

    @property
    def digest(self) -> str:
        """SHA-256 of every event; equal for every repeat of the run."""
        return str(self.info["digest"])

    @property
    def final(self) -> dict[str, Any]:
        """The metrics of the last round, by name; times in virtual seconds, sizes in bytes."""
        return dict(self.info["final"])

    def table(self, name: str) -> Table:
        """A table: "metrics", "iterates", "messages", "steps" or "lies"; what ends in _ns is in virtual nanoseconds."""
        return from_npy(call("export", str(self.directory), "--table", name, "--format", "npy").stdout)

    @cached_property
    def metrics(self) -> Table:
        """A row a round, from round 0: what was measured."""
        return self.table("metrics")

    @cached_property
    def iterates(self) -> Table:
        """A row a node and round: what the node published, a d-vector in columns v0, v1, …"""
        return self.table("iterates")

    @cached_property
    def messages(self) -> Table:
        """A row a message; received_ns is −1 of a lost one."""
        return self.table("messages")

    @property
    def plots(self) -> dict[str, SVG]:
        """The pictures of all seeds that are finished, by name."""
        return _Directory(self.directory.parent).plots or super().plots

    def _repr_html_(self) -> str:
        return _pairs({"scenario": self.name, "seed": self.seed, "method": self.info["algorithm"],
                       **self.final, "digest": self.digest[:16]}) + _picture(self.plots)


class Runs(Sequence[Run]):
    """The runs of a scenario, in order of seed."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = list(runs)

    @overload
    def __getitem__(self, k: int) -> Run: ...
    @overload
    def __getitem__(self, k: slice) -> Runs: ...
    def __getitem__(self, k: int | slice) -> Run | Runs:
        return Runs(self._runs[k]) if isinstance(k, slice) else self._runs[k]

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    @property
    def table(self) -> Table:
        """A row a seed: the metrics of the last round."""
        return from_rows([{"seed": r.seed, **r.final} for r in self])

    @property
    def plots(self) -> dict[str, SVG]:
        """The pictures, mean and range over the seeds, by name."""
        return self[0].plots if self._runs else {}

    def __repr__(self) -> str:
        return f"Runs({self._runs!r})"

    def _repr_html_(self) -> str:
        return _rows(self.table) + _picture(self.plots)


class Attacked(_Directory):
    """What the attacks found on one run."""

    def __init__(self, directory: Path, found: dict[str, Any]) -> None:
        super().__init__(directory)
        self.found = found  #: attacks.json: see docs/formats.md

    @property
    def table(self) -> Table:
        """A row a finding: attack, victim, outcome and what follows from it."""
        return from_rows(self.found["findings"])

    def _repr_html_(self) -> str:
        return _rows(self.table)


class Audit(_Directory):
    """A claim beside the loss that was measured."""

    def __init__(self, directory: Path, found: dict[str, Any], stands: bool) -> None:
        super().__init__(directory)
        self.found = found  #: audit.json: see docs/formats.md
        self.stands = stands  #: False: a claim is violated or exceeded, or a check of the method fails

    @property
    def table(self) -> Table:
        """A row a verdict; ε is natural, of one sample, `delta` beside it."""
        return from_rows(self.found["verdicts"])

    @property
    def verdicts(self) -> list[str]:
        """The words of the verdicts, such as "VIOLATED", in the table's order."""
        return [str(v["verdict"]) for v in self.found["verdicts"]]

    def _repr_html_(self) -> str:
        return _rows(self.table)


class Sweep(_Directory):
    """The runs of a grid of values."""

    @cached_property
    def table(self) -> Table:
        """A row a run, or a row a round of every run with rows="rounds"."""
        return from_csv(self.directory / "results.csv")

    def plot(self, y: str, x: str) -> SVG:
        """Draw a column against another: mean and range over the runs of a point."""
        drawn = call("sweep", "plot", str(self.directory), "--x", x, "--y", y, "--format", "svg").stdout
        path = next(line for line in drawn.decode().splitlines() if line.endswith(".svg"))
        return SVG(Path(path).read_text(encoding="utf-8"))

    def _repr_html_(self) -> str:
        return _rows(self.table)


class Report(_Directory):
    """An attack-evaluation report, a page of its own."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.parent)
        self.path = path

    def _repr_html_(self) -> str:
        page = html.escape(self.path.read_text(encoding="utf-8"), quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="600"></iframe>'


class Page(_Directory):
    """A figure of a paper or a study, computed anew."""

    @property
    def table(self) -> Table:
        """The numbers of the figure, where it has a data.csv."""
        return from_csv(self.directory / "data.csv")

    def _repr_html_(self) -> str:
        return "".join(self.plots.values())


def _pairs(values: dict[str, Any]) -> str:
    rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(_word(v))}</td></tr>" for k, v in values.items()
                   if v is not None)
    return f"<table>{rows}</table>"


def _rows(table: Table) -> str:
    if hasattr(table, "to_html"):
        return str(table.to_html(index=False))
    names = table.dtype.names or ()
    head = "".join(f"<th>{html.escape(n)}</th>" for n in names)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(_word(row[n]))}</td>" for n in names) + "</tr>" for row in table)
    return f"<table><tr>{head}</tr>{body}</table>"


def _word(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _picture(plots: dict[str, SVG]) -> str:
    for name in ("distance-round", "loss-round"):
        if name in plots:
            return plots[name]
    return next(iter(plots.values()), "")

"""Tables: DataFrames where pandas is there, else numpy's arrays of records."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Table: TypeAlias = Any  #: a pandas.DataFrame or a numpy.ndarray with named fields, a row a record


def table(records: np.ndarray[Any, Any]) -> Table:
    """A table of an array of records, whose texts are bytes."""
    texts = [n for n in records.dtype.names or () if records.dtype[n].kind == "S"]
    try:
        import pandas
    except ImportError:
        return records.astype([(n, "U16" if n in texts else records.dtype[n]) for n in records.dtype.names or ()])
    frame = pandas.DataFrame(records)
    for name in texts:
        frame[name] = frame[name].str.decode("utf-8").astype("category")
    return frame


def from_npy(data: bytes) -> Table:
    """The table that `simulate export --format npy` printed."""
    return table(np.load(io.BytesIO(data)))


def from_csv(path: Path) -> Table:
    """The table of a file of results; empty cells are NaN."""
    try:
        import pandas
    except ImportError:
        pass
    else:
        return pandas.read_csv(path)
    with path.open(newline="", encoding="utf-8") as f:
        names, *rows = csv.reader(f)
    return records(names, rows)


def from_rows(rows: list[dict[str, Any]]) -> Table:
    """A table of dictionaries; what is no number or text is left out."""
    names = [n for n in (rows[0] if rows else {}) if all(_plain(r.get(n)) for r in rows)]
    try:
        import pandas
    except ImportError:
        return records(names, [["" if r.get(n) is None else str(r[n]) for n in names] for r in rows])
    return pandas.DataFrame([{n: r.get(n) for n in names} for r in rows], columns=names)


def records(names: list[str], rows: list[list[str]]) -> np.ndarray[Any, Any]:
    """An array of records of texts; a column all of whose cells are numbers or empty is one of numbers."""
    columns: list[np.ndarray[Any, Any]] = []
    for k in range(len(names)):
        cells = [r[k] for r in rows]
        try:
            columns.append(np.array([float(c) if c else np.nan for c in cells]))
        except ValueError:
            columns.append(np.array(cells))
    out = np.empty(len(rows), dtype=[(n, c.dtype) for n, c in zip(names, columns)])
    for name, column in zip(names, columns):
        out[name] = column
    return out


def _plain(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float))

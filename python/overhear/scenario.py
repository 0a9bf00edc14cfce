"""Scenarios from Python: files, dictionaries, values to set, and data of one's own."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias, Union

import numpy as np

Scenario: TypeAlias = Union[str, "os.PathLike[str]", Mapping[str, Any]]  #: a file, or what would be in it


def sets(values: Mapping[str, Any], keywords: Mapping[str, Any]) -> list[str]:
    """Flags --set of dotted keys and of keywords.

    In keywords, two underscores stand for a dot and one for a dash: `adversary__knows__all_but=0`.
    """
    all_of_them = dict(values)
    for name, value in keywords.items():
        all_of_them[".".join(part.replace("_", "-") for part in name.split("__"))] = value
    return [word for path, value in all_of_them.items() for word in ("--set", f"{path}={text(value)}")]


def text(value: Any) -> str:
    """A value as YAML, of which JSON is a part."""
    return json.dumps(value, default=_plain, ensure_ascii=False)


def place(scenario: Scenario, out: Path, X: Any = None, y: Any = None) -> tuple[str, list[str]]:
    """The file of a scenario and what to set in it so that it is on data of one's own.

    A dictionary and data are written below `out`, named by their content, so that `simulate verify` finds them later.
    """
    flags: list[str] = []
    if (X is None) != (y is None):
        raise TypeError("X and y go together: the rows and their labels")
    if isinstance(scenario, Mapping):
        content = _located(dict(scenario))
        if X is not None:
            problem = dict(content.get("problem") or {})
            given = problem.get("data")
            given = dict(given) if isinstance(given, Mapping) else {}
            problem["data"] = {**data(X, y, out), **given}
            if problem["data"].get("classes") == "all":
                problem.setdefault("loss", "softmax")
            content["problem"] = problem
        name = str(content.get("name", "scenario")).replace(os.sep, "-")
        return str(keep(out / "scenarios", name, ".yaml", text(content) + "\n")), flags
    if X is not None:
        described = data(X, y, out)
        flags = ["--set", f"problem.data={text(described)}"]
        if described.get("classes") == "all":
            flags += ["--set", "problem.loss=softmax"]
    return os.fspath(scenario), flags


FILES = {"csv", "parquet", "arrow", "libsvm", "raetsch", "file", "coordinates"}  #: keys of paths


def _located(value: Any) -> Any:
    """A dictionary's content with paths that do not depend on where it is written: its are of the working directory."""
    if isinstance(value, Mapping):
        return {k: os.path.abspath(v) if k in FILES and isinstance(v, (str, os.PathLike)) and v else _located(v)
                for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_located(v) for v in value]
    return value


def data(X: Any, y: Any, out: Path) -> dict[str, Any]:
    """`problem.data` of rows X, n×d, and labels or targets y of length n; the file is below `out`.

    X is an array of numbers or a DataFrame, whose columns of category, object, text or truth values are categories.
    y with fractions is a target to be predicted; with two values, classes; with more, `classes: all`.
    """
    names, columns, categorical = _columns(X)
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y is one label a row, and has shape {labels.shape}")
    if len(labels) != len(columns[0] if columns else ()):
        raise ValueError(f"X has {len(columns[0]) if columns else 0} rows and y has {len(labels)} labels")
    label = str(getattr(y, "name", None) or "y")
    while label in names:
        label += "_"
    numbers = labels.dtype.kind == "f"
    if numbers and not np.isfinite(labels).all():
        raise ValueError("y has values that are not finite; drop their rows")
    distinct = len({v for v in labels.tolist() if not _missing(v)})
    described: dict[str, Any] = {}
    if numbers and (labels != np.trunc(labels)).any():
        described["target"] = label
    elif distinct < 2:
        raise ValueError(f"y has {distinct} different values; there must be two or more to learn")
    else:
        described["label"] = label
        if distinct > 2:
            described["classes"] = "all"
    if categorical:
        described["categorical"] = categorical
    if len(categorical) < len(names):
        described["numeric"] = [n for n in names if n not in categorical]
    written = io.StringIO()
    w = csv.writer(written, lineterminator="\n")
    w.writerow([*names, label])
    w.writerows(zip(*(map(_cell, c) for c in columns), map(_cell, labels.tolist())))
    # What is missing is an empty cell: the text NA is a value.
    return {"csv": str(keep(out / "data", "rows", ".csv", written.getvalue()).resolve()), "header": True,
            "missing": [], **described}


def _columns(X: Any) -> tuple[list[str], list[list[Any]], list[str]]:
    """Names, values and names of the categories of X."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        names = [str(n) for n in X.columns]
        if len(set(names)) < len(names):
            raise ValueError("columns of X have the same name: " + ", ".join(sorted({n for n in names if
                                                                                     names.count(n) > 1})))
        kinds = [str(getattr(t, "kind", "O")) for t in X.dtypes]
        if "M" in kinds or "m" in kinds:
            raise TypeError(f"column {names[[k in 'Mm' for k in kinds].index(True)]} has times: make a number of it, "
                            "such as days")
        values = [X.iloc[:, k].tolist() for k in range(len(names))]
        for n, kind, t, cells in zip(names, kinds, X.dtypes, values):
            different = len({c for c in cells if not _missing(c)})
            if kind in "OSU" and str(t) != "category" and different > max(20, len(cells) / 2):
                raise ValueError(f"column {n} has {different} different texts in {len(cells)} rows, and each would be a "
                                 "column: leave it out, or say astype('category') if that is meant")
        # A category's and a text's kind is O; extension types of numbers say their own.
        return names, values, [n for n, k in zip(names, kinds) if k in "OSUb"]
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X has a row a sample and a column a feature, and has shape {array.shape}")
    if array.dtype.kind not in "iufb":
        raise TypeError(f"X has values of type {array.dtype}; an array has numbers, and categories go into a DataFrame")
    return ([f"x{k}" for k in range(array.shape[1])],
            [array[:, k].astype(float).tolist() for k in range(array.shape[1])], [])


def _missing(value: Any) -> bool:
    """Whether a cell has no value; to compare the NA of pandas gives no truth value."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _cell(value: Any) -> str:
    if _missing(value):
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def keep(directory: Path, name: str, ending: str, content: str) -> Path:
    """A file of this content, named by it."""
    encoded = content.encode()
    path = directory / f"{name}-{hashlib.sha256(encoded).hexdigest()[:12]}{ending}"
    if not path.exists():
        directory.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(f".{os.getpid()}")
        half.write_bytes(encoded)
        half.replace(path)
    return path


def _plain(value: Any) -> Any:
    """A value of numpy or a path as JSON has it."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}, which a scenario cannot have")

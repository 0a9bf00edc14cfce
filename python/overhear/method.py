"""Methods, attacks and losses of one's own: classes that the engine calls."""

from __future__ import annotations

import inspect
import linecache
import os
import re
import sys
from pathlib import Path
from typing import Any, Union

from .errors import OverhearError
from .scenario import keep

METHODS = Path("results") / "runs" / "methods"  # classes that are in no file, such as those of a notebook

Source = Union[type, str, "os.PathLike[str]"]  #: a class, or the file that it is in


def method(of: Source, *, claim: float = 0, name: str = "", **parameters: float) -> dict[str, Any]:
    """An algorithm for a scenario: run(scenario, algorithm=method(MyADMM, eta=0.1)).

    of: the class, or the file that it is in, where `name` says which if there are several. It has update(node, t),
    and may have dual(node, t); each node has an object of its own, made with the parameters.
    claim: the privacy loss ε of a row in each round that the method is said to have.
    """
    return {**_own(of, name, parameters, "update(node, t)"), "claim": claim}


def attacker(of: Source, *, name: str = "", **parameters: float) -> dict[str, Any]:
    """An attack for a scenario's adversary.attacks: attack(run, by=attacker(MyAttack, rounds=3)).

    of: the class, or the file that it is in, where `name` says which if there are several. It has estimate(view),
    members(view) or rows(view), and gets what the observer overheard and knows.
    """
    return _own(of, name, parameters, "estimate(view)", "members(view)", "rows(view)")


def loss(of: Source, *, name: str = "", **parameters: float) -> dict[str, Any]:
    """A loss for a scenario: run(scenario, problem__loss=loss(LogCosh, width=0.1)).

    of: the class, or the file that it is in, where `name` says which if there are several. It has value(z), slope(z),
    may have curvature(z), each of an array of margins or residuals, and says a bound of the curvature.
    """
    return _own(of, name, parameters, "slope(z)")


def _own(of: Source, name: str, parameters: dict[str, float], *has: str) -> dict[str, Any]:
    """What a scenario says of a class that has one of these methods."""
    if isinstance(of, type):
        file, name = _file(of, has), of.__name__
    else:
        file = Path(of)
    return {"kind": "python", "file": str(file.resolve()), "class": name, "interpreter": sys.executable,
            "parameters": ", ".join(f"{k}={v!r}" for k, v in parameters.items())}


def _file(made: type, has: tuple[str, ...]) -> Path:
    """The file of a class; of one that a notebook or a prompt has made, one that is named by what the class says."""
    found = (inspect.unwrap(getattr(made, h.partition("(")[0], made)) for h in has)
    step = next((f for f in found if inspect.isfunction(f)), None)
    if step is None:
        raise OverhearError(f"{made.__name__} has no {' or '.join(has)}", 2)
    file = step.__code__.co_filename
    if made.__module__ != "__main__" and os.path.exists(file):
        return Path(file)
    lines = linecache.getlines(file)
    begins = re.compile(rf"class\s+{re.escape(made.__name__)}\s*[(:]")
    begin = [k for k, line in enumerate(lines) if begins.match(line)]
    if not begin:
        raise OverhearError(f"the text of class {made.__name__} cannot be found; write it to a file, and give the "
                            "file's name", 2)
    text = "import math\n\nimport numpy as np\n\n\n" + "".join(inspect.getblock(lines[begin[-1]:]))
    return keep(METHODS, made.__name__, ".py", text)

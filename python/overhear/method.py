"""Methods of one's own: classes whose update and dual the engine calls for every node."""

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


def method(of: Union[type, str, "os.PathLike[str]"], *, claim: float = 0, name: str = "",
           **parameters: float) -> dict[str, Any]:
    """An algorithm for a scenario: run(scenario, algorithm=method(MyADMM, eta=0.1)).

    of: the class, or the file that it is in, where `name` says which if there are several. It has update(node, t),
    and may have dual(node, t); each node has an object of its own, made with the parameters.
    claim: the privacy loss ε of a row in each round that the method is said to have.
    """
    if isinstance(of, type):
        file, name = _file(of), of.__name__
    else:
        file = Path(of)
    return {"kind": "python", "file": str(file.resolve()), "class": name, "claim": claim,
            "interpreter": sys.executable, "parameters": ", ".join(f"{k}={v!r}" for k, v in parameters.items())}


def _file(made: type) -> Path:
    """The file of a class; of one that a notebook or a prompt has made, one that is named by what the class says."""
    update = inspect.unwrap(getattr(made, "update", made))
    if not inspect.isfunction(update):
        raise OverhearError(f"{made.__name__} has no update(node, t)", 2)
    file = update.__code__.co_filename
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

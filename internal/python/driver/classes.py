"""Classes from files."""

from __future__ import annotations

import inspect
import os
import sys
import types
from typing import Any

from .frames import Wrong
from .functions import by_name


class Blocked(Exception):
    """Raised by an attack that cannot be carried out on a view; it says why."""


loaded: dict[tuple[str, bytes], types.ModuleType] = {}


def module_of(path: str) -> types.ModuleType:
    """The module of a file as it is now."""
    with open(path, "rb") as f:
        text = f.read()
    if (path, text) not in loaded:
        module = types.ModuleType("overhear_class")
        module.__file__ = path
        module.__dict__.update(by_name, Blocked=Blocked)
        beside = os.path.dirname(os.path.abspath(path))
        if beside not in sys.path:
            sys.path.insert(0, beside)
        sys.modules[module.__name__] = module  # where a dataclass looks for its own
        exec(compile(text, path, "exec"), module.__dict__)
        loaded[path, text] = module
    return loaded[path, text]


def load(path: str, name: str, *has: str) -> Any:
    """The class of a file that has one of these methods, or the one that is named."""
    module = module_of(path)
    one_of = " or ".join(has)

    def suits(c: Any) -> bool:
        return any(hasattr(c, h) for h in has)

    if not name:
        found = [c for _, c in inspect.getmembers(module, inspect.isclass)
                 if c.__module__ == module.__name__ and suits(c)]
        if len(found) != 1:
            raise Wrong(f"{path} has {len(found)} classes with {one_of}; `class` names the one that is meant")
        return found[0]
    made = getattr(module, name, None)
    if not inspect.isclass(made):
        raise Wrong(f"{path} has no class {name}")
    if not suits(made):
        raise Wrong(f"class {name} of {path} has no {one_of}")
    return made

"""Classes from files."""

from __future__ import annotations

import inspect
import os
import sys
import types
from typing import Any

from .frames import Wrong
from .functions import by_name


loaded: dict[tuple[str, bytes], types.ModuleType] = {}


def module_of(path: str) -> types.ModuleType:
    """The module of a file as it is now."""
    with open(path, "rb") as f:
        text = f.read()
    if (path, text) not in loaded:
        module = types.ModuleType("overhear_class")
        module.__file__ = path
        module.__dict__.update(by_name)
        beside = os.path.dirname(os.path.abspath(path))
        if beside not in sys.path:
            sys.path.insert(0, beside)
        sys.modules[module.__name__] = module  # where a dataclass looks for its own
        exec(compile(text, path, "exec"), module.__dict__)
        loaded[path, text] = module
    return loaded[path, text]


def load(path: str, name: str, has: str) -> Any:
    """The class of a file that has a method of that name, or the one that is named."""
    module = module_of(path)
    if not name:
        found = [c for _, c in inspect.getmembers(module, inspect.isclass)
                 if c.__module__ == module.__name__ and hasattr(c, has)]
        if len(found) != 1:
            raise Wrong(f"{path} has {len(found)} classes with {has}; `class` names the one that is meant")
        return found[0]
    made = getattr(module, name, None)
    if not inspect.isclass(made):
        raise Wrong(f"{path} has no class {name}")
    if not hasattr(made, has):
        raise Wrong(f"class {name} of {path} has no {has}")
    return made

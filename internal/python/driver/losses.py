"""Losses: classes whose value, slope and curvature are functions of arrays of margins, or residuals."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .classes import load
from .frames import RESULT, Array, Wrong, numbers, send

VALUE, SLOPE, CURVATURE = range(3)


class Loss:
    """A loss of one number a row."""

    def __init__(self, making: dict[str, Any]) -> None:
        self.own = load(making["file"], making["class"], "slope")(**(making["parameters"] or {}))
        for name in ("value", "slope", "bound"):
            if not hasattr(self.own, name):
                raise Wrong(f"a loss has value(z), slope(z) and bound, and {type(self.own).__name__} has no {name}")

    def says(self) -> bytes:
        steepest = getattr(self.own, "steepest", None)
        return json.dumps({"bound": float(self.own.bound), "steepest": None if steepest is None else float(steepest),
                           "curvature": hasattr(self.own, "curvature")}).encode()

    def call(self, body: bytes, trace: Any) -> None:
        function = (self.own.value, self.own.slope, getattr(self.own, "curvature", None))[body[0]]
        send(RESULT, alike(function, numbers(body[1:])).tobytes())


def alike(function: Any, z: Array) -> Array:
    """What a function has of each number of z."""
    out: Array = np.asarray(function(z), "<f8")
    if out.shape != z.shape:
        raise ValueError(f"{function.__name__} gives an array of shape {out.shape} for one of shape {z.shape}; it has "
                         "to give a number for each")
    return out

"""Attacks: classes that say from what was overheard what was hidden."""

from __future__ import annotations

import json
import struct
from typing import Any, NamedTuple

import numpy as np

from .classes import Blocked, load
from .frames import ASKS, RESULT, Array, Wrong, ask, numbers, receive, send, vector

GRADIENTS, SLOPES, CURVATURES = range(ASKS, ASKS + 3)
SAYS = ("estimate", "members", "rows")


class Samples(NamedTuple):
    """Rows x, n×d, with their labels y: −1 and 1, or targets, or numbers of classes."""

    X: Array
    y: Array


class Gradient(NamedTuple):
    """What a round tells of a node's gradient (C/B) Σ L′(u·f) u at a point, up to noise and multiples of nuisances."""

    round: int
    at: Array
    value: Array
    ridge: float | None
    noise: str
    level: float | None
    place: str
    offset: int
    nuisance: Array


PACKET = np.dtype([*((name, "<i8") for name in ("sent_ns", "received_ns", "src", "dst", "round", "bytes")),
                   ("kind", "U16")])


class View:
    """What an observer overheard and knows. Vectors have d numbers."""

    def __init__(self, told: dict[str, Any], vectors: Array) -> None:
        self.victim: int = told["victim"]
        self.size: int | None = told["size"] or None
        self.d: int = told["d"]
        self.rounds: int = told["rounds"]
        self.first: int = told["from"]
        self.neighbours: list[list[int]] = told["neighbours"]
        self.nodes: int = len(self.neighbours)
        self.method: str = told["method"]
        self.parameters: dict[str, Any] = told["parameters"]
        self.C: float = told["C"]
        self.ridge: float = told["ridge"]
        self.columns: list[str] | None = told["columns"]
        self.known = self._samples(told["known"])
        self.candidates = self._samples(told["candidates"])
        self.data = {int(node): self._samples(s) for node, s in told["data"].items()}
        self.packets = np.array([(*p, kind) for p, kind in zip(told["packets"], told["kinds"])], PACKET)
        self.several: bool = told["several"]
        all_of_them = iter(vectors.reshape(-1, self.d))
        self.values = {(node, t): next(all_of_them) for node, t in told["values"]}
        self.lies = {(node, to, t): next(all_of_them) for node, to, t in told["told"]}
        self.reports = {user: next(all_of_them) for user in told["reports"]}

    def _samples(self, told: dict[str, Any] | None) -> Samples | None:
        if told is None:
            return None
        return Samples(np.array(told["x"], "<f8").reshape(-1, self.d), np.array(told["y"], "<f8"))

    def value(self, node: int, round: int) -> Array | None:
        """What a node published in a round; None: it was not seen."""
        return self.values.get((node, round))

    def gradients(self, node: int | None = None) -> list[Gradient]:
        """What the method's model says that messages tell of a node's gradients; without a node, of the victim's."""
        send(GRADIENTS, struct.pack("<I", self.victim if node is None else node))
        told = json.loads(receive())
        self.unseen: list[str] = told["unseen"] or []
        return [Gradient(g["round"], np.array(g["at"]), np.array(g["value"]), g["ridge"], g["noise"], g["level"],
                         g["place"], g["offset"], np.array(g["nuisance"] or []).reshape(-1, self.d))
                for g in told["gradients"]]

    def slope(self, z: Any) -> Array:
        """L′ of each margin, or residual."""
        return self._loss(SLOPES, z)

    def curvature(self, z: Any) -> Array:
        """L″ of each margin, or residual."""
        return self._loss(CURVATURES, z)

    def _loss(self, kind: int, z: Any) -> Array:
        v = np.ascontiguousarray(z, "<f8")
        return ask(kind, v.tobytes()).reshape(v.shape)


class Attack:
    """An attack on one view."""

    def __init__(self, making: dict[str, Any]) -> None:
        self.own = load(making["file"], making["class"], *SAYS)(**(making["parameters"] or {}))

    def says(self) -> bytes:
        return b""

    def call(self, body: bytes, trace: Any) -> None:
        size, = struct.unpack_from("<I", body)
        view = View(json.loads(body[4:4 + size]), numbers(body[4 + size:]))
        out: dict[str, Any] = {}
        try:
            if hasattr(self.own, "estimate"):
                out["estimates"] = [sample(self.own.estimate(view), view)]
            if hasattr(self.own, "rows"):
                out["rows"] = [sample(s, view) for s in self.own.rows(view)]
            if hasattr(self.own, "members"):
                out.update(members(self.own.members(view), view))
        except Blocked as e:
            out = {"blocked": str(e) or "the class says that it cannot be carried out"}
        send(RESULT, json.dumps(out).encode())


def sample(given: Any, view: View) -> dict[str, Any]:
    """x, or x and y, as a class gives it."""
    x, y = given if isinstance(given, tuple) else (given, 0)
    x = vector(x, view.d)
    if not np.isfinite(x).all():
        raise ValueError(f"a sample has numbers, and component {int(np.argmin(np.isfinite(x)))} is not finite")
    if view.several:
        y = 1
    if y not in (-1, 0, 1):
        raise ValueError(f"a sample's y is −1 or 1, or 0 where it is not determined, and not {y!r}")
    return {"x": x.tolist(), "y": float(y)}


def members(given: Any, view: View) -> dict[str, Any]:
    """Truth values of candidates, or these and scores, of which less fits better."""
    if view.candidates is None:
        raise Wrong("members(view) says which candidates are the victim's, and there are none: "
                    "adversary.knows.candidates says how many")
    which, scores = given if isinstance(given, tuple) else (given, None)
    n = len(view.candidates.y)
    of: Array = np.asarray(which)
    if of.shape != (n,) or of.dtype.kind != "b":
        raise ValueError(f"members(view) gives an array of {of.dtype} and shape {of.shape}; it has to be {n} truth "
                         "values, one a candidate")
    out: dict[str, Any] = {"members": of.tolist()}
    if scores is not None:
        out["scores"] = vector(scores, n).tolist()
    return out

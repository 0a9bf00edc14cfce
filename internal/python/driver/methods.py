"""Methods: classes whose update and dual are a node's step. Steps that begin together are computed in one call."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from .classes import load
from .frames import ASKS, RESULT, Array, Wrong, ask, numbers, send, vector

NOISE, GAUSSIAN, MINIMISE, GRADIENT, DATA = range(ASKS, ASKS + 5)
UPDATE, DUAL, NEW = 1, 2, 4
DONE, TO_MINIMISE, FAILED = range(3)


class Node:
    """What a node holds during a call. Vectors have d numbers; f and dual are kept from call to call."""

    def __init__(self, setting: dict[str, Any], id: int) -> None:
        self.id: int = id
        self.d: int = setting["d"]
        self.C: float = setting["C"]
        self.bound: float = setting["bound"]
        self.rounds: int = setting["rounds"]
        of = setting["nodes"][id]
        self.degree: int = of["degree"]
        self.rows: int = of["rows"]
        self.ridge: float = of["ridge"]
        self.dual: Any = None
        self.sum: Any = None
        self._f: Any = None
        self._pending: tuple[Array, float] | None = None  # a minimiser that nobody has asked for yet
        self._data: Array | None = None
        self._updating = False
        self._place = 0
        self._foretold: Array | None = None  # the first noise of the update, before it is scaled
        self._drawn = False

    @property
    def f(self) -> Any:
        """The iterate."""
        if self._pending is not None:
            q, kappa = self._pending
            self._pending = None
            self._f = self._ask(MINIMISE, struct.pack("<d", kappa), vector(self._f, self.d).tobytes(), q.tobytes())
        return self._f

    @f.setter
    def f(self, value: Any) -> None:
        self._f, self._pending = value, None

    def _ask(self, kind: int, *parts: bytes) -> Array:
        return ask(kind, struct.pack("<I", self._place), *parts)

    def noise(self, rate: float) -> Array:
        """Draw noise of density ∝ exp(−rate‖ε‖), in update; new noise at every call."""
        return self._draw(NOISE, rate)

    def gaussian(self, sigma: float) -> Array:
        """Draw noise N(0, sigma² I), in update; new noise at every call."""
        return self._draw(GAUSSIAN, sigma)

    def _draw(self, kind: int, level: float) -> Array:
        if not self._updating:
            raise RuntimeError("noise is drawn in update only")
        if not 0 < level <= 1e150:
            raise ValueError(f"noise of level {level}, which is not positive or overflows")
        told, self._foretold, used, self._drawn = self._foretold, None, self._drawn, True
        if told is not None and len(told) - self.d == (2 if kind == NOISE else 0):
            drawn: Array = told[:self.d] * (told[-1] / level / told[-2] if kind == NOISE else level)
            return drawn
        return self._ask(kind, struct.pack("<Bd", used, level))

    def minimise(self, q: Any, kappa: float) -> None:
        """Set f to the minimiser of (C/B) Σ L(y f·x) + ½(ridge + kappa)‖f‖² + q·f, searched for from f on."""
        if not self._updating:
            raise RuntimeError("a subproblem is solved in update only")
        start = np.array(vector(self.f, self.d))
        self._f, self._pending = start, (np.array(vector(q, self.d)), float(kappa))

    def gradient(self, f: Any) -> Array:
        """The gradient of (C/B) Σ L(y f·x) + ½ ridge ‖f‖² at f."""
        return self._ask(GRADIENT, vector(f, self.d).tobytes())

    def pull(self, eta: float) -> Any:
        """2 dual − eta (degree f + sum): what a primal step of ADMM takes from neighbours and dual."""
        return 2 * self.dual - eta * (self.degree * self.f + self.sum)

    def ascend(self, theta: float) -> None:
        """Add (theta/2)(degree f − sum) to the dual."""
        self.dual = self.dual + theta / 2 * (self.degree * self.f - self.sum)

    @property
    def rows_signed(self) -> Array:
        """y·x of the node's rows, n×d."""
        if self._data is None:
            self._data = self._ask(DATA).reshape(self.rows, self.d)
        return self._data


class Methods:
    """A run: a node and an object of the method for each of its nodes, so that they share nothing."""

    def __init__(self, making: dict[str, Any]) -> None:
        self.made = load(making["file"], making["class"], "update")
        self.parameters = making["parameters"] or {}
        self.setting = making["setting"]
        self.d = self.setting["d"]
        self.nodes = [Node(self.setting, i) for i in range(len(self.setting["nodes"]))]
        self.methods = [self.made(**self.parameters) for _ in self.nodes]
        self.dual = hasattr(self.made, "dual")

    def says(self) -> bytes:
        return b""

    def call(self, body: bytes, trace: Any) -> None:
        """Answer steps, as many as the frame says: node, round and what, then f, dual and sum of each.

        What is left of the frame is the first noise of each, if the engine expects that it is asked for.
        """
        n, = struct.unpack_from("<I", body)
        what = np.frombuffer(body, "<u4", 3 * n, 4).reshape(n, 3).tolist()
        rest = numbers(body[4 + 12 * n:])
        given, foretold = rest[:3 * n * self.d].reshape(n, 3, self.d), rest[3 * n * self.d:].reshape(n, -1)
        status, kappa, out = bytearray(n), np.zeros(n), np.empty((n, 2, self.d))
        linear: list[bytes] = []
        failures: list[str] = []
        for k, (at, t, flags) in enumerate(what):
            try:
                f, dual, total = given[k]
                node = self.step(k, at, t, flags, f, dual, total, foretold[k])
                if node._pending is not None:
                    q, kappa[k] = node._pending
                    linear.append(q.tobytes())
                    status[k] = TO_MINIMISE
                    node._pending = None
                out[k, 0], out[k, 1] = self.left(node._f, "f"), self.left(node.dual, "dual")
            except Exception as e:
                status[k] = FAILED
                out[k] = 0
                failures.append(str(e) if isinstance(e, Wrong) else trace())
        send(RESULT, status, kappa.tobytes(), out.tobytes(), *linear, json.dumps(failures).encode() if failures else b"")

    def left(self, value: Any, name: str) -> Array:
        """What a step left in a vector of its node."""
        try:
            return vector(value, self.d)
        except (TypeError, ValueError) as e:
            raise Wrong(f"{self.made.__name__} left in node.{name} {e}") from None

    def step(self, place: int, at: int, t: int, flags: int, f: Array, dual: Array, total: Array,
             foretold: Array) -> Node:
        if flags & NEW:  # a crash has cost the node its memory
            self.methods[at] = self.made(**self.parameters)
        node, method = self.nodes[at], self.methods[at]
        node._place, node._f, node._pending, node.dual, node.sum = place, f, None, dual, total
        node._updating, node._drawn = False, False
        node._foretold = foretold if flags & UPDATE and len(foretold) else None
        if flags & DUAL and self.dual:
            published = f.copy()
            method.dual(node, t - 1)
            node.f = published
        if flags & UPDATE:
            node._updating = True
            method.update(node, t)
        return node

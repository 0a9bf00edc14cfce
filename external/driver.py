"""Serves methods that are written in Python, over standard input and output: see docs/python.md and formats.md."""

import importlib.util
import inspect
import json
import os
import struct
import sys
import traceback

import numpy as np

BEGIN, STEP, END = 0, 1, 2
UPDATE, DUAL = 1, 2
RESULT, NOISE, GAUSSIAN, MINIMISE, GRADIENT, DATA, LOG, EXPM1, FAILURE = range(9)

requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # what a method prints is no answer
sys.stdout = sys.stderr


def receive():
    size = requests.read(4)
    if len(size) < 4:
        sys.exit(0)
    return requests.read(struct.unpack("<I", size)[0])


def send(kind, payload=b""):
    answers.write(struct.pack("<IB", len(payload) + 1, kind) + payload)
    answers.flush()


def ask(kind, payload):
    send(kind, payload)
    return receive()


def numbers(b):
    return np.frombuffer(b, "<f8").copy()


def packed(v, d):
    v = np.ascontiguousarray(v, "<f8")
    if v.shape != (d,):
        raise ValueError(f"an array of shape {v.shape}, and it must be ({d},)")
    return v.tobytes()


class Node:
    """What a node holds during a call. Vectors have d numbers; f and dual are kept from call to call."""

    def __init__(self, setting, id):
        self.id = id
        self.d = setting["d"]
        self.C = setting["C"]
        self.bound = setting["bound"]  # c₁ ≥ |L″|
        self.rounds = setting["rounds"]
        of = setting["nodes"][id]
        self.degree, self.rows, self.ridge = of["degree"], of["rows"], of["ridge"]
        self.f = self.dual = self.sum = None
        self._data, self._updating = None, False

    def noise(self, rate):
        """Draw noise of density ∝ exp(−rate‖ε‖), in update; new noise at every call."""
        return self._draw(NOISE, rate)

    def gaussian(self, sigma):
        """Draw noise N(0, sigma² I), in update; new noise at every call."""
        return self._draw(GAUSSIAN, sigma)

    def _draw(self, kind, level):
        if not self._updating:
            raise RuntimeError("noise is drawn in update only")
        return numbers(ask(kind, struct.pack("<d", level)))

    def minimise(self, q, kappa):
        """Minimise (C/B) Σ L(y f·x) + ½(ridge + kappa)‖f‖² + q·f, from f on; the minimiser is f from then on."""
        self.f = numbers(ask(MINIMISE, struct.pack("<d", kappa) + packed(self.f, self.d) + packed(q, self.d)))
        return self.f

    def gradient(self, f):
        """The gradient of (C/B) Σ L(y f·x) + ½ ridge ‖f‖² at f."""
        return numbers(ask(GRADIENT, packed(f, self.d)))

    def pull(self, eta):
        """2 dual − eta (degree f + sum): what a primal step of ADMM takes from neighbours and dual."""
        return 2 * self.dual - eta * (self.degree * self.f + self.sum)

    def ascend(self, theta):
        """Add (theta/2)(degree f − sum) to the dual."""
        self.dual = self.dual + theta / 2 * (self.degree * self.f - self.sum)

    @property
    def rows_signed(self):
        """y·x of the node's rows, n×d."""
        if self._data is None:
            self._data = numbers(ask(DATA, b"")).reshape(self.rows, self.d)
        return self._data


def log(x):
    """The natural logarithm, with the engine's bits."""
    return numbers(ask(LOG, struct.pack("<d", x)))[0]


def expm1(x):
    """eˣ − 1, with the engine's bits."""
    return numbers(ask(EXPM1, struct.pack("<d", x)))[0]


loaded = {}


def load(path, name):
    if path not in loaded:
        spec = importlib.util.spec_from_file_location("overhear_method", path)
        module = importlib.util.module_from_spec(spec)
        module.__dict__.update(log=log, expm1=expm1)
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        spec.loader.exec_module(module)
        loaded[path] = module
    module = loaded[path]
    if name:
        return getattr(module, name)
    found = [c for _, c in inspect.getmembers(module, inspect.isclass)
             if c.__module__ == module.__name__ and hasattr(c, "update")]
    if len(found) != 1:
        raise LookupError(f"{path} has {len(found)} classes with update; algorithm.class names the one that is meant")
    return found[0]


class Session:
    """A run: a node and an object of the method for each of its nodes, so that they share nothing."""

    def __init__(self, setting):
        made = load(setting["file"], setting["class"])
        self.nodes = [Node(setting, i) for i in range(len(setting["nodes"]))]
        self.methods = [made(**setting["parameters"]) for _ in self.nodes]

    def step(self, at, t, what, vectors):
        node, method = self.nodes[at], self.methods[at]
        node.f, node.dual, node.sum = vectors.reshape(3, -1)
        if what & DUAL and hasattr(method, "dual"):
            method.dual(node, t - 1)
        if what & UPDATE:
            node._updating = True
            method.update(node, t)
            node._updating = False
        send(RESULT, packed(node.f, node.d) + packed(node.dual, node.d))


def serve():
    sessions = {}
    while True:
        b = receive()
        op, session, node, t, what = struct.unpack_from("<BIIIB", b)
        body = b[14:]
        try:
            if op == BEGIN:
                sessions[session] = Session(json.loads(body))
                send(RESULT)
            elif op == END:
                sessions.pop(session, None)
            else:
                sessions[session].step(node, t, what, numbers(body))
        except Exception:
            lines = traceback.format_exc().splitlines()
            own = [k for k, line in enumerate(lines) if 'File "<string>"' in line]
            send(FAILURE, "\n".join(lines[:1] + lines[own[-1] + 1 if own else 1:]).encode())


serve()

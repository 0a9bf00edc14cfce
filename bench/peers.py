"""Conventional ADMM on split rows as a user would write it in Python, for benchmarks.

peers.py VARIANT DIR ROUNDS... reads what the benchmark wrote into DIR and prints, for each of the rounds, the CPU
seconds from the start and the average training loss. Variants:

  lbfgs  scipy's L-BFGS-B, a node at a time, dense rows
  lbfgs-sparse  the same with sparse rows, and a loss by log1p, which takes half of logaddexp's time
  newton a Newton method with stale Cholesky factors, a node at a time, dense rows
  newton-sparse  the same with sparse rows
  batch  the same for all nodes at once: one block-diagonal sparse matrix, stale inverse Hessians
"""
import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
import time

import numpy as np
from scipy import linalg, optimize, sparse
from scipy.special import expit

TOLERANCE = 1e-10


def load(directory):
    """The nodes' rows y·x, each an n×d array, and the setting."""
    with open(os.path.join(directory, "setting.json")) as f:
        setting = json.load(f)
    array = lambda name, kind: np.fromfile(os.path.join(directory, name), kind)
    rows = sparse.csr_matrix((array("val", "<f8"), array("col", "<i4"), array("start", "<i4")),
                             shape=(setting["rows"], setting["columns"]))
    ends = np.cumsum(setting["shards"])
    return [rows[b - n:b] for n, b in zip(setting["shards"], ends)], setting


class Nodes:
    """The nodes' subproblems (1/n) Σ log(1 + exp(−u·f)) + r/2 |f|² + q·f."""

    def __init__(self, shards):
        self.shards, self.d = shards, shards[0].shape[1]
        self.dense = [s.toarray() for s in shards]
        self.weight = 1.0 / np.array([s.shape[0] for s in shards])

    def rows(self):
        """Each node's rows and their transpose."""
        return [(u, u.T) for u in self.dense]

    def gram(self, i, weights):
        u = self.dense[i]
        return (u.T * weights) @ u

    def hessian(self, i, slopes, ridge):
        h = self.gram(i, self.weight[i] * slopes * (1 - slopes))
        h[np.diag_indices(self.d)] += ridge
        return h


class Sparse(Nodes):
    def __init__(self, shards):
        super().__init__(shards)
        self.pairs = [(s, s.T.tocsr()) for s in shards]

    def rows(self):
        return self.pairs

    def gram(self, i, weights):
        u, v = self.pairs[i]
        return (v.multiply(weights).tocsr() @ u).toarray()


class Lbfgs(Nodes):
    def loss(self, m):
        return np.logaddexp(0, -m).sum()

    def solve(self, f, q, ridge):
        out = np.empty_like(f)
        for i, (u, v) in enumerate(self.rows()):
            def value(x, u=u, v=v, w=self.weight[i], q=q[i], r=ridge[i]):
                m = u @ x
                return (w * self.loss(m) + r / 2 * x @ x + q @ x, q + r * x - w * (v @ expit(-m)))
            options = {"gtol": TOLERANCE, "ftol": 1e-16, "maxiter": 1000}
            out[i] = optimize.minimize(value, f[i], jac=True, method="L-BFGS-B", options=options).x
        return out


class SparseLbfgs(Sparse, Lbfgs):
    def loss(self, m):
        return np.log1p(np.exp(-np.abs(m))).sum() - np.minimum(m, 0).sum()


class Newton(Nodes):
    def __init__(self, shards):
        super().__init__(shards)
        self.factor = [None] * len(shards)

    def solve(self, f, q, ridge):
        out = f.copy()
        for i, (u, v) in enumerate(self.rows()):
            bound, before = TOLERANCE * max(1, np.linalg.norm(q[i])), np.inf
            while True:
                s = expit(-(u @ out[i]))
                g = ridge[i] * out[i] + q[i] - self.weight[i] * (v @ s)
                norm = np.linalg.norm(g)
                if norm <= bound:
                    break
                if self.factor[i] is None or norm > before / 5:
                    self.factor[i] = linalg.cho_factor(self.hessian(i, s, ridge[i]), lower=True, check_finite=False)
                before = norm
                out[i] -= linalg.cho_solve(self.factor[i], g, check_finite=False)
        return out


class SparseNewton(Sparse, Newton):
    pass


class Batch(Nodes):
    def __init__(self, shards):
        super().__init__(shards)
        self.all = sparse.block_diag(shards, format="csr")
        self.transpose = self.all.T.tocsr()
        self.scale = np.repeat(self.weight, [s.shape[0] for s in shards])
        self.ends = np.cumsum([0] + [s.shape[0] for s in shards])
        self.inverse = np.empty((len(shards), self.d, self.d))
        self.stale = np.ones(len(shards), bool)
        self.last = None

    def gradient(self, x):
        s = expit(-(self.all @ x.ravel()))
        return s, -(self.transpose @ (self.scale * s)).reshape(x.shape)

    def solve(self, f, q, ridge):
        x = f.copy()
        bound = TOLERANCE * np.maximum(1, np.linalg.norm(q, axis=1))
        s, data = self.last or self.gradient(x)
        g = data + ridge[:, None] * x + q
        norm = np.linalg.norm(g, axis=1)
        while True:
            active = norm > bound
            if not active.any():
                break
            for i in np.flatnonzero(active & self.stale):
                h = self.hessian(i, s[self.ends[i]:self.ends[i + 1]], ridge[i])
                self.inverse[i] = np.linalg.inv(h)
            step = np.matmul(self.inverse, g[:, :, None])[:, :, 0]
            step[~active] = 0
            x -= step
            s, data = self.gradient(x)
            g = data + ridge[:, None] * x + q
            now = np.linalg.norm(g, axis=1)
            self.stale = np.where(active, now > norm / 5, self.stale)
            norm = np.where(active, now, norm)
        self.last = (s, data)
        return x


def main(variant, directory, marks):
    shards, setting = load(directory)
    n, d, eta = len(shards), setting["columns"], setting["eta"]
    neighbours = sparse.lil_matrix((n, n))
    for a, b in setting["edges"]:
        neighbours[a, b] = neighbours[b, a] = 1
    neighbours = neighbours.tocsr()
    degree = np.asarray(neighbours.sum(axis=1)).ravel()
    variants = {"lbfgs": Lbfgs, "lbfgs-sparse": SparseLbfgs, "newton": Newton, "newton-sparse": SparseNewton,
                "batch": Batch}
    nodes = variants[variant](shards)
    f, dual = np.zeros((n, d)), np.zeros((n, d))
    ridge = setting["ridge"] + 2 * eta * degree
    spent = 0.0
    for t in range(1, max(marks) + 1):
        begin = time.process_time()
        f = nodes.solve(f, 2 * dual - eta * (degree[:, None] * f + neighbours @ f), ridge)
        dual += eta / 2 * (degree[:, None] * f - neighbours @ f)
        spent += time.process_time() - begin
        if t in marks:
            loss = np.mean([np.logaddexp(0, -(u @ x)).mean() for u, x in zip(shards, f)])
            print(t, spent, repr(float(loss)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], [int(t) for t in sys.argv[3:]])

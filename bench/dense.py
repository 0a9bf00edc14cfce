"""Dense linear algebra with numpy, for benchmarks.

dense.py products ROWS COLUMNS prints the CPU seconds of a Gram matrix and of a Cholesky factor, the least of three.
dense.py set-up ROWS WIDTHS... prints the CPU seconds and the largest memory in bytes of what a user would write for the
set-up of ADMM sharing: draw the matrix, scale it, and factor I + DᵀD for each party's columns D.
dense.py few-rows NODES COLUMNS ROUNDS prints the CPU seconds of a round in which each node, of two rows, minimises its
logistic loss with a ridge of 1 and a linear term: Newton's method for all nodes at once.
"""
import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import resource
import sys
import time

import numpy as np


def least(do):
    times = []
    for _ in range(3):
        begin = time.process_time()
        do()
        times.append(time.process_time() - begin)
    return min(times)


def products(rows, columns):
    a = np.random.default_rng(1).standard_normal((rows, columns))
    gram = a.T @ a + np.eye(columns)
    print(least(lambda: a.T @ a), least(lambda: np.linalg.cholesky(gram)))


def set_up(rows, *widths):
    begin = time.process_time()
    a = np.random.default_rng(1).standard_normal((rows, sum(widths)))
    a /= np.abs(a).max(axis=0)
    a /= np.maximum(1, np.linalg.norm(a, axis=1))[:, None]
    first, factors = 0, []
    for d in widths:
        block = a[:, first:first + d]
        factors.append(np.linalg.cholesky(block.T @ block + np.eye(d)))
        first += d
    print(time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def few_rows(nodes, d, rounds):
    g = np.random.default_rng(1)
    u = g.standard_normal((nodes, 2, d))
    u /= np.linalg.norm(u, axis=2)[:, :, None]
    x, eye = np.zeros((nodes, d)), np.eye(d)
    begin = time.process_time()
    for _ in range(rounds):
        q = 0.3 * g.standard_normal((nodes, d))
        while True:
            slopes = 0.5 / (1 + np.exp(np.einsum("nrd,nd->nr", u, x)))
            gradient = x + q - np.einsum("nrd,nr->nd", u, slopes)
            if np.all(np.linalg.norm(gradient, axis=1) <= 1e-10 * np.maximum(1, np.linalg.norm(q, axis=1))):
                break
            bent = u * (slopes * (1 - 2 * slopes))[:, :, None]
            x -= np.linalg.solve(np.einsum("nrd,nre->nde", u, bent) + eye, gradient[:, :, None])[:, :, 0]
    print((time.process_time() - begin) / rounds)


if __name__ == "__main__":
    {"products": products, "set-up": set_up, "few-rows": few_rows}[sys.argv[1]](*map(int, sys.argv[2:]))

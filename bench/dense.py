"""Dense linear algebra with numpy, for benchmarks.

dense.py products ROWS COLUMNS prints the CPU seconds of a Gram matrix and of a Cholesky factor, the least of three.
dense.py set-up ROWS WIDTHS... prints the CPU seconds and the largest memory in bytes of what a user would write for the
set-up of ADMM sharing: draw the matrix, scale it, and factor I + DᵀD for each party's columns D.
dense.py few-rows NODES COLUMNS ROUNDS prints the CPU seconds of a round in which each node, of two rows, minimises its
logistic loss with a ridge of 1 and a linear term: Newton's method for all nodes at once, for the two margins of each.
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
    linear = [0.3 * g.standard_normal((nodes, d)) for _ in range(rounds)]
    inner = np.einsum("nd,nd->n", u[:, 0], u[:, 1])  # the Gram matrix of a node is [[1, inner], [inner, 1]]
    margins = np.zeros((2, nodes))
    times = []
    for q in linear:
        begin = time.process_time()
        # The minimiser is x = Uᵀs − q with s the slopes at its margins z, so that z − U Uᵀ s + U q = 0.
        ahead = np.matmul(u, q[:, :, None])[:, :, 0].T.copy()
        scale = np.maximum(1, np.sqrt(np.einsum("nd,nd->n", q, q)))
        z = margins
        while True:
            s = 0.5 / (1 + np.exp(z))
            f0 = z[0] - s[0] - inner * s[1] + ahead[0]
            f1 = z[1] - s[1] - inner * s[0] + ahead[1]
            # The gradient at Uᵀs − q is Uᵀ(s − s′), where s′ are the slopes at its margins z − f.
            again = 0.5 / (1 + np.exp(z - (f0, f1)))
            e0, e1 = s - again
            if np.all(e0 * e0 + 2 * inner * e0 * e1 + e1 * e1 <= (1e-10 * scale) ** 2):
                break
            c0, c1 = s * (1 - 2 * s)
            h00, h01, h10, h11 = 1 + c0, inner * c1, inner * c0, 1 + c1
            determinant = h00 * h11 - h01 * h10
            z = z - ((h11 * f0 - h01 * f1) / determinant, (h00 * f1 - h10 * f0) / determinant)
        x = np.matmul(s.T[:, None, :], u)[:, 0] - q
        margins = z
        times.append(time.process_time() - begin)
    # Not counted: is it solved?
    slopes = 0.5 / (1 + np.exp(np.einsum("nrd,nd->nr", u, x)))
    gradient = x + q - np.einsum("nrd,nr->nd", u, slopes)
    assert np.all(np.linalg.norm(gradient, axis=1) <= 2e-10 * scale)
    print(sum(times) / rounds)


if __name__ == "__main__":
    {"products": products, "set-up": set_up, "few-rows": few_rows}[sys.argv[1]](*map(int, sys.argv[2:]))

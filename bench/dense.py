"""Gram matrix and Cholesky factor of a dense matrix with numpy, for benchmarks.

dense.py ROWS COLUMNS prints the CPU seconds of each, the least of three.
"""
import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

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


def main(rows, columns):
    a = np.random.default_rng(1).standard_normal((rows, columns))
    gram = a.T @ a + np.eye(columns)
    print(least(lambda: a.T @ a), least(lambda: np.linalg.cholesky(gram)))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

"""The sample that an observer lacks, from the gradient of one round (ZKL18 §6.2), where nothing is added to it."""

import numpy as np


class Inversion:
    def __init__(self, round=1):
        self.round = round

    def estimate(self, view):
        if view.known is None or view.size != len(view.known.y) + 1:
            raise Blocked("all of the victim's samples but one have to be known: adversary.knows.all-but")
        seen = [g for g in view.gradients() if g.round == self.round]
        if not seen:
            raise Blocked(f"round {self.round} tells no gradient: {'; '.join(view.unseen)}")
        f = seen[0].at
        u = view.known.y[:, None] * view.known.X
        left = seen[0].value * view.size / view.C - view.slope(u @ f) @ u  # L′(z) u of the sample that is not known
        z = 0.0
        for _ in range(200):  # its margin z = f·left / L′(z); the slope varies little where f is small
            z = f @ left / view.slope(z)
        u = left / view.slope(z)
        y = 1 if view.columns is None or u[-1] > 0 else -1  # the last column is an intercept
        return y * u, y

"""log cosh of the residual: z²/2 near 0 and |z| far away, in units of a width, without a corner."""


class LogCosh:
    steepest = 1  # ≥ |L′|

    def __init__(self, width=1):
        self.width = width
        self.bound = 1 / width  # c₁ ≥ L″

    def value(self, z):
        a = abs(z / self.width)
        return self.width * (a + log1p(exp(-2 * a)) - log(2))

    def slope(self, z):
        return 2 * sigmoid(2 * z / self.width) - 1

    def curvature(self, z):
        s = self.slope(z)
        return (1 - s * s) / self.width

"""DVP (ZZ16, Algorithm 2) with the calibration of its proof, or, with listing=1, that of its listing."""


class DVP:
    def __init__(self, eta, alpha, listing=0):
        self.eta, self.alpha, self.listing = eta, alpha, listing

    def update(self, node, t):
        size, ridge = node.rows / node.C, node.ridge + 2 * self.eta * node.degree
        phi, rate = 0.0, self.alpha - 2 * log(1 + node.bound / (size * ridge))
        if rate <= 0:
            phi = node.bound / (size * expm1(self.alpha / 4)) - ridge
            rate = self.alpha / 2
        noise = node.noise(rate if self.listing else rate / 2)
        node.minimise(node.pull(self.eta) + node.C / node.rows * noise, 2 * self.eta * node.degree + phi)

    def dual(self, node, t):
        node.ascend(self.eta)

"""The paper's smoother in NumPy, all series in one batch: the peer of bench/smooth_bench.cc.

Usage: peer_numpy_smoother.py DATA   (a file of `smooth_bench --dump`)
Prints the best processor time in seconds and the largest difference to the results in DATA.
"""
import sys
import time

import numpy as np

STEP = 0.05
ITERATIONS = 10
A = np.array([[1, STEP, STEP**2 / 2], [0, 1, STEP], [0, 0, 1]])
Q = np.diag([1e-3, 1e-3, 1.0])


class Smoother:
    """Kalman filter and Rauch-Tung-Striebel smoother of y [samples][series]."""

    def __init__(self, y):
        self.y = y
        samples, series = y.shape
        self.x = np.empty((samples, series, 3))
        self.p = np.empty((samples, series, 3, 3))
        self.x_predicted = np.empty_like(self.x)
        self.p_predicted = np.empty_like(self.p)

    def smooth(self, r, x, p):
        samples = len(self.y)
        innovations = np.empty_like(self.y)
        variances = np.empty_like(self.y)
        for k in range(samples):
            if k > 0:
                x = x @ A.T
                p = A @ p @ A.T + Q
            self.x_predicted[k] = x
            self.p_predicted[k] = p
            s = p[:, 0, 0] + r
            e = self.y[k] - x[:, 0]
            gain = p[:, :, 0] / s[:, None]
            x = x + gain * e[:, None]
            p = p - gain[:, :, None] * p[:, None, 0, :]
            self.x[k] = x
            self.p[k] = p
            innovations[k] = e
            variances[k] = s
        log_likelihood = -0.5 * (np.log(2 * np.pi * variances) + innovations**2 / variances).sum(0)
        # The gains of all samples at once: P A' Pp^-1.
        gains = np.linalg.solve(self.p_predicted[1:], A @ self.p[:-1]).swapaxes(-1, -2)
        for k in range(samples - 2, -1, -1):
            gain = gains[k]
            self.x[k] += (gain @ (self.x[k + 1] - self.x_predicted[k + 1])[..., None])[..., 0]
            self.p[k] += gain @ (self.p[k + 1] - self.p_predicted[k + 1]) @ gain.swapaxes(-1, -2)
        return log_likelihood

    def em(self):
        series = self.y.shape[1]
        r = np.ones(series)
        x = np.zeros((series, 3))
        p = np.tile(np.eye(3), (series, 1, 1))
        for _ in range(ITERATIONS):
            self.smooth(r, x, p)
            r = ((self.y - self.x[:, :, 0]) ** 2 + self.p[:, :, 0, 0]).mean(0)
            x = self.x[0].copy()
            p = self.p[0].copy()
        self.smooth(r, x, p)


def main():
    data = np.loadtxt(sys.argv[1])
    series = data.reshape(len(data), 4, -1)
    y = np.ascontiguousarray(series[:, 0].T)
    best = np.inf
    for _ in range(7):
        smoother = Smoother(y)
        start = time.process_time()
        smoother.em()
        best = min(best, time.process_time() - start)
    difference = np.abs(smoother.x - series[:, 1:].transpose(2, 0, 1)).max()
    print(f"{best} {difference}")


if __name__ == "__main__":
    main()

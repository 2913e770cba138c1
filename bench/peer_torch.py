"""The peer: one training step of every objective in PyTorch, double precision, one thread.

    peer_torch.py FILE check     losses and gradients against ours in FILE, and what runs, as JSON
    peer_torch.py FILE serve     for every name read from stdin: seconds of processor time per step

FILE is written by compare_steps (safetensors): weights, samples, batches, our results. The model is
that of src/mechfit/mechanics/smm.h, the losses those of src/mechfit/fit. Written to be fast:
batches without loops over samples, both midpoints of a triple in one batch, the last two linear
layers multiplied first, dL/dq of all joints by one reverse pass, Mdot v by one tangent, the
barrier by elimination over columns, parameters as views of one vector for Adam.
"""

import json
import sys
import time

import numpy as np
import torch

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


def load(path):
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        body = file.read()
    kinds = {"F64": np.float64, "I64": np.int64}
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            array = np.frombuffer(body[begin:end], kinds[entry["dtype"]])
            arrays[name] = torch.from_numpy(array.copy()).view(entry["shape"])
    return arrays


class Net:
    """tanh, tanh, linear, linear; the linear ones are one product."""

    def __init__(self, inputs, width, outputs):
        widths = [inputs, width, width, width, outputs]
        self.shapes = [s for i, o in zip(widths, widths[1:]) for s in ((o, i), (o,))]

    def bind(self, weights):
        self.weights = weights

    def output(self):
        _, _, _, _, w3, b3, w4, b4 = self.weights
        return (w4 @ w3).t(), torch.mv(w4, b3) + b4

    def hidden(self, x):
        w1, b1, w2, b2 = self.weights[:4]
        a1 = torch.tanh(torch.addmm(b1, x, w1.t()))
        return a1, torch.tanh(torch.addmm(b2, a1, w2.t()))

    def __call__(self, x):
        w, b = self.output()
        return torch.addmm(b, self.hidden(x)[1], w)

    def with_tangent(self, x, xdot):
        """y and its derivative along xdot."""
        w1, _, w2, _ = self.weights[:4]
        a1, a2 = self.hidden(x)
        a1dot = torch.ops.aten.tanh_backward(xdot @ w1.t(), a1)
        a2dot = torch.ops.aten.tanh_backward(a1dot @ w2.t(), a2)
        w, b = self.output()
        return torch.addmm(b, a2, w), a2dot @ w


class Smm:
    """M = L L', L lower triangular with 1 added on the diagonal; V; F(q, v)."""

    def __init__(self, theta, n, width, force):
        self.n = n
        entries = n * (n + 1) // 2
        self.mass = Net(n, width, entries)
        self.potential = Net(n, width, 1)
        self.force = Net(2 * n, width, n) if force else None
        self.theta = theta.clone()
        self.parameters = []
        rest = self.theta
        for net in filter(None, (self.mass, self.potential, self.force)):
            weights = []
            for shape in net.shapes:
                size = int(np.prod(shape))
                weights.append(rest[:size].view(shape).detach().requires_grad_(True))
                rest = rest[size:]
            net.bind(weights)
            self.parameters += weights
        assert len(rest) == 0
        # the network's outputs are n diagonal entries, then the strict triangle row by row
        self.place = torch.full((n, n), entries)
        for i in range(n):
            self.place[i, i] = i
            for j in range(i):
                self.place[i, j] = n + i * (i - 1) // 2 + j
        self.place = self.place.view(-1)
        self.identity = torch.eye(n)

    def square(self, y):
        padded = torch.nn.functional.pad(y, (0, 1))
        return padded.index_select(1, self.place).view(-1, self.n, self.n)

    def factor(self, q):
        return self.square(self.mass(q)) + self.identity

    def momentum_force(self, q, v, factor):
        """p = M v and f = dL/dq + F, L = |L'v|^2 / 2 - V."""
        pi = (factor * v.unsqueeze(2)).sum(1)
        lagrangian = 0.5 * pi.square().sum() - self.potential(q).sum()
        (f,) = torch.autograd.grad(lagrangian, q, create_graph=True)
        if self.force:
            f = f + self.force(torch.cat((q, v), 1))
        return pi, (factor * pi.unsqueeze(1)).sum(2), f

    def acceleration(self, q, v):
        """M^-1 (f - Mdot v)"""
        q = q.detach().requires_grad_(True)
        y, ydot = self.mass.with_tangent(q, v)
        factor, rate = self.square(y) + self.identity, self.square(ydot)
        pi, _, f = self.momentum_force(q, v, factor)
        rate_pi = (rate * v.unsqueeze(2)).sum(1)
        mdot_v = (rate * pi.unsqueeze(1) + factor * rate_pi.unsqueeze(1)).sum(2)
        return torch.cholesky_solve((f - mdot_v).unsqueeze(2), factor).squeeze(2)


class Objectives:
    def __init__(self, data, force):
        n, width = data["shape"].tolist()
        self.smm = Smm(data["forced.theta" if force else "theta"], n, width, force)
        self.h = data["h"].item()
        self.alpha, self.mu = data["alpha"].item(), data["mu"].item()
        q, v, a = data["q"], data["v"], data["a"]
        self.q = q
        first = data["triples"]
        q1, q2, q3 = q[first], q[first + 1], q[first + 2]
        self.midpoints = torch.cat(((q1 + q2) / 2, (q2 + q3) / 2)).requires_grad_(True)
        self.midpoint_v = torch.cat((q2 - q1, q3 - q2)) / self.h
        at = data["samples"]
        self.point = q[at], v[at], a[at]
        at = data["pairs"]
        self.pair = q[at], v[at], q[at + 1], v[at + 1]

    def residual(self):
        """r / h, r = p1 - p2 + h (f1 + f2) / 2, and L at both midpoints"""
        q = self.midpoints
        factor = self.smm.factor(q)
        _, p, f = self.smm.momentum_force(q, self.midpoint_v, factor)
        (p1, p2), (f1, f2) = p.chunk(2), f.chunk(2)
        return torch.add((p1 - p2) / self.h, f1 + f2, alpha=0.5), factor

    def del_(self):
        r, _ = self.residual()
        return r.square().sum() / len(r)

    def gauge_free(self):
        r, factor = self.residual()
        mass = factor @ factor.transpose(1, 2)
        mean = 0.5 * (mass[: len(r)] + mass[len(r) :])
        return torch.linalg.solve(mean, r).square().mean()

    def acceleration(self):
        q, v, a = self.point
        return (self.smm.acceleration(q, v) - a).square().mean()

    def next_state(self):
        q, v, q_next, v_next = self.pair
        half = self.h / 2
        v_half = v + half * self.smm.acceleration(q, v)
        a_half = self.smm.acceleration(q + half * v, v_half)
        dq = q + self.h * v_half - q_next
        dv = v + self.h * a_half - v_next
        return 0.5 * (dq.square().mean() + dv.square().mean())

    def log_det(self):
        """-mu mean log det(M - alpha I) over all points by Cholesky pivots; not finite when a pivot
        is not positive."""
        factor = self.smm.factor(self.q)
        a = factor @ factor.transpose(1, 2) - self.alpha * self.smm.identity
        pivots = []
        for _ in range(self.smm.n):
            pivots.append(a[:, 0, 0])
            column = a[:, 1:, :1]
            a = a[:, 1:, 1:] - column * (column / a[:, :1, :1]).transpose(1, 2)
        pivots = torch.stack(pivots)
        feasible = bool((pivots > 0).all())
        return pivots.log().sum() * (-self.mu / len(self.q)), feasible

    def barrier(self):
        return self.log_det()[0]

    def gradient(self, loss):
        return torch.autograd.grad(loss, self.smm.parameters, allow_unused=True)


class FullStep:
    """DEL gradient + barrier + Adam + feasibility check. The check's forward pass is the next step's
    barrier."""

    def __init__(self, objectives):
        self.objectives = objectives
        theta = objectives.smm.theta
        self.mean, self.square = torch.zeros_like(theta), torch.zeros_like(theta)
        self.count = 0
        self.barrier, feasible = objectives.log_det()
        assert feasible

    def __call__(self, rate=1e-9):
        loss = self.objectives.del_() + self.barrier
        gradient = torch.autograd.grad(loss, self.objectives.smm.parameters, allow_unused=True)
        parameters = self.objectives.smm.parameters
        # the potential's output bias has no gradient: only differences of V count
        gradient = torch.cat([(torch.zeros_like(p) if g is None else g).view(-1)
                              for g, p in zip(gradient, parameters)])
        self.count += 1
        self.mean.lerp_(gradient, 0.1)
        self.square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        correction = (1 - 0.999**self.count) ** 0.5
        step = self.mean / self.square.sqrt().div_(correction).add_(1e-8)
        step.mul_(-rate / (1 - 0.9**self.count))
        theta = self.objectives.smm.theta
        theta.add_(step)
        self.barrier, feasible = self.objectives.log_det()
        while not feasible:
            step.mul_(0.5)
            theta.sub_(step)
            self.barrier, feasible = self.objectives.log_det()


def losses(plain, forced):
    return {
        "del": (plain, plain.del_),
        "forced_del": (forced, forced.del_),
        "barrier": (plain, plain.barrier),
        "gauge_free": (plain, plain.gauge_free),
        "acceleration": (plain, plain.acceleration),
        "next_state": (plain, plain.next_state),
        "forced_acceleration": (forced, forced.acceleration),
        "forced_next_state": (forced, forced.next_state),
    }


def check(data, named):
    """Relative differences: of the loss, and max |g - g_ref| / max |g_ref|."""
    result = {}
    for name, (objectives, loss) in named.items():
        value = loss()
        gradient = torch.cat([(torch.zeros_like(p) if g is None else g).view(-1) for g, p in
                              zip(objectives.gradient(value), objectives.smm.parameters)])
        ours = data[name + ".gradient"]
        scale = gradient.abs().max().item()
        assert scale > 0
        result[name] = {
            "loss": abs(value.item() - data[name + ".loss"].item()) / abs(value.item()),
            "gradient": (gradient - ours).abs().max().item() / scale,
        }
    return result


def seconds_per_step(step, least=0.02, batches=6):
    """Best of several batches, processor time."""
    step()
    start = time.process_time()
    step()
    count = max(1, round(least / max(time.process_time() - start, 1e-9)))
    best = float("inf")
    for _ in range(batches):
        start = time.process_time()
        for _ in range(count):
            step()
        best = min(best, (time.process_time() - start) / count)
    return best


def serve(named, plain, forced):
    steps = {name: (lambda o=o, loss=loss: o.gradient(loss())) for name, (o, loss) in named.items()}
    steps["full_del_step"] = FullStep(plain)
    steps["full_forced_del_step"] = FullStep(forced)
    for line in sys.stdin:
        print(seconds_per_step(steps[line.strip()]), flush=True)


def about():
    with open("/proc/self/maps") as file:
        libraries = {line.split()[-1] for line in file if "blas" in line}
    return {"torch": torch.__version__, "blas": sorted(libraries)}


def main():
    data = load(sys.argv[1])
    plain, forced = Objectives(data, False), Objectives(data, True)
    named = losses(plain, forced)
    if sys.argv[2] == "check":
        print(json.dumps({"about": about(), "differences": check(data, named)}))
    else:
        serve(named, plain, forced)


if __name__ == "__main__":
    main()

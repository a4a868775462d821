# SPDX-License-Identifier: Apache-2.0
"""The residual of an answer file to a problem file, from the two files alone (dense numpy).

Written from the definition (docs/problem-files.md and docs/theory/residual.md), sharing
nothing with the program. Every layout becomes 0 = M v - J' x - p, w = J v + C x + b with blocks
(law, first row, size, friction, lower, upper, rolling, torsion, tangents, spins); all but those of moments
may end after the sixth.
"""
import h5py
import numpy as np

LAWS = ["equality", "nonnegative", "box", "ball", "coulomb", "second_order", "moments"]


def matrix(group):
    rows, columns = int(group["m"][0]), int(group["n"][0])
    nz, p, i, x = int(group["nz"][0]), group["p"][:], group["i"][:], group["x"][:]
    dense = np.zeros((rows, columns))
    if nz >= 0:
        np.add.at(dense, (p[:nz], i[:nz]), x[:nz])
        return dense
    major = np.repeat(np.arange(len(p) - 1), np.diff(p))
    np.add.at(dense, (i, major) if nz == -1 else (major, i), x[:len(i)])
    return dense


def scalar_blocks(law, size):
    return [(law, k, 1, 0.0, 0.0, np.inf, 0.0) for k in range(size)]


def contact_blocks(group):
    size, friction = int(group["spacedim"][0]), group["vectors/mu"][:]
    if "vectors/mu_r" not in group:
        return [("coulomb", size * k, size, mu, 0.0, np.inf, 0.0) for k, mu in enumerate(friction)]
    return [("moments", size * k, size, mu, 0.0, np.inf, mu_r, 0.0, 0, 0)
            for k, (mu, mu_r) in enumerate(zip(friction, group["vectors/mu_r"][:]))]


def read_problem(path):
    """(M, J, C, p, b, blocks)"""
    with h5py.File(path) as file:
        if "lcp" in file:
            q = file["lcp/q"][:]
            return *without_u(matrix(file["lcp/M"]), q), scalar_blocks("nonnegative", len(q))
        if "mlcp" in file:
            q, lower, upper = (file["mlcp/" + name][:] for name in ("q", "lb", "ub"))
            blocks = [("box", k, 1, 0.0, lower[k], upper[k], 0.0) for k in range(len(q))]
            return *without_u(matrix(file["mlcp/M"]), q), blocks
        if "fclib_local" in file:
            group = file["fclib_local"]
            return *without_u(matrix(group["W"]), group["vectors/q"][:]), contact_blocks(group)
        if "fclib_global" in file:
            group = file["fclib_global"]
            J, b = matrix(group["H"]).T, group["vectors/w"][:]
            return (matrix(group["M"]), J, np.zeros((len(b), len(b))), group["vectors/f"][:], b,
                    contact_blocks(group))
        group = file["vinci_problem"]
        columns = [group["blocks/" + name][:]
                   for name in ("law", "size", "friction", "lower", "upper")]
        for name in ("rolling", "torsion", "tangents", "spins"):
            path = "blocks/" + name
            columns.append(group[path][:] if path in group else np.zeros(len(columns[0])))
        blocks, row = [], 0
        for law, size, *numbers, tangents, spins in zip(*columns):
            blocks.append((LAWS[law], row, int(size), *numbers, int(tangents), int(spins)))
            row += int(size)
        return (*(matrix(group[name]) for name in "MJC"), group["p"][:], group["b"][:], blocks)


def without_u(W, q):
    return np.zeros((0, 0)), np.zeros((len(q), 0)), W, np.zeros(0), q


def onto_cone(x, mu):
    normal, tangential = x[0], np.linalg.norm(x[1:])
    if mu * tangential <= -normal:
        return np.zeros_like(x)
    if tangential <= mu * normal:
        return x
    n = (normal + mu * tangential) / (1.0 + mu * mu)
    return np.concatenate([[n], mu * n / tangential * x[1:]])


def balls_of(block):
    """(rows from the first of the block, limit, whether it is a moment) of each ball."""
    _, _, size, mu, _, _, mu_r, mu_s, tangents, spins = block
    start = 1 + (tangents if tangents else (size - 1 - spins) // 2)
    balls = [(slice(1, start), mu, False), (slice(start, size - spins), mu_r, True),
             (slice(size - spins, size), mu_s, True)]
    return [ball for ball in balls if ball[0].stop > ball[0].start]


def onto_moments_cone(x, balls):
    """The nearest point with |x_i| <= limit_i x_N, by bisection over x_N."""
    sizes = [np.linalg.norm(x[rows]) for rows, _, _ in balls]

    def slope(n):
        return n - x[0] - sum(limit * max(0.0, size - limit * n)
                              for size, (_, limit, _) in zip(sizes, balls))

    low, high = 0.0, max(0.0, x[0]) + sum(limit * size
                                          for size, (_, limit, _) in zip(sizes, balls))
    if slope(0.0) >= 0.0:
        high = 0.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
    y = x.copy()
    y[0] = high
    for size, (rows, limit, _) in zip(sizes, balls):
        y[rows] *= min(1.0, limit * high / size if size else 1.0)
    return y


def moments_map(block, diagonal, x, w):
    """(natural map, weights of w): moments over a length, angular velocities times it."""
    balls = balls_of(block)
    forces = balls[0][0].stop
    s = abs(np.mean(diagonal[:forces]))
    length = np.sqrt(s / np.mean(diagonal[forces:])) if forces < len(x) else 1.0
    unit, weight = np.ones(len(x)), np.ones(len(x))
    unit[forces:] = length
    for rows, limit, moment in balls:
        if moment:
            weight[rows] = length if limit > 0 else 0.0
    scaled = [(rows, limit / length if moment else limit, moment) for rows, limit, moment in balls]
    x, w = s * x / unit, weight * w
    w[0] += sum(limit * np.linalg.norm(w[rows]) for rows, limit, _ in scaled)
    return x - onto_moments_cone(x - w, scaled), weight


def natural_map(block, s, x, w):
    law, _, _, mu, lower, upper = block[:6]
    if law == "equality":
        return w
    if law == "nonnegative":
        return np.minimum(s * x, w)
    if law == "box":
        return np.array([np.median([s * (x[0] - upper), w[0], s * (x[0] - lower)])])
    if law == "ball":
        y = s * x - w
        length = np.linalg.norm(y)
        return s * x - (y if length <= s * upper else y * (s * upper / length))
    if law == "coulomb":
        w = np.concatenate([[w[0] + mu * np.linalg.norm(w[1:])], w[1:]])
    return s * x - onto_cone(s * x - w, mu)


def residual(problem, x):
    """(relative residual, v, w) of impulses x; M regular."""
    M, J, C, p, b, blocks = problem
    scalar = len(p) == 0 and not any(block[0] in LAWS[3:] for block in blocks)
    inverse = np.linalg.inv(M) if len(p) else M
    W = J @ inverse @ J.T + C
    v = inverse @ (J.T @ x + p)
    w = J @ v + C @ x + b
    free = J @ inverse @ p + b
    diagonal, weight = np.diag(W), np.ones(len(b))
    parts = []
    for block in blocks:
        rows = slice(block[1], block[1] + block[2])
        if block[0] == "moments":
            part, weight[rows] = moments_map(block, diagonal[rows], x[rows], w[rows])
            parts.append(part)
            continue
        s = 1.0 if scalar else abs(np.mean(diagonal[rows]))
        if s == 0.0:  # the slip speed of a pyramid: measured as a speed
            s = 1.0
            coupled = (C[rows] != 0).any(axis=0) | (C[:, rows] != 0).any(axis=1)
            if block[0] != "equality" and np.abs(diagonal[coupled]).max(initial=0.0) > 0.0:
                weight[rows] = np.abs(diagonal[coupled]).max()
        parts.append(natural_map(block, s, x[rows], weight[rows] * w[rows]))
    parts = np.concatenate(parts)
    if scalar:
        value, norm = np.abs(parts).max(), np.abs(free).max()
    else:
        value, norm = np.linalg.norm(parts), np.linalg.norm(weight * free)
    return value / (norm if norm >= 2.2e-16 else 1.0), v, w


def impulses(answer):
    """The unknowns of an open answer file, in the order of the problem's rows."""
    for name in ("z", "lambda"):
        if name in answer:
            return answer[name][:]
    return np.concatenate([answer["r"][:], answer["l"][:] if "l" in answer else []])

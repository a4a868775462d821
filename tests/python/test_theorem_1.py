# SPDX-License-Identifier: Apache-2.0
"""Theorem 1 of Trinkle, Berard and Pang 2005 as an oracle: a quasi-static step minimises the work
done against applied and frictional forces, program (29), or (36) for boxes. A convex solver of
others (HiGHS, by linear programs with cuts around the round cones) gives a lower bound of that
program; the step's own objective must not be above it, and its velocities must be feasible."""

from __future__ import annotations

import numpy as np
import pytest
import vinci
from scipy.optimize import linprog

CUTS = 24  # directions to begin with, per disk


def sets_of(problem: vinci.Problem) -> list[dict]:
    """Normal rows, and rows of friction with their limits, read off the blocks."""
    found: list[dict] = []
    blocks = problem.blocks
    C = problem.C.toarray()
    rows = [(block, block.offset) for block in blocks]
    sigmas = {row for _, row in rows if C[row].any() and not problem.J[row].nnz}
    of_pyramid = {column for row in sigmas for column in np.flatnonzero(C[row])}
    for block, row in rows:
        if row in sigmas:
            directions = np.flatnonzero(C[row] < 0)
            normal = np.flatnonzero(C[row] > 0)
            found.append({"normal": int(normal[0]) if len(normal) else None,
                          "mu": C[row][normal[0]] if len(normal) else problem.b[row],
                          "directions": directions, "rows": []})
        elif row in of_pyramid:
            continue
        elif block.law == "ball":
            found.append({"normal": None, "mu": block.upper, "directions": [],
                          "rows": list(range(row, row + block.size))})
        else:
            found.append({"normal": row, "mu": block.friction, "directions": [],
                          "rows": list(range(row + 1, row + block.size))})
    return found


def gap_to_optimum(problem: vinci.Problem, u: np.ndarray, force: np.ndarray) -> tuple[float, float]:
    """How far above the lower bound the step's objective is, and its worst violation; relative."""
    J, b, f = problem.J.toarray(), problem.b, problem.p
    sets = sets_of(problem)
    w = J @ u + b
    speed = max(np.abs(b).max(), np.abs(w).max(), 1e-300)
    limits = [one["mu"] if one["normal"] is None else one["mu"] * max(0.0, force[one["normal"]])
              for one in sets]
    normals = [one["normal"] for one in sets if one["normal"] is not None]
    violation = max([0.0, *(-w[row] for row in normals)]) / speed

    def slip(one: dict, velocity: np.ndarray) -> float:
        if len(one["directions"]):
            return max(0.0, *(-velocity[one["directions"]]))
        return float(np.linalg.norm(velocity[one["rows"]]))

    def objective(x: np.ndarray) -> float:
        return float(-f @ x + sum(limit * slip(one, J @ x + b)
                                  for one, limit in zip(sets, limits)))

    n, k = len(u), len(sets)
    cuts: list[tuple[np.ndarray, float]] = []  # rows a: t_i >= a u + c

    def cut(i: int, direction: np.ndarray) -> None:
        rows = J[sets[i]["rows"]]
        row = np.zeros(n + k)
        row[:n], row[n + i] = direction @ rows, -1.0
        cuts.append((row, -float(direction @ b[sets[i]["rows"]])))

    for i, one in enumerate(sets):
        for direction in one["directions"]:
            row = np.zeros(n + k)
            row[:n], row[n + i] = -J[direction], -1.0
            cuts.append((row, float(b[direction])))
        for angle in np.arange(CUTS) * 2 * np.pi / CUTS if len(one["rows"]) == 2 else []:
            cut(i, np.array([np.cos(angle), np.sin(angle)]))
        for sign in (1.0, -1.0) if len(one["rows"]) == 1 else []:
            cut(i, np.array([sign]))
    ours = objective(u)
    scale = max(abs(f @ u), sum(limit * slip(one, w) for one, limit in zip(sets, limits)),
                (np.abs(f).max() + sum(limits)) * speed)
    size = 10.0 * (speed + np.abs(u).max())  # a box that the step's own motion is far inside of
    unit = max([np.abs(f).max(), *limits, 1e-300])
    cost = np.concatenate([-f, limits]) / unit
    gap = np.inf
    for _ in range(60):
        rows = [row for row, _ in cuts] + [np.concatenate([-J[row], np.zeros(k)]) for row in normals]
        values = [value for _, value in cuts] + [b[row] for row in normals]
        bounds = [(v - size, v + size) for v in u] + [(0, None)] * k
        solved = linprog(cost, A_ub=np.array(rows), b_ub=values, bounds=bounds, method="highs")
        assert solved.status == 0, solved.message
        bound = solved.fun * unit
        before, gap = gap, (ours - bound) / scale
        if gap < 1e-7 or before - gap < 1e-8:
            break
        x = solved.x[:n]
        for i, one in enumerate(sets):
            for velocity in (J @ x + b, w):
                along = velocity[one["rows"]]
                if len(one["rows"]) == 2 and np.linalg.norm(along) > 1e-12 * speed:
                    cut(i, along / np.linalg.norm(along))
    return gap, violation


def particle_scene(rng: np.random.Generator, spatial: bool) -> str:
    """A particle on a floor between one and three fences that move at random."""
    fences, surfaces = [], []
    for k in range(rng.integers(1, 4)):
        angle, speed = rng.uniform(0, 2 * np.pi), rng.uniform(-1, 1, 3)
        gap = rng.choice([0.0, 1e-3])
        x, y = -(0.0625 + gap) * np.cos(angle), -(0.0625 + gap) * np.sin(angle)
        if spatial:
            fences.append(
                f"  fence-{k}: {{shapes: [{{half-space: {{normal: [1, 0, 0]}}, material: f{k}}}], "
                f"motion: {{x: {x} + {speed[0]}*t, y: {y} + {speed[1]}*t, z: {0.3 * speed[2]}*t, "
                f"roll: 0, pitch: 0, yaw: {angle}}}}}")
        else:
            fences.append(
                f"  fence-{k}: {{shapes: [{{half-plane: {{normal: [1, 0]}}, material: f{k}}}], "
                f"motion: {{x: {x} + {speed[0]}*t, y: {y} + {speed[1]}*t, angle: {angle}}}}}")
        surfaces.append(f"  - {{between: [p, f{k}], friction: {rng.uniform(0, 1.2):.3f}}}")
    names = ", ".join(f"fence-{k}" for k in range(len(fences)))
    pairs = [f"[{a}, {c}]" for i, a in enumerate(names.split(", ")) for c in names.split(", ")[:i]]
    materials = ", ".join(["p: {}", "floor: {}", *(f"f{k}: {{}}" for k in range(len(fences)))])
    mu = rng.uniform(0.05, 1.0)
    if spatial:
        pairs += [f"[floor, fence-{k}]" for k in range(len(fences))]
        body = ("  floor: {freedom: fixed, shapes: [{half-space: {}, material: floor}]}\n"
                "  particle: {shapes: [{sphere: 0.0625, material: p}], mass: 1, "
                "position: [0, 0, 0.0625], motion: {roll: 0, pitch: 0, yaw: 0}}")
        table = ""
    else:
        body = ("  particle: {shapes: [{circle: 0.0625, material: p}], mass: 1, "
                "motion: {angle: 0}, supports: [[0, 0]]}")
        table = f"table: {{friction: {mu}}}\n"
    surfaces.append(f"  - {{between: [p, floor], friction: {mu}}}")
    return (f"world: {'spatial' if spatial else 'planar'}\n{table}materials: {{{materials}}}\n"
            "surfaces:\n" + "\n".join(surfaces) + "\nbodies:\n" + "\n".join([*fences, body]) +
            f"\nexclude: [{', '.join(pairs)}]\nrun: {{step: 10 ms, duration: 10 ms}}\n")


def part_scene(rng: np.random.Generator) -> str:
    """A rigid part on a table (2.5D), pushed by one or two discs."""
    feet = ", ".join(f"[{x:.4f}, {y:.4f}]" for x, y in
                     [(0.05, rng.uniform(-0.02, 0.02)), (-0.04, 0.04), (-0.04, -0.04)])
    pushers = []
    for k in range(rng.integers(1, 3)):
        side = rng.choice([-1, 1])
        y, v = rng.uniform(-0.04, 0.04), rng.uniform(-0.1, 0.1, 2)
        pushers.append(f"  pusher-{k}: {{shapes: [{{circle: 0.01, material: m}}], motion: "
                       f"{{x: {side * 0.08} + {v[0]}*t, y: {y} + {v[1]}*t, angle: 0}}}}")
    pairs = "exclude: [[pusher-0, pusher-1]]\n" if len(pushers) == 2 else ""
    return (f"world: planar\ntable: {{friction: {rng.uniform(0.05, 0.8)}}}\n"
            f"materials: {{m: {{friction: {rng.uniform(0, 0.8)}}}}}\nbodies:\n"
            f"  part: {{shapes: [{{box: [0.14, 0.1], material: m}}], mass: 0.5, "
            f"supports: [{feet}]}}\n" + "\n".join(pushers) +
            f"\n{pairs}run: {{step: 10 ms, duration: 10 ms}}\n")


def block_scene(rng: np.random.Generator) -> str:
    """A rigid body in space on three tips, pushed at a fourth one by a plane."""

    def tip(x: float, y: float, z: float, dx: float, dz: float) -> str:
        return (f"[[{x}, {y}, {z}], [{x + dx}, {y + 0.004}, {z + dz}], "
                f"[{x + dx}, {y - 0.004}, {z + dz}], [{x - 0.5 * dx + 0.006}, {y}, {z + dz + 0.004}]]")

    feet = [(0.06, rng.uniform(-0.02, 0.02)), (-0.04, 0.045), (-0.03, -0.05)]
    shapes = [f"{{polyhedron: {tip(x, y, 0, 0.004, 0.008)}, material: foot}}" for x, y in feet]
    y, z = rng.uniform(-0.03, 0.03), rng.uniform(0.01, 0.03)
    shapes.append(f"{{polyhedron: {tip(-0.07, y, z, 0.008, 0.0)}, material: nose}}")
    push = rng.uniform(0.01, 0.05), rng.uniform(-0.03, 0.03)
    return ("world: spatial\nmaterials: {foot: {}, nose: {}, floor: {}, pusher: {}}\nsurfaces:\n"
            f"  - {{between: [foot, floor], friction: {rng.uniform(0.05, 0.6)}}}\n"
            f"  - {{between: [nose, pusher], friction: {rng.choice([0.0, rng.uniform(0, 0.6)])}}}\n"
            "bodies:\n  floor: {freedom: fixed, shapes: [{half-space: {}, material: floor}]}\n"
            "  pusher: {shapes: [{half-space: {normal: [1, 0, 0]}, material: pusher}], motion: "
            f"{{x: -0.07 + {push[0]}*t, y: {push[1]}*t, z: 0, roll: 0, pitch: 0, yaw: 0}}}}\n"
            f"  block: {{shapes: [{', '.join(shapes)}], mass: 0.8, inertia: [1e-3, 1e-3, 1e-3], "
            "center: [0, 0, 0.03]}\n"
            "exclude: [[floor, pusher]]\nrun: {step: 1 ms, duration: 1 ms}\n")


KINDS = {"particle in space": lambda rng: particle_scene(rng, True),
         "particle on a table": lambda rng: particle_scene(rng, False),
         "part on a table": part_scene, "block in space": block_scene}
MODELS = {"quasi-static": {"motion": "quasi-static"}, "dqc": {"motion": "dqc"},
          "diamond": {"motion": "dlc", "cone": "pyramid", "directions": 4},
          "box": {"motion": "dlc", "cone": "box"}}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", KINDS)
def test_quasi_static_steps_are_optimal_for_the_convex_program_of_theorem_1(kind, model):
    rng = np.random.default_rng([sorted(KINDS).index(kind), sorted(MODELS).index(model)])
    checked = moved = seen = 0
    for _ in range(40):
        text = KINDS[kind](rng)
        simulation = vinci.Simulation(vinci.Scene.parse(text), **MODELS[model])
        report = simulation.step()
        if report.ending or report.status != "solved":
            continue  # fences that close on the particle: there is nothing to minimise
        u, force = simulation.solution
        gap, violation = gap_to_optimum(simulation.problem, u, force)
        assert violation <= 1e-9, text
        assert gap <= 1e-6, text
        checked += 1
        if np.abs(u).max() > 1e-6:
            moved += 1
            # A motion that is off by 2 % is no optimum, or not feasible: the oracle sees it.
            gap, violation = gap_to_optimum(simulation.problem, 1.02 * u, force)
            seen += gap > 1e-6 or violation > 1e-9
    assert checked >= 20 and moved >= 10 and seen >= 0.9 * moved

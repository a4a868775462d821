#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the problems with rolling resistance: problems/make_rolling.py [FOLDER]

One step of balls and disks in FCLib's global layout, M v = H r + f, u = H'v + w, with the vectors
mu and mu_r; rows of a contact: normal, tangents, relative angular velocity about the tangents.
"""
import pathlib
import sys

import h5py
import numpy as np

STEP, GRAVITY = 1e-3, 9.81  # s, m/s^2


def write_matrix(group, matrix):
    """Compressed columns, nz = -1."""
    rows, columns = matrix.shape
    pointers, indices, values = [0], [], []
    for j in range(columns):
        for i in np.flatnonzero(matrix[:, j]):
            indices.append(i)
            values.append(matrix[i, j])
        pointers.append(len(indices))
    for name, value in (("m", rows), ("n", columns), ("nz", -1), ("nzmax", len(values))):
        group[name] = np.array([value], dtype=np.int32)
    group["p"] = np.array(pointers, dtype=np.int32)
    group["i"] = np.array(indices, dtype=np.int32)
    group["x"] = np.array(values, dtype=np.float64)


def write(path, description, masses, rows, force, friction, rolling):
    """`rows`: one list of Jacobian rows a contact."""
    with h5py.File(path, "w") as file:
        root = file.create_group("fclib_global")
        write_matrix(root.create_group("M"), np.diag(masses))
        write_matrix(root.create_group("H"), np.vstack([np.array(r) for r in rows]).T)
        vectors = root.create_group("vectors")
        vectors["f"] = force
        vectors["w"] = np.zeros(sum(len(r) for r in rows))
        vectors["mu"] = np.array(friction, dtype=float)
        vectors["mu_r"] = np.array(rolling, dtype=float)
        root["spacedim"] = np.array([len(rows[0])], dtype=np.int32)
        info = root.create_group("info")
        for name, text in (("title", path.stem), ("description", description), ("math_info", "")):
            info[name] = np.bytes_(text + "\0")


def spatial_rows(count, below, above, arms, normal):
    """Contact of two of `count` bodies (None: the ground); arms from their centres."""
    axis = np.eye(3)[np.argmin(np.abs(normal))]
    first = np.cross(normal, axis)
    first /= np.linalg.norm(first)
    second = np.cross(normal, first)
    rows = np.zeros((5, 6 * count))
    for body, arm, sign in ((below, arms[0], -1.0), (above, arms[1], 1.0)):
        if body is None:
            continue
        for k, direction in enumerate((normal, first, second)):
            rows[k, 6 * body : 6 * body + 3] = sign * direction
            rows[k, 6 * body + 3 : 6 * body + 6] = sign * np.cross(arm, direction)
        for k, direction in enumerate((first, second)):
            rows[3 + k, 6 * body + 3 : 6 * body + 6] = sign * direction
    return rows


def ball_on_incline(path, slope, description):
    radius, mass = 0.1, 2.0
    normal = np.array([0.0, 0.0, 1.0])
    rows = [spatial_rows(1, None, 0, (None, -radius * normal), normal)]
    inertia = 0.4 * mass * radius**2
    weight = STEP * mass * GRAVITY * np.array([np.sin(slope), 0.0, -np.cos(slope), 0, 0, 0])
    write(path, description, [mass] * 3 + [inertia] * 3, rows, weight, [0.4], [0.01])


def pile_of_spheres(path):
    """Layers of 3 x 3, 2 x 2 and 1 spheres, each in the hollows of those below."""
    radius, mass = 0.05, 0.5
    centres = []
    for layer, side in enumerate((3, 2, 1)):
        for i in range(side):
            for j in range(side):
                shift = np.array([i, j, 0]) - 0.5 * (side - 1) * np.array([1, 1, 0])
                height = radius + layer * radius * np.sqrt(2.0)
                centres.append(2.0 * radius * shift + [0.0, 0.0, height])
    count, rows = len(centres), []
    for above, centre in enumerate(centres):
        if centre[2] < 1.5 * radius:
            up = np.array([0.0, 0.0, 1.0])
            rows.append(spatial_rows(count, None, above, (None, -radius * up), up))
        for below in range(above):
            between = centre - centres[below]
            if np.linalg.norm(between) < 2.0001 * radius:
                normal = between / np.linalg.norm(between)
                arms = (radius * normal, -radius * normal)
                rows.append(spatial_rows(count, below, above, arms, normal))
    masses = ([mass] * 3 + [0.4 * mass * radius**2] * 3) * count
    force = np.tile([0.0, 0.0, -STEP * mass * GRAVITY, 0.0, 0.0, 0.0], count)
    write(path, "14 spheres in a heap, held by friction and rolling resistance", masses, rows,
          force, [0.5] * len(rows), [0.002] * len(rows))


def disks_in_the_plane(path):
    """Two disks apart on an incline and one in the hollow between them."""
    radius, mass, slope, apart = 0.1, 1.0, 0.15, 1.05
    height = radius * (1.0 + np.sqrt(4.0 - apart**2))
    centres = np.array([[-apart * radius, radius], [apart * radius, radius], [0.0, height]])
    rows = []
    for below, above in ((None, 0), (None, 1), (0, 2), (1, 2)):
        normal = np.array([0.0, 1.0])
        if below is not None:
            normal = (centres[above] - centres[below]) / (2.0 * radius)
        tangent = np.array([normal[1], -normal[0]])
        contact = np.zeros((3, 9))
        for body, sign in ((below, -1.0), (above, 1.0)):
            if body is None:
                continue
            arm = -sign * radius * normal
            for k, d in enumerate((normal, tangent)):
                contact[k, 3 * body : 3 * body + 3] = sign * np.array(
                    [d[0], d[1], arm[0] * d[1] - arm[1] * d[0]])
            contact[2, 3 * body + 2] = sign
        rows.append(contact)
    pull = STEP * mass * GRAVITY * np.array([np.sin(slope), -np.cos(slope), 0.0])
    write(path, "three disks on an incline, in the plane", [mass, mass, 0.5 * mass * radius**2] * 3,
          rows, np.tile(pull, 3), [0.2] * 4, [0.003] * 4)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    ball_on_incline(folder / "ball_held.h5", 0.08, "a ball that rolling resistance holds")
    ball_on_incline(folder / "ball_rolls.h5", 0.3, "a ball that rolls down against resistance")
    pile_of_spheres(folder / "sphere_heap.h5")
    disks_in_the_plane(folder / "disks_planar.h5")


if __name__ == "__main__":
    main()

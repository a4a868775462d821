#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the meshes of the benchmark and of an example scene: a bolt, a nut that fits it, a link.

    make_parts.py FOLDER

writes bolt.obj, nut.obj and link.obj, in metres. A thread is a strip that winds around: point j of
turn k lies at angle 2 pi j / around, and after a full turn it has become point j of turn k + 1. The
ends are closed by fans, so that every edge has two triangles.
"""

import math
import sys
from pathlib import Path

PITCH = 0.012
AROUND = 24
# Heights within a pitch and depths below the crest: root, crest. The flanks are nearly level, so
# that the flat sides of the two polygons do not lock. The groove of the nut is wider.
BOLT = [(0.0, 0.006), (0.48, 0.006), (0.5, 0.0), (0.98, 0.0)]
NUT = [(0.04, 0.006), (0.44, 0.006), (0.46, 0.0), (1.02, 0.0)]


class Mesh:
    def __init__(self):
        self.points, self.faces = [], []

    def point(self, x, y, z):
        self.points.append((x, y, z))
        return len(self.points) - 1

    def face(self, a, b, c):
        if len({a, b, c}) == 3:
            self.faces.append((a, b, c))

    def write(self, file, remark):
        with open(file, "w") as out:
            out.write(f"# {remark}\n")
            for p in self.points:
                out.write("v {:.9g} {:.9g} {:.9g}\n".format(*p))
            for f in self.faces:
                out.write("f {} {} {}\n".format(*(i + 1 for i in f)))


class Thread:
    """Points on a thread of so many turns, from z = 0 up; crest is its outer radius."""

    def __init__(self, mesh, crest, turns, profile):
        steps = len(profile)
        self.rows = steps * (turns + 1)
        self.at = {}
        for k in range(self.rows + 1):
            height, depth = profile[k % steps]
            for j in range(AROUND):
                angle = 2 * math.pi * j / AROUND
                z = PITCH * (k // steps + height + j / AROUND)
                r = crest - depth
                self.at[j, k] = mesh.point(r * math.cos(angle), r * math.sin(angle), z)
        self.steps = steps

    def __getitem__(self, place):
        j, k = place
        return self.at[j % AROUND, k + self.steps * (j // AROUND)]

    def strip(self, mesh, first, last, outward):
        for k in range(first, last):
            for j in range(AROUND):
                a, b, c, d = self[j, k], self[j + 1, k], self[j + 1, k + 1], self[j, k + 1]
                for face in ((a, b, c), (a, c, d)):
                    mesh.face(*(face if outward else face[::-1]))

    def rim(self, k):
        """Once around at row k, then down the step to the start."""
        around = [self[j, k] for j in range(AROUND + 1)]
        return around + [self[0, k + i] for i in range(self.steps - 1, 0, -1)]


def without_unused(mesh):
    used = sorted({i for f in mesh.faces for i in f})
    number = {old: new for new, old in enumerate(used)}
    mesh.points = [mesh.points[i] for i in used]
    mesh.faces = [tuple(number[i] for i in f) for f in mesh.faces]


def bolt(crest=0.04, turns=9):
    mesh = Mesh()
    thread = Thread(mesh, crest, turns, BOLT)
    last = thread.rows - thread.steps
    thread.strip(mesh, 0, last, True)
    for row, up in ((0, False), (last, True)):
        rim = thread.rim(row)
        # From here all of the step is seen: else the fan would fold back.
        middle = mesh.point(0.0, 0.0, mesh.points[rim[0]][2] + 0.7 * PITCH)
        for a, b in zip(rim, rim[1:] + rim[:1]):
            mesh.face(*((middle, a, b) if up else (middle, b, a)))
    without_unused(mesh)
    return mesh


def nut(crest=0.04, clearance=0.0008, turns=3, width=0.065):
    mesh = Mesh()
    thread = Thread(mesh, crest + clearance, turns, NUT)
    # From the lower flank of the first tooth to the upper flank of the last one: both ends begin at
    # the ground of the groove, outside the crest of the bolt.
    first, last = 3, thread.rows - 2 * thread.steps + 2
    thread.strip(mesh, first, last, False)
    # So near that all of a step is seen from the outer edge: else its fan would fold back.
    lower = mesh.points[thread[0, first]][2] - 0.05 * PITCH
    upper = mesh.points[thread[0, last]][2] + 1.05 * PITCH
    outer = {}
    for level, z in ((0, lower), (1, upper)):
        for j in range(AROUND):
            angle = 2 * math.pi * j / AROUND
            turn = (angle + math.pi / 6) % (math.pi / 3) - math.pi / 6
            r = width / math.cos(turn)
            outer[j, level] = mesh.point(r * math.cos(angle), r * math.sin(angle), z)
    for j in range(AROUND):
        i = (j + 1) % AROUND
        a, b, c, d = outer[j, 0], outer[i, 0], outer[i, 1], outer[j, 1]
        mesh.face(a, b, c)
        mesh.face(a, c, d)
    for row, level in ((first, 0), (last, 1)):
        faces = []
        for j in range(AROUND):
            i = (j + 1) % AROUND
            faces.append((thread[j, row], outer[j, level], outer[i, level]))
            faces.append((thread[j, row], outer[i, level], thread[j + 1, row]))
        step = [thread[0, row + i] for i in range(thread.steps + 1)]
        for a, b in zip(step, step[1:]):
            faces.append((outer[0, level], a, b))
        for face in faces:
            mesh.face(*(face if level == 1 else face[::-1]))
    without_unused(mesh)
    return mesh


def link(radius=0.03, tube=0.01, straight=0.03, around=16, across=8):
    """A chain link: a torus that is pulled apart along x."""
    mesh = Mesh()
    for i in range(around):
        a = 2 * math.pi * i / around
        for j in range(across):
            b = 2 * math.pi * j / across
            r = radius + tube * math.cos(b)
            x = r * math.cos(a) + (0.5 * straight if math.cos(a) > 1e-9 else
                                   -0.5 * straight if math.cos(a) < -1e-9 else 0.0)
            mesh.point(x, r * math.sin(a), tube * math.sin(b))
    at = lambda i, j: (i % around) * across + j % across
    for i in range(around):
        for j in range(across):
            mesh.face(at(i, j), at(i + 1, j), at(i + 1, j + 1))
            mesh.face(at(i, j), at(i + 1, j + 1), at(i, j + 1))
    return mesh


def main():
    folder = Path(sys.argv[1])
    for name, mesh in (("bolt", bolt()), ("nut", nut()), ("link", link())):
        mesh.write(folder / f"{name}.obj",
                   f"{name}, {len(mesh.faces)} triangles, by benchmarks/mesh/make_parts.py")


main()

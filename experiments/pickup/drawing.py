# SPDX-License-Identifier: Apache-2.0
"""Pictures of the hand and the handset: bodies as small faces that hide each other, friction cones
and the forces on the handset in them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import colors
from matplotlib.axes import Axes
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

FACE = 0.006  # m: larger faces are cut, so that the nearer one hides the other
LIGHT = np.array([0.35, -0.75, 0.56])
COLOURS = {"handset": "#d9a066", "hand.palm": "#8d99ae", "hand.finger3": "#457b9d",
           "hand.finger": "#7fa8c9", "arm": "#adb5bd"}
STICKS, SLIDES = "#1b7f4d", "#d1495b"
CONE = 0.022  # m, the side of a cone


def turned(quaternion: np.ndarray) -> np.ndarray:
    w, x, y, z = quaternion
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def grid(corner: np.ndarray, along: np.ndarray, across: np.ndarray) -> Iterator[np.ndarray]:
    """A parallelogram in small ones."""
    n, m = (max(1, math.ceil(np.linalg.norm(side) / FACE)) for side in (along, across))
    for i in range(n):
        for k in range(m):
            start = corner + along * (i / n) + across * (k / m)
            yield np.array([start, start + along / n, start + along / n + across / m,
                            start + across / m])


def box_faces(half: np.ndarray) -> Iterator[np.ndarray]:
    for axis in range(3):
        u, v = np.eye(3)[(axis + 1) % 3] * half[(axis + 1) % 3], \
            np.eye(3)[(axis + 2) % 3] * half[(axis + 2) % 3]
        for sign in (-1, 1):
            corner = np.eye(3)[axis] * half[axis] * sign - u - v
            yield from grid(corner, 2 * u, 2 * v)


def revolved(profile: Sequence[tuple[float, float]], sides: int = 20) -> Iterator[np.ndarray]:
    """The surface that points (radius, height) make about z."""
    angles = np.linspace(0, 2 * math.pi, sides + 1)
    ring = np.stack([np.cos(angles), np.sin(angles)])
    for (r0, z0), (r1, z1) in zip(profile, profile[1:]):
        cuts = max(1, math.ceil(math.hypot(r1 - r0, z1 - z0) / FACE))
        for c in range(cuts):
            low, high = (np.array([r0, z0]) + (np.array([r1 - r0, z1 - z0])) * s / cuts
                         for s in (c, c + 1))
            for k in range(sides):
                yield np.array([[*(low[0] * ring[:, k]), low[1]],
                                [*(low[0] * ring[:, k + 1]), low[1]],
                                [*(high[0] * ring[:, k + 1]), high[1]],
                                [*(high[0] * ring[:, k]), high[1]]])


def faces_of(shape: Mapping[str, Any]) -> Iterator[np.ndarray]:
    kind = shape["kind"]
    if kind == "box":
        yield from box_faces(np.array(shape["half_extents"]))
        return
    r = shape["radius"]
    if kind == "cylinder":
        h = shape["half_height"]
        yield from revolved([(0.0, -h), (r, -h), (r, h), (0.0, h)])
        return
    h = float(np.linalg.norm(shape.get("half_axis", [0.0, 0.0, 0.0])))
    bend = np.linspace(0, math.pi / 2, 6)
    low = [(r * math.sin(a), -h - r * math.cos(a)) for a in bend]
    high = [(r * math.cos(a), h + r * math.sin(a)) for a in bend]
    yield from revolved([*low, *high])


class Picture:
    """Bodies of a recorded model, drawn as they stand in a frame."""

    def __init__(self, model: Mapping[str, Any], names: Sequence[str]) -> None:
        self.names = [body["name"] for body in model["bodies"]]
        self.faces: list[tuple[int, np.ndarray, np.ndarray]] = []
        for shape in model["shapes"]:
            name = self.names[shape["body"]]
            if not any(name.startswith(start) for start in names):
                continue
            colour = next(COLOURS[key] for key in COLOURS if name.startswith(key))
            offset = turned(np.array(shape["offset"]["rotation"]))
            place = np.array(shape["offset"]["position"])
            faces = np.array([face @ offset.T + place for face in faces_of(shape)])
            self.faces.append((shape["body"], faces, np.array(colors.to_rgb(colour))))

    def draw(self, axes: Axes, poses: np.ndarray, contacts: np.ndarray, body: str,
             view: tuple[float, float] = (14, -58)) -> None:
        elevation, azimuth = (math.radians(angle) for angle in view)
        eye = np.array([math.cos(elevation) * math.cos(azimuth),
                        math.cos(elevation) * math.sin(azimuth), math.sin(elevation)])
        polygons, shades = [], []
        for index, faces, colour in self.faces:
            world = faces @ turned(poses[index, 3:]).T + poses[index, :3]
            normals = np.cross(world[:, 1] - world[:, 0], world[:, 2] - world[:, 0])
            small = np.linalg.norm(normals, axis=1) < 1e-14
            normals[small] = np.cross(world[small, 2] - world[small, 1],
                                      world[small, 3] - world[small, 1])
            normals /= np.linalg.norm(normals, axis=1, keepdims=True) + 1e-300
            middle = world.mean(axis=(0, 1))
            outward = np.sign(np.einsum("ij,ij->i", normals, world.mean(axis=1) - middle))
            normals *= outward[:, None]
            seen = normals @ eye > -0.15
            light = 0.62 + 0.38 * np.clip(normals @ LIGHT, -0.4, 1)
            polygons.extend(world[seen])
            shades.extend(np.clip(light[seen, None] * colour, 0, 1))
        axes.computed_zorder = False
        side = 0.19
        bench = Poly3DCollection([[[-side, -side, 0], [side, -side, 0], [side, side, 0],
                                   [-side, side, 0]]], facecolors="#e9ecef", edgecolors="#ced4da")
        bench.set_zorder(0)
        axes.add_collection3d(bench)
        solid = Poly3DCollection(polygons, facecolors=shades, edgecolors=shades, linewidths=0.3)
        solid.set_zorder(1)
        axes.add_collection3d(solid)
        self._forces(axes, contacts, self.names.index(body))
        axes.set_proj_type("persp", focal_length=0.9)
        axes.view_init(*view)
        low, high = np.array([-0.085, -0.085, -0.005]), np.array([0.085, 0.085, 0.165])
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
        axes.set_box_aspect((1, 1, 1), zoom=1.22)
        axes.set_axis_off()

    @staticmethod
    def _forces(axes: Axes, contacts: np.ndarray, body: int) -> None:
        cones, cone_colours, arrows, arrow_colours = [], [], [], []
        for contact in contacts:
            if body not in contact["bodies"] or contact["force"][0] <= 0:
                continue
            sign = 1.0 if contact["bodies"][1] == body else -1.0
            normal = sign * contact["normal"]
            force = sign * (contact["force"][0] * contact["normal"]
                            + contact["force"][1] * contact["tangent_1"]
                            + contact["force"][2] * contact["tangent_2"])
            point = contact["point_b" if sign > 0 else "point_a"]
            slides = math.hypot(*contact["force"][1:]) > (1 - 1e-6) * contact["friction"] \
                * contact["force"][0]
            colour = SLIDES if slides else STICKS
            lean = math.atan(contact["friction"])
            rim = [point + CONE * (-normal * math.cos(lean) + math.sin(lean)
                                   * (math.cos(a) * contact["tangent_1"]
                                      + math.sin(a) * contact["tangent_2"]))
                   for a in np.linspace(0, 2 * math.pi, 17)]
            cones.extend([[point, rim[k], rim[k + 1]] for k in range(16)])
            cone_colours.extend([colors.to_rgba(colour, 0.10)] * 16)
            size = float(np.linalg.norm(force))
            tail = point - force / size * 0.02 * math.sqrt(size)
            arrows.append([tail, point])
            back = (tail - point) / np.linalg.norm(tail - point)
            across = np.cross(back, [0.3, -0.8, 0.5])
            across /= np.linalg.norm(across)
            for turn in (-1, 1):
                arrows.append([point, point + 0.006 * (back + 0.5 * turn * across)])
            arrow_colours.extend([colour] * 3)
        if cones:
            drawn = Poly3DCollection(cones, facecolors=cone_colours, linewidths=0)
            drawn.set_zorder(2)
            axes.add_collection3d(drawn)
            lines = Line3DCollection(arrows, colors=arrow_colours, linewidths=1.6)
            lines.set_zorder(3)
            axes.add_collection3d(lines)

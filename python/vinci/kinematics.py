# SPDX-License-Identifier: Apache-2.0
"""Robots: kinematics and dynamics over joint coordinates, trajectories and controllers.

>>> move = vinci.kinematics.joint_move([0, 1], [1, 3], limits=[(1, 2, 8)])
>>> position, velocity, acceleration = move.at(move.duration)
>>> position
array([1., 3.])
"""

from ._core import JointController, Robot, Trajectory, joint_move, spline

__all__ = ["JointController", "Robot", "Trajectory", "joint_move", "spline"]

# SPDX-License-Identifier: Apache-2.0
"""Planar grasps: force closure, and how jaws without friction turn a part.

>>> contacts = [vinci.grasp.Contact([-0.05, 0], normal=[1, 0], friction=0.3),
...             vinci.grasp.Contact([0.05, 0], normal=[-1, 0], friction=0.3)]
>>> vinci.grasp.force_closure(contacts)
True
"""

from ._core import GraspContact as Contact
from ._core import (
    JawExtremum,
    JawFunction,
    force_closure,
    friction_required,
    push_function,
    squeeze_function,
)
from ._core import grasp_contacts as contacts

__all__ = [
    "Contact", "JawExtremum", "JawFunction", "contacts", "force_closure", "friction_required",
    "push_function", "squeeze_function",
]  # fmt: skip

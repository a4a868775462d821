# SPDX-License-Identifier: Apache-2.0
"""sin, exp, pow and the like of floats, the same bits on every processor.

Those of `math` and NumPy depend on the processor in their last bit. Expressions of scenes use these
functions; code that takes part in a run gives the bits of the same expression if it does, too.

>>> from vinci import portable
>>> portable.sin(0.5)
0.479425538604203
"""
from ._core import _acos as acos
from ._core import _asin as asin
from ._core import _atan as atan
from ._core import _atan2 as atan2
from ._core import _cos as cos
from ._core import _cosh as cosh
from ._core import _exp as exp
from ._core import _log as log
from ._core import _pow as pow
from ._core import _sin as sin
from ._core import _sinh as sinh
from ._core import _tan as tan
from ._core import _tanh as tanh

__all__ = [
    "acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "log", "pow", "sin", "sinh", "tan", "tanh",
]  # fmt: skip

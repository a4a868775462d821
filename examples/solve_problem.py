# SPDX-License-Identifier: Apache-2.0
"""Complementarity problems without mechanics: a linear one, and a contact with friction whose
impulse is known in closed form."""

import numpy as np
import scipy.sparse

import vinci


def solve(problem):
    answer = vinci.solve(problem)
    print(f"{answer.status}, residual {answer.residual:.0e}:",
          *(f"{value:.17g}" for value in answer.impulse))


# 0 <= z ⟂ A z + q >= 0.
A = scipy.sparse.diags([1.0, 2.0, 1.0], [-1, 0, 1], shape=(3, 3))
solve(vinci.Problem.lcp(A, [-4.0, 1.0, -3.0]))

# A particle of 2 kg that arrives with (−1, 3, 4) m/s (normal, tangents) and slides: the normal
# impulse is 2 N s, friction 0.5 · 2 N s against (3, 4)/5.
solve(vinci.Problem.friction(0.5 * np.eye(3), [-1.0, 3.0, 4.0], mu=0.5))

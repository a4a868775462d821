# SPDX-License-Identifier: Apache-2.0
"""Simulation and analysis of mechanical systems whose bodies touch.

>>> sim = vinci.Simulation(scenes / "bouncing_ball.yaml", duration=0.5)
>>> result = sim.run(record=tmp / "ball.h5")
>>> run = vinci.Recording(tmp / "ball.h5")
>>> bool(run.body("ball").position[:, 1].max() > 0)
True

SI units everywhere: m, kg, s, rad, N. Bad input raises vinci.Error.
"""

from .errors import Diagnostic, Error, SceneError  # isort: skip  (the compiled module raises them)

from ._core import (
    AllSolutions,
    Answer,
    Block,
    Body,
    FoundSolution,
    Impact,
    Model,
    Problem,
    Recorder,
    Residual,
    Scene,
    State,
    StepContext,
    StepReport,
    all_solutions,
    detectors,
    impact_laws,
    load_plugin,
    residual,
    run_options,
    scene_schema,
    solve,
    solvers,
    steppers,
)
from ._core import version as __version__
from . import control, grasp, kinematics, portable
from .analysis import (
    Branch,
    Branches,
    ComparedRun,
    Comparison,
    Convergence,
    ConvergenceCurve,
    branches,
    compare,
    converge,
)
from .certificate import Certificate, FreeMotion, StepSolution, certify
from .code import Controller, ImpactLaw, Motion, Solver, Stepper
from .linear_scene import Linearization, linearize
from .planning import Passage, plan
from .recording import BodyTrack, FoundMotion, FrameInfo, Recording, RunSummary
from .simulation import Parameters, RunResult, Simulation
from .study import Study, StudyCase
from .viewing import render, view, write_page

__all__ = [
    "AllSolutions", "Answer", "Block", "Body", "BodyTrack", "Branch", "Branches", "Certificate",
    "ComparedRun", "Comparison", "Controller", "Convergence", "ConvergenceCurve", "Diagnostic",
    "Error", "FoundMotion", "FoundSolution", "FrameInfo", "FreeMotion", "Impact", "ImpactLaw",
    "Linearization", "Model", "Motion", "Parameters", "Passage", "Problem", "Recorder", "Recording",
    "Residual", "RunResult", "RunSummary", "Scene", "SceneError", "Simulation", "Solver", "State",
    "StepContext", "StepReport", "StepSolution", "Stepper", "Study", "StudyCase", "all_solutions", "branches", "certify",
    "compare", "control", "converge", "detectors", "grasp", "impact_laws", "kinematics",
    "linearize", "load_plugin", "plan", "portable", "render", "residual", "run_options",
    "scene_schema", "solve", "solvers", "steppers", "view", "write_page",
]  # fmt: skip

# Classes are known by the name under which users import them.
for _name in __all__:
    _value = globals()[_name]
    if isinstance(_value, type):
        _value.__module__ = "vinci"
del _name, _value

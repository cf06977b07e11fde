"""Laying a human model over a robot: the solvers of ONIA, and ours."""

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.motion.align.body import align_body
from elsewhere.motion.align.bounded import Bounded
from elsewhere.motion.align.dls import DampedLeastSquares
from elsewhere.motion.align.fabrik import Fabrik
from elsewhere.motion.align.fingers import FingerRange
from elsewhere.motion.align.hold import Hold
from elsewhere.motion.align.limits import ArmLimits
from elsewhere.motion.align.onia import Onia
from elsewhere.motion.align.pose import ArmPose
from elsewhere.motion.align.reference import ArmReference
from elsewhere.motion.align.registry import make_align_solver
from elsewhere.motion.align.solver import Solver, check_annotation
from elsewhere.motion.align.status import AlignStatus
from elsewhere.motion.align.together import Together, TorsoBounds

__all__ = [
    "AlignStatus",
    "ArmLimits",
    "ArmPose",
    "ArmReference",
    "Bounded",
    "DampedLeastSquares",
    "Fabrik",
    "FingerRange",
    "Hold",
    "HumanArm",
    "Onia",
    "Solver",
    "Together",
    "TorsoBounds",
    "align_body",
    "check_annotation",
    "make_align_solver",
]

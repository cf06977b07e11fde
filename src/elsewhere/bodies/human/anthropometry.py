"""Measures of a person from published anthropometry: lengths, breadths and girths for a stature.

Segment lengths are shares of the stature: Drillis and Contini (1966), as printed in Winter,
Biomechanics and Motor Control of Human Movement (4th ed., 2009), fig. 4.1. Girths, breadths and depths
are the means of ANSUR II (Gordon et al., 2012 Anthropometric Survey of U.S. Army Personnel, Natick
TR-15/007; 4082 men, 1986 women), rounded to a millimetre and scaled with the stature. Bones of the hand:
Buryanov and Kotiuk, Proportions of hand segments, Int. J. Morphol. 28(3), 2010, table of means.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

from elsewhere.errors import ModelError, UnknownNameError

Sex = Literal["neutral", "female", "male"]
SEXES: tuple[Sex, ...] = ("neutral", "female", "male")

STATURES = (1.2, 2.3)
"""Statures [m] for which adult proportions still make sense."""
BUILDS = (0.7, 1.5)

SHARES = {
    "ankle_height": 0.039,
    "knee_height": 0.285,
    "hip_height": 0.530,
    "shoulder_height": 0.818,
    "chin_height": 0.870,
    "upper_arm": 0.186,
    "forearm": 0.146,
    "hand": 0.108,
    "foot": 0.152,
}
"""Heights and lengths as shares of the stature (Drillis and Contini; Winter, fig. 4.1)."""

BONES_MM = {
    "thumb": (46.22, 31.57, 21.67),
    "index": (39.78, 22.38, 15.82),
    "middle": (44.63, 26.33, 17.40),
    "ring": (41.37, 25.65, 17.30),
    "little": (32.74, 18.11, 15.96),
}
"""Phalanges from the knuckle out, for the thumb its metacarpal first (Buryanov and Kotiuk, table I)."""
BONES_HAND_MM = 189.0  # hand length that the lengths above belong to: the middle finger then ends at it


@dataclass(frozen=True)
class Girths:
    """Means of ANSUR II [m]. `biceps` and `forearm` are measured flexed there."""

    stature: float
    biacromial_breadth: float
    chest: float
    waist: float
    buttock: float
    neck: float
    head: float
    head_length: float
    head_breadth: float
    biceps: float
    forearm: float
    wrist: float
    hand_breadth: float
    thigh: float
    calf: float
    ankle: float
    foot_breadth: float
    crotch_height: float


ANSUR: dict[Sex, Girths] = {
    "male": Girths(
        stature=1.756,
        biacromial_breadth=0.416,
        chest=1.059,
        waist=0.941,
        buttock=1.020,
        neck=0.398,
        head=0.574,
        head_length=0.199,
        head_breadth=0.154,
        biceps=0.358,
        forearm=0.310,
        wrist=0.176,
        hand_breadth=0.088,
        thigh=0.625,
        calf=0.392,
        ankle=0.229,
        foot_breadth=0.102,
        crotch_height=0.846,
    ),
    "female": Girths(
        stature=1.628,
        biacromial_breadth=0.365,
        chest=0.947,
        waist=0.861,
        buttock=1.021,
        neck=0.330,
        head=0.561,
        head_length=0.188,
        head_breadth=0.147,
        biceps=0.306,
        forearm=0.265,
        wrist=0.155,
        hand_breadth=0.078,
        thigh=0.616,
        calf=0.373,
        ankle=0.216,
        foot_breadth=0.092,
        crotch_height=0.782,
    ),
}


@dataclass(frozen=True)
class Measures:
    """What the shape is built from, all in metres. `girths` are already scaled to `stature`."""

    stature: float
    sex: Sex
    girths: Girths
    femininity: float
    """0 for the male, 1 for the female mean: drives what no girth says, such as the bust."""

    def length(self, name: str) -> float:
        """A height or segment length of `SHARES`, for this stature."""
        return SHARES[name] * self.stature

    def phalanges(self, digit: str) -> tuple[float, float, float]:
        """Lengths of the three bones of a digit, from the root out."""
        scale = self.length("hand") / BONES_HAND_MM
        first, second, third = BONES_MM[digit]
        return first * scale, second * scale, third * scale


def measures(stature: float = 1.75, sex: str = "neutral", build: float = 1.0) -> Measures:
    """Measures of an adult of that stature; `build` scales the girths of trunk and limbs."""
    if sex not in SEXES:
        raise UnknownNameError("sex", sex, SEXES)
    if not STATURES[0] <= stature <= STATURES[1]:
        raise ModelError(
            f"A stature of {stature:g} m is outside {STATURES[0]:g} to {STATURES[1]:g} m, "
            "for which the proportions of adults hold. Give it in metres."
        )
    if not BUILDS[0] <= build <= BUILDS[1]:
        raise ModelError(f"A build of {build:g} is outside {BUILDS[0]:g} to {BUILDS[1]:g} (1 is the mean).")
    femininity = {"male": 0.0, "female": 1.0, "neutral": 0.5}[sex]
    male, female = ANSUR["male"], ANSUR["female"]
    shares = {
        item.name: (1 - femininity) * getattr(male, item.name) / male.stature
        + femininity * getattr(female, item.name) / female.stature
        for item in fields(Girths)
    }
    girths = Girths(**{name: share * stature for name, share in shares.items()})
    soft = ("chest", "waist", "buttock", "biceps", "forearm", "thigh", "calf")
    girths = replace(girths, neck=girths.neck * build**0.5, **{n: getattr(girths, n) * build for n in soft})
    return Measures(float(stature), sex, girths, femininity)  # type: ignore[arg-type]

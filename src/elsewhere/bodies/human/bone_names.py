"""Which bone of somebody's skeleton is which joint of ours, by its name.

Known: Mixamo (`mixamorig:LeftArm`), Ready Player Me (`LeftArm`), VRM and VRoid (`J_Bip_L_UpperArm`),
Rigify (`upper_arm.L`, `DEF-upper_arm.L`), Unreal (`upperarm_l`), and our own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NEEDED = (
    "hips",
    "head",
    "left_upper_arm",
    "left_forearm",
    "left_hand",
    "right_upper_arm",
    "right_forearm",
    "right_hand",
)
"""Without these a scan cannot be posed."""

_PREFIX = re.compile(r"^(.*[:|])?(mixamorig\d*_?|J_Bip_|DEF-|CC_Base_|Bip0*1?[ _])?", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s_.\-]+")
_PAIRED = {
    "upper_arm": ("arm", "upperarm", "uparm"),
    "forearm": ("forearm", "lowerarm"),
    "hand": ("hand", "wrist"),
    "shoulder": ("shoulder", "clavicle", "collar", "collarbone"),
    "thigh": ("upleg", "thigh", "upperleg"),
    "shin": ("leg", "shin", "calf", "lowerleg"),
    "foot": ("foot", "ankle"),
}
_SINGLE = {
    "hips": ("hips", "pelvis", "hip"),
    "neck": ("neck", "neck1", "neck01"),
    "head": ("head",),
}
_DIGIT = re.compile(r"^(?:hand|f)?(thumb|index|middle|ring|pinky|little)0*([123])$")
_SPINE = re.compile(r"^(?:spine|chest|upperchest)\d*$")
_RIGIFY = {
    "spine": "hips",
    "spine001": "spine",
    "spine003": "chest",
    "spine004": "neck",
    "spine006": "head",
}
_TWIST = re.compile(r"^(upperarm|arm|forearm|lowerarm)(?:twist|roll)\d*$")
_ARM_WORD = {"upperarm": "upper_arm", "arm": "upper_arm", "forearm": "forearm", "lowerarm": "forearm"}


def split(name: str) -> tuple[str, str]:
    """Side ("left", "right" or "") and the rest of a bone's name in small letters without separators."""
    bare = _PREFIX.sub("", name, count=1)
    words = [word.lower() for word in _CAMEL.split(bare) if word]
    sides = {"left": "left", "l": "left", "right": "right", "r": "right"}
    side = next((sides[word] for word in words if word in sides), "")
    # VRM marks the middle by C.
    return side, "".join(word for word in words if word not in sides and word != "c")


def joint_for(name: str) -> str | None:
    """Our joint for a bone's name, or None. Bones of the spine are told apart by `recognise`."""
    side, rest = split(name)
    if not side:
        return next((ours for ours, words in _SINGLE.items() if rest in words), None)
    digit = _DIGIT.match(rest)
    if digit:
        return f"{side}_{'little' if digit[1] == 'pinky' else digit[1]}_{digit[2]}"
    return next((f"{side}_{ours}" for ours, words in _PAIRED.items() if rest in words), None)


def is_spine(name: str) -> bool:
    """Whether a bone belongs to the back."""
    side, rest = split(name)
    return not side and bool(_SPINE.match(rest))


def twist_bone(name: str) -> tuple[str, str] | None:
    """Side and bone ("upper_arm" or "forearm") of somebody's own twist joint, or None."""
    side, rest = split(name)
    found = _TWIST.match(rest)
    return (side, _ARM_WORD[found[1]]) if side and found else None


def recognise(names: Sequence[str]) -> dict[str, int]:
    """Our joint names with the index of their bone, for bones listed parents first.

    Of several bones for one joint the first counts. The lowest bone of the back is `spine`, the highest
    `chest`; Rigify calls all of it spine, numbered from the hips to the head.
    """
    found: dict[str, int] = {}
    for i, name in enumerate(names):
        ours = joint_for(name)
        if ours is not None:
            found.setdefault(ours, i)
    back = [i for i, name in enumerate(names) if is_spine(name)]
    if "hips" not in found and "head" not in found:
        for i in back:
            ours = _RIGIFY.get(split(names[i])[1])
            if ours is not None:
                found.setdefault(ours, i)
    elif back:
        found["spine"] = back[0]
    if len(back) > 1 and "chest" not in found:
        found["chest"] = back[-1]
    return found

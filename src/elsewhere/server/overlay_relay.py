"""The relay: both arms' poses merged into one frame for viewers, 100 times a second (ONIA, section II).

Each arm's newest sample counts, however old the other's is. An arm that is not heard for 100 ms is held
where it was, and said to be; after a second it is lost. Time is passed in.
"""

from __future__ import annotations

from elsewhere.bodies.body import Body
from elsewhere.errors import ModelError
from elsewhere.messages import Stamp, vector3
from elsewhere.overlay_messages import OverlayFrame, OverlayMarker, OverlayWelcome
from elsewhere.records import Record
from elsewhere.server.overlay_links import Links
from elsewhere.server.overlay_poses import ArmSample, PoseServer
from elsewhere.server.overlay_solving import OverlaySolving, rotation_message
from elsewhere.status import LEFT, RIGHT, SIDES

RATE_HZ = 100
HOLD_NS, LOST_NS = 100_000_000, 1_000_000_000
HUMAN_URL, ROBOT_URL = "/api/overlay/human.glb", "/api/overlay/robot.glb"


def check_overlay(body: Body) -> None:
    """Raise ModelError, which says what is missing, for a robot over which nobody can be drawn."""
    for side, arm in enumerate(body.arms):
        if arm is None:
            raise ModelError(
                f"A person cannot be drawn over this robot: it has no {SIDES[side]} arm. "
                "Use a rig with two, such as 'overlay'."
            )
        arm.reference_points(arm.home)
    if body.marker is None:
        raise ModelError(
            "A person cannot be drawn over this robot: its base carries no marker. Use the base 'pedestal'."
        )


class Relay:
    """Newest samples of both arms in, frames out."""

    def __init__(self, body: Body, solving: OverlaySolving) -> None:
        """Raises ModelError for a robot without two arms with reference points, or without a marker."""
        check_overlay(body)
        self.body, self.solving, self.links = body, solving, Links(body)
        self.poses = [PoseServer(arm, hand) for arm, hand in zip(body.arms, body.hands, strict=True) if arm]
        self._samples: list[ArmSample | None] = [None, None]
        self._heard_ns = [0, 0]
        self._sequence = 0

    def hear(self, sample: ArmSample, side: int, now_ns: int) -> None:
        """Take an arm's sample, if it is newer than what is known of that arm."""
        known = self._samples[side]
        if known is None or sample.sampled_ns > known.sampled_ns:
            self._samples[side], self._heard_ns[side] = sample, now_ns

    def hear_tick(self, tap: Record, now_ns: int) -> None:
        """Take both arms and the head out of a tick."""
        for side, server in enumerate(self.poses):
            self.hear(server.sample(tap), side, now_ns)
        self.links.head(tap["state"])

    def frame(self, now_ns: int) -> OverlayFrame | None:
        """Both arms now, or None before both have been heard."""
        left, right = self._samples
        if left is None or right is None:
            return None
        self._sequence += 1
        solved, reference = self.solving.solve((left, right))
        links_p, links_q = self.links.place((left, right))
        openings = (left.opening, right.opening)
        return OverlayFrame(
            sequence=self._sequence,
            stamp=Stamp(min(left.sampled_ns, right.sampled_ns), now_ns),
            links_p=links_p,
            links_q=links_q,
            reference=reference,
            opening=openings,
            fingers=self.solving.fingers(openings),
            solved=solved,
            fault=self._fault(now_ns) or self.solving.fault,
        )

    def _fault(self, now_ns: int) -> str:
        ages = [now_ns - heard for heard in self._heard_ns]
        side = LEFT if ages[LEFT] >= ages[RIGHT] else RIGHT
        if ages[side] > LOST_NS:
            return f"lost: the {SIDES[side]} arm has not been heard for {ages[side] / 1e9:.0f} s"
        if ages[side] > HOLD_NS:
            return f"late: the {SIDES[side]} arm is shown where it was {ages[side] / 1e6:.0f} ms ago"
        return ""

    def welcome(self) -> OverlayWelcome:
        """The first message to a viewer."""
        marker, rig, solving = self.body.marker, self.body.rig, self.solving
        assert marker is not None  # check_overlay
        return OverlayWelcome(
            rig=rig.name,
            title=rig.title,
            solvers=solving.names,
            default_solver=solving.default,
            rate_hz=RATE_HZ,
            human_url=HUMAN_URL,
            robot_url=ROBOT_URL,
            links=self.links.names,
            human=solving.annotation(),
            marker=OverlayMarker(
                marker.dictionary, marker.id, marker.size, vector3(marker.p), rotation_message(marker.R)
            ),
        )

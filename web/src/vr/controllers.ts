import { baseTwist } from "../controls/base";
import { Edge, Latch } from "../controls/latch";
import { pastDeadZone } from "../controls/gamepad";
import type { Intent, Source } from "../controls/source";
import { allFingers } from "../controls/virtualHand";
import { nowNs } from "../link/clock";
import type { HandInput } from "../messages";
import { IDENTITY } from "../quaternion";
import { orientationFromXr, positionFromXr } from "./axes";

// Places in the "xr-standard" gamepad mapping.
const TRIGGER = 0, SQUEEZE = 1, STICK = 3, LOWER = 4, UPPER = 5, STICK_X = 2, STICK_Y = 3;
/** Poses older than this are no longer the operator's. */
const STALE_MS = 150;

export type Side = "left" | "right";

/** Head and controllers of a headset as a source of intents. */
export class Controllers implements Source {
  private readonly squeeze = { left: new Latch(), right: new Latch() };
  private readonly lower = { left: new Edge(), right: new Edge() };
  private readonly upper = { left: new Edge(), right: new Edge() };
  private closed = { left: 0, right: 0 };
  private intent: Intent = nothing();

  constructor(private readonly onPress: (button: "lower" | "upper") => void) {}

  /** Reads all poses and buttons; once for every frame of the headset. */
  read(frame: XRFrame, space: XRReferenceSpace): void {
    const intent = nothing();
    const viewer = frame.getViewerPose(space);
    if (viewer) intent.head = { tracked: true, orientation: orientationFromXr(viewer.transform.orientation) };
    const inputs: Partial<Record<Side, XRInputSource>> = {};
    for (const input of frame.session.inputSources) {
      if (input.handedness !== "none" && input.gamepad) inputs[input.handedness] = input;
    }
    for (const side of ["left", "right"] as const) {
      intent[side] = this.hand(side, inputs[side], frame, space);
      const buttons = inputs[side]?.gamepad?.buttons;
      if (this.lower[side].read(buttons?.[LOWER]?.pressed ?? false)) this.onPress("lower");
      if (this.upper[side].read(buttons?.[UPPER]?.pressed ?? false)) this.onPress("upper");
    }
    const stick = (side: Side, axis: number) => pastDeadZone(inputs[side]?.gamepad?.axes[axis] ?? 0);
    // Without a head the operator does not see where the base goes. Sticks: right and down positive.
    if (viewer) {
      const wanted = [-stick("left", STICK_Y), -stick("left", STICK_X), -stick("right", STICK_X)];
      intent.base_twist = baseTwist(wanted, inputs.left?.gamepad?.buttons[STICK]?.pressed ?? false);
    }
    this.intent = intent;
  }

  private hand(side: Side, input: XRInputSource | undefined, frame: XRFrame, space: XRReferenceSpace): HandInput {
    const pose = input?.gripSpace && frame.getPose(input.gripSpace, space);
    const gamepad = input?.gamepad;
    if (gamepad) this.closed[side] = gamepad.buttons[TRIGGER]?.value ?? 0;
    // An emulated position is a guess by the headset, not a measurement.
    if (!pose || !gamepad || pose.emulatedPosition) {
      this.squeeze[side].disarm();
      return lost(this.closed[side]);
    }
    return {
      tracked: true,
      clutch: this.squeeze[side].read(gamepad.buttons[SQUEEZE]?.pressed ?? false),
      position: positionFromXr(pose.transform.position),
      orientation: orientationFromXr(pose.transform.orientation),
      fingers: allFingers(this.closed[side]),
    };
  }

  sample(): Intent {
    if ((nowNs() - this.intent.sampledNs) / 1e6 > STALE_MS) this.release();
    return this.intent;
  }

  release(): void {
    this.squeeze.left.disarm();
    this.squeeze.right.disarm();
    this.intent = { ...nothing(), left: lost(this.closed.left), right: lost(this.closed.right) };
  }
}

function lost(closed: number): HandInput {
  return { tracked: false, clutch: false, position: [0, 0, 0], orientation: IDENTITY, fingers: allFingers(closed) };
}

function nothing(): Intent {
  return {
    sampledNs: nowNs(),
    left: lost(0),
    right: lost(0),
    head: { tracked: false, orientation: IDENTITY },
    base_twist: [0, 0, 0],
  };
}

import type { OverlayArm, OverlayFrame, OverlaySolved, OverlayWelcome } from "../messages";

/** Nothing of a robot and a person beside it is farther from the base than this [m]. */
const FARTHEST_M = 10;
/** Stretches outside are no arm's: a limb would fly or collapse. */
const STRETCH = [0.2, 5] as const;

/** The angle of a fingertip, all its hinges together [rad]. */
const MOST_CURLED = 2 * Math.PI;

export type Refusal = "out of order" | "not finite" | "incomplete";

/** A frame that may be drawn. `usable[i]`: whether the human of solver i may be. */
export interface Admitted {
  frame: OverlayFrame;
  usable: boolean[];
}

/**
 * Decides what of the stream may reach the screen: newer than all before, complete, finite and of human size.
 *
 * A bad robot refuses the frame; a bad human refuses that solver's human alone, which then holds.
 */
export class Gate {
  readonly refused: Record<Refusal, number> = { "out of order": 0, "not finite": 0, incomplete: 0 };
  private last = -1;

  constructor(private readonly welcome: OverlayWelcome) {}

  admit(frame: OverlayFrame): Admitted | undefined {
    const refusal = this.refusal(frame);
    if (refusal) {
      this.refused[refusal] += 1;
      return undefined;
    }
    this.last = frame.sequence;
    const fingers = frame.fingers.every((hand) => hand.length === 3 && hand.every((angle) => Math.abs(angle) <= MOST_CURLED));
    return { frame, usable: frame.solved.map((solved) => fingers && sound(solved)) };
  }

  private refusal(frame: OverlayFrame): Refusal | undefined {
    if (!(frame.sequence > this.last)) return "out of order";
    const { links, solvers } = this.welcome;
    const complete =
      frame.links_p?.length === links.length &&
      frame.links_q?.length === links.length &&
      frame.solved?.length === solvers.length &&
      frame.fingers?.length === 2 &&
      frame.reference?.length === 2;
    if (!complete) return "incomplete";
    const points = [...frame.links_p, ...frame.reference.flatMap((arm) => [arm.shoulder, arm.elbow, arm.wrist])];
    return points.every(near) && frame.links_q.every(turn) ? undefined : "not finite";
  }
}

/** Finite, and within reach. NaN fails every comparison. */
export function near(p: readonly number[]): boolean {
  return p.length === 3 && p.every((value) => Math.abs(value) <= FARTHEST_M);
}

export function turn(q: readonly number[]): boolean {
  const norm = q.length === 4 ? Math.hypot(...q) : NaN;
  return norm > 0.9 && norm < 1.1;
}

function sound(solved: OverlaySolved): boolean {
  return near(solved.body_p) && turn(solved.body_q) && solved.arms.length === 2 && solved.arms.every(soundArm);
}

function soundArm(arm: OverlayArm): boolean {
  const stretches = [arm.stretch_upper, arm.stretch_fore];
  return (
    [arm.shoulder_q, arm.elbow_q, arm.wrist_q].every(turn) &&
    stretches.every((stretch) => stretch >= STRETCH[0] && stretch <= STRETCH[1])
  );
}

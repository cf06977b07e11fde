import { Matrix3, Matrix4, Quaternion as Turn, Vector3 as Point } from "three";
import type { HumanAnnotation, HumanArmRest, OverlayArm, OverlaySolved, Quaternion, Vector3 } from "../messages";

// The counterpart of motion/align/dress.py: from what a solver says to one rest -> posed matrix a joint.

/** A joint of the human model in its default pose, in the model's frame (z up, x forward, y left). */
export interface RestJoint {
  name: string;
  /** Index of the parent, or -1. A parent stands before its children. */
  parent: number;
  position: Vector3;
}

/** Thumb, index and other fingers of the left and of the right hand [rad]. */
export type FingerAngles = readonly [Vector3, Vector3];

type Segment = "upper" | "fore" | "hand";
const SIDES = ["left", "right"] as const;
const SEGMENTS: Record<string, Segment> = { upper_arm: "upper", forearm: "fore", hand: "hand" };
const SEGMENT = /^(left|right)_(upper_arm|forearm|hand)$/;
const FINGER = /^(left|right)_(thumb|index|middle|ring|little)_\d$/;

/** What moves a joint: the body, its parent, a segment of an arm, or the hinge of a finger on top of its parent. */
type Mover =
  | { kind: "body" }
  | { kind: "parent" }
  | { kind: "segment"; side: 0 | 1; segment: Segment }
  | { kind: "hinge"; side: 0 | 1; finger: 0 | 1 | 2; pivot: Point; axis: Point };

/**
 * Poses the joints of one human model.
 *
 * Body joints go by T_body; the upper arm by R_shoulder about the shoulder, stretched along the default upper arm;
 * the forearm by R_elbow about the elbow's new place, stretched along the default forearm; the hand by R_wrist about
 * the wrist's new place; fingers hinge. So elbow and wrist stand where eq. (21) and (22) of ONIA say.
 */
export class Dress {
  private readonly movers: Mover[];
  private readonly segments = SIDES.map(() => ({ upper: new Matrix4(), fore: new Matrix4(), hand: new Matrix4() }));
  private readonly body = new Matrix4();
  private readonly bodyTurn = new Turn();

  constructor(
    private readonly joints: readonly RestJoint[],
    private readonly human: HumanAnnotation,
  ) {
    this.movers = joints.map((joint) => this.moverOf(joint));
  }

  /** Writes the rest -> posed matrices, in the robot's base frame, into `out`. */
  pose(solved: OverlaySolved, fingers: FingerAngles, out: readonly Matrix4[]): void {
    this.bodyTurn.copy(turnOf(solved.body_q));
    this.body.makeRotationFromQuaternion(this.bodyTurn).setPosition(...solved.body_p);
    for (const side of [0, 1] as const) this.poseArm(side, solved.arms[side]);
    this.movers.forEach((mover, index) => {
      const matrix = out[index]!;
      const parent = out[this.joints[index]!.parent] ?? this.body;
      if (mover.kind === "body") matrix.copy(this.body);
      else if (mover.kind === "parent") matrix.copy(parent);
      else if (mover.kind === "segment") matrix.copy(this.segments[mover.side]![mover.segment]);
      else matrix.multiplyMatrices(parent, hinge(mover.pivot, mover.axis, fingers[mover.side][mover.finger]));
    });
  }

  private poseArm(side: 0 | 1, arm: OverlayArm): void {
    const rest: HumanArmRest = this.human.arms[side];
    const { upper, fore, hand } = this.segments[side]!;
    const [shoulder, elbow, wrist] = [rest.shoulder, rest.elbow, rest.wrist].map((p) => new Point(...p)) as [Point, Point, Point];
    const turned = (q: Quaternion) => new Matrix3().setFromMatrix4(new Matrix4().makeRotationFromQuaternion(turnOf(q).multiply(this.bodyTurn)));
    const upperArm = turned(arm.shoulder_q).multiply(stretch(elbow.clone().sub(shoulder), arm.stretch_upper));
    about(upper, shoulder, upperArm, shoulder.clone().applyMatrix4(this.body));
    const forearm = turned(arm.elbow_q).multiply(stretch(wrist.clone().sub(elbow), arm.stretch_fore));
    about(fore, elbow, forearm, elbow.clone().applyMatrix4(upper));
    about(hand, wrist, turned(arm.wrist_q), wrist.clone().applyMatrix4(fore));
  }

  /** A joint that the convention does not name (a scan's own twist bone) goes with its parent. */
  private moverOf(joint: RestJoint): Mover {
    const side = joint.name.startsWith("right_") ? 1 : 0;
    const segment = SEGMENT.exec(joint.name)?.[2];
    if (segment) return { kind: "segment", side, segment: SEGMENTS[segment]! };
    const finger = FINGER.exec(joint.name)?.[2];
    if (!finger) return { kind: joint.parent < 0 ? "body" : "parent" };
    const place = finger === "thumb" ? 0 : finger === "index" ? 1 : 2;
    return { kind: "hinge", side, finger: place, pivot: new Point(...joint.position), axis: this.hingeAxis(side, finger) };
  }

  /**
   * Palm frame: x to the fingertips, z out of the back of the hand. Fingers close about +y; the thumb about the axis
   * that leads its tip to the fingers.
   */
  private hingeAxis(side: 0 | 1, finger: string): Point {
    const hand = turnOf(this.human.hand_q[side]);
    if (finger !== "thumb") return new Point(0, 1, 0).applyQuaternion(hand);
    return new Point(0, 0, side === 0 ? 1 : -1).applyQuaternion(hand);
  }
}

export function turnOf([w, x, y, z]: Quaternion): Turn {
  return new Turn(x, y, z, w).normalize();
}

/** I + (s - 1) d d^T: stretches along the unit vector of `direction` alone. */
function stretch(direction: Point, factor: number): Matrix3 {
  const { x, y, z } = direction.clone().normalize();
  const s = factor - 1;
  return new Matrix3(1 + s * x * x, s * x * y, s * x * z, s * y * x, 1 + s * y * y, s * y * z, s * z * x, s * z * y, 1 + s * z * z);
}

/** x -> to + linear (x - from). */
function about(out: Matrix4, from: Point, linear: Matrix3, to: Point): void {
  const shift = to.clone().sub(from.clone().applyMatrix3(linear));
  out.setFromMatrix3(linear).setPosition(shift);
}

function hinge(pivot: Point, axis: Point, angle: number): Matrix4 {
  const matrix = new Matrix4().makeRotationAxis(axis, angle);
  const shift = pivot.clone().sub(pivot.clone().applyMatrix4(matrix));
  return matrix.setPosition(shift);
}
